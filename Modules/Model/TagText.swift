extension String {
  /// The tag as it is shown and typed: after `#`, and in quotation marks if it contains blanks, as
  /// in `#todo` and `#"to do"`.
  package var asTag: String {
    // The bytes of most tags are enough, and lists show many tags.
    let hasBlank = utf8.contains { $0 <= 32 || $0 >= 0x80 } && contains(where: \.isWhitespace)
    return hasBlank ? "#\"\(self)\"" : "#" + self
  }
}
