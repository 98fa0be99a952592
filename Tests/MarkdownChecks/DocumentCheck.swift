public import MarkdownParse
import Model

/// A promise of the parser that a document breaks.
public struct Fault: Error, CustomStringConvertible {
  /// Which one, and where.
  public var description: String
}

/// Checks what `ParsedDocument` promises for any bytes whatsoever.
public enum DocumentCheck {
  /// Parses some bytes and checks every promise; throws a `Fault` for the first broken one.
  /// O(bytes × log bytes).
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
  /// The bytes of a range as text, for a fault's description and for comparisons.
  func slice(_ range: SourceRange) -> String { source.text(in: range) }
}
