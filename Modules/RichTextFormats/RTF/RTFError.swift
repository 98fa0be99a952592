/// Why bytes are not RTF: one line.
package struct RTFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  package let description: String
  init(_ description: String) { self.description = description }
}
