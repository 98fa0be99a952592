/// The error for data that cannot be read as RTF.
package struct RTFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cause in one line.
  package let description: String
  init(_ description: String) { self.description = description }
}
