/// The reason, in one line, why no card was drawn.
package struct CardError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}
