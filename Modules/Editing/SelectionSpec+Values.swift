package import Model

extension SelectionSpec {
  /// Creates the selection of a range of UTF-16 units, equivalent to `u16:120-164`.
  package init(units range: TextRange) {
    self.init(form: .units(range.utf16), description: range.description)
  }

  /// Creates the selection of a highlight's range, equivalent to `hl:42-…`.
  package init(highlight id: Highlight.ID) {
    self.init(form: .highlight(id.description), description: "hl:\(id)")
  }
}
