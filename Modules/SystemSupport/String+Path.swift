extension String {
  /// Whether an absolute path is somewhere below a folder.
  package func isBelow(_ folder: String) -> Bool {
    if folder == "/" { return count > 1 }
    guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return false }
    return utf8[utf8.index(utf8.startIndex, offsetBy: folder.utf8.count)] == UInt8(ascii: "/")
  }

  /// The folder that holds what an absolute path names.
  package var parentFolder: String {
    guard let slash = lastIndex(of: "/"), slash != startIndex else { return "/" }
    return String(self[..<slash])
  }

  /// The name at the end of a path.
  package var lastComponent: Substring {
    lastIndex(of: "/").map { self[index(after: $0)...] } ?? self[...]
  }

  /// The path of something in the folder that this path names.
  package func appending(_ name: String) -> String { self == "/" ? "/" + name : self + "/" + name }
}
