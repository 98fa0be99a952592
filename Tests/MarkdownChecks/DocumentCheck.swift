public import MarkdownParse
import Model

/// The error for a document that violates an invariant of the parser.
public struct Fault: Error, CustomStringConvertible {
  /// The violated invariant and its position.
  public var description: String
}

/// Checks the invariants of `ParsedDocument` for arbitrary input.
///
/// ```swift
/// try DocumentCheck.run(Array("# a *b*".utf8))
/// ```
public enum DocumentCheck {
  /// Parses bytes and checks all invariants. Throws a ``Fault`` for the first violation. O(bytes ×
  /// log bytes).
  public static func run(_ bytes: [UInt8], _ options: MarkdownOptions = .standard) throws {
    let document = ParsedDocument(parsing: MarkdownSource(bytes), options: options)
    try map(document)
    try boundaries(document)
    try tree(document)
    try spans(document)
    try parts(document)
    try segments(document)
  }

  static func expect(_ holds: Bool, _ promise: @autoclosure () -> String) throws {
    if !holds { throw Fault(description: promise()) }
  }
}

extension ParsedDocument {
  /// Returns the source of a range, for descriptions and comparisons.
  func slice(_ range: SourceRange) -> String { source.text(in: range) }
}
