import Glibc

extension String {
  /// Whether this absolute path is below a folder, at any depth.
  package func isBelow(_ folder: String) -> Bool {
    if folder == "/" { return count > 1 }
    guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return false }
    return utf8[utf8.index(utf8.startIndex, offsetBy: folder.utf8.count)] == UInt8(ascii: "/")
  }

  /// The parent folder of this absolute path; `/` for `/`.
  package var parentFolder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != startIndex else {
      return "/"
    }
    return String(self[..<slash])
  }

  /// The part after the last slash, or the whole path.
  package var lastComponent: Substring {
    utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] } ?? self[...]
  }

  /// Whether the text contains NUL, at which system calls would end it.
  package var hasNUL: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    } ?? utf8.contains(0)
  }

  /// Returns the path of a name in the folder at this path.
  package func appending(_ name: String) -> String { self == "/" ? "/" + name : self + "/" + name }
}
