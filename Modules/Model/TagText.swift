extension String {
  /// The tag as it is shown and typed: after `#`, and in quotation marks if it contains blanks, as
  /// in `#todo` and `#"to do"`.
  package var asTag: String { contains(where: \.isWhitespace) ? "#\"\(self)\"" : "#\(self)" }
}
