import Glibc

/// A new temporary file that only the user can read. The caller deletes it.
package struct TemporaryFile {
  /// The absolute path.
  package let path: String

  /// Creates a file with a text. Nil, with the reason in `errno`, if that fails.
  ///
  /// - Parameter name: the start and extension of the file's name: `note.md` makes
  ///   `diple-note-….md`.
  package init?(_ name: String, containing text: String, environment: [String: String]) {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let ending = name.firstIndex(of: ".").map { name[$0...] } ?? ""
    let stem = name.prefix { $0 != "." }
    var template = Array("\(folder)/diple-\(stem)-XXXXXX\(ending)".utf8CString)
    let descriptor = mkstemps(&template, Int32(ending.utf8.count))
    guard descriptor >= 0 else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { close(descriptor) }
    guard Descriptor.write(text.utf8, to: descriptor) else {
      let number = errno
      unlink(path)
      errno = number
      return nil
    }
  }
}
