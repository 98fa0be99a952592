import Glibc

extension String {
  /// Whether an absolute path is somewhere below a folder.
  package func isBelow(_ folder: String) -> Bool {
    if folder == "/" { return count > 1 }
    guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return false }
    return utf8[utf8.index(utf8.startIndex, offsetBy: folder.utf8.count)] == UInt8(ascii: "/")
  }

  /// The folder that holds what an absolute path names.
  package var parentFolder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != startIndex else {
      return "/"
    }
    return String(self[..<slash])
  }

  /// The name at the end of a path.
  package var lastComponent: Substring {
    utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] } ?? self[...]
  }

  /// Whether it has a NUL, at which the system's calls would end it.
  package var hasNUL: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    } ?? utf8.contains(0)
  }

  /// The path of something in the folder that this path names.
  package func appending(_ name: String) -> String { self == "/" ? "/" + name : self + "/" + name }
}
