import Glibc

/// A file of its own among the temporary ones, which only this person can read. Whoever made it takes
/// it away.
package struct TemporaryFile {
  /// Where it is.
  package let path: String

  /// Makes a file that holds a text; nil, with the reason in `errno`, where none can be made.
  ///
  /// - Parameter name: what its name begins and ends with: `note.md` gives `diple-note-….md`.
  package init?(_ name: String, holding text: String, environment: [String: String]) {
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
