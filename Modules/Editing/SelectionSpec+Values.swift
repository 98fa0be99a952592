package import Model

extension SelectionSpec {
  /// Means a range of units, as `u16:120-164` does.
  package init(units range: TextRange) {
    self.init(form: .units(range.utf16), description: range.description)
  }

  /// Means the place of a highlight, as `hl:42-…` does.
  package init(highlight id: Highlight.ID) {
    self.init(form: .highlight(id.description), description: "hl:\(id)")
  }
}
