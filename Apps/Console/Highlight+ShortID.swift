package import Model

extension Highlight {
  /// The short name by which a person calls it.
  package var shortID: String { String(id.dot.sequence) }
}
