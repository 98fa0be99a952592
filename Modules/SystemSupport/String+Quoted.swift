extension String {
  /// The text as one word of a POSIX shell: unchanged if that is safe, or else in single quotation
  /// marks.
  package var shellQuoted: String {
    let isSafe =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_-./:,+@%=".utf8.contains(byte)
        }
      }
    return isSafe ? self : "'" + replacing("'", with: "'\\''") + "'"
  }

  /// The text as one word of the line editor, outside a SPEC.
  package var lineEditorQuoted: String {
    guard isEmpty || contains(where: { $0.isWhitespace || "\"'\\".contains($0) }) else {
      return self
    }
    guard contains("'") else { return "'\(self)'" }
    return "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
