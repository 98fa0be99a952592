/// Why no card was drawn: one line.
package struct CardProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}
