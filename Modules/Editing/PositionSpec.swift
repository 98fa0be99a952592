package import MarkdownParse
package import Model

/// A position in a document as a user writes it. It is one of: `12` or `line:12`, a line of the
/// source, from 1; `12:5`, a line and a column; `u16:120`, UTF-16 units of the rendered text; or a
/// SPEC, whose start is the position.
///
/// ```swift
/// let position = try PositionSpec(parsing: "para:3")
/// let offset = try position.resolve(in: document)
/// ```
package struct PositionSpec: Hashable, Sendable {
  private enum Form: Hashable, Sendable {
    case unit(Int)
    case line(LinePosition)
    case passage(SelectionSpec)
  }

  private let form: Form

  /// Creates the position of a UTF-16 unit of the rendered text.
  package init(_ offset: TextOffset) { form = .unit(offset.utf16) }

  /// Parses a position.
  ///
  /// - Throws: ``SelectionSyntaxError`` if the text has none of these forms or a number is out of
  ///   range.
  package init(parsing text: String) throws(SelectionSyntaxError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.map { Int($0) }
    if numbers.count == 1, let line = numbers[0], line > 0 {
      form = .line(LinePosition(line: line, column: 1))
    } else if parts.count == 2, parts[0] == "u16", let unit = numbers[1], unit >= 0 {
      form = .unit(unit)
    } else if parts.count == 2, parts[0] == "line", let line = numbers[1], line > 0 {
      form = .line(LinePosition(line: line, column: 1))
    } else if parts.count == 2, let line = numbers[0], let column = numbers[1], line > 0,
      column > 0
    {
      form = .line(LinePosition(line: line, column: column))
    } else if let spec = try? SelectionSpec(parsing: text), spec.namesItsKind {
      form = .passage(spec)
    } else {
      throw SelectionSyntaxError(
        text, at: 0, "a position is LINE, LINE:COLUMN, u16:N or a SPEC such as para:3")
    }
  }

  /// The passage whose start is the position; nil if the position isn't a SPEC.
  package var passage: SelectionSpec? {
    if case .passage(let spec) = form { spec } else { nil }
  }

  /// Returns the offset in a document's rendered text.
  ///
  /// - Throws: ``SelectionError/notFound(_:)`` if the document has no such position, and the
  ///   errors of ``SelectionSpec/resolve(in:highlight:matches:)`` for a SPEC.
  package func resolve(in document: ParsedDocument) throws(SelectionError) -> TextOffset {
    switch form {
    case .passage(let spec): return try spec.resolve(in: document).lowerBound
    case .unit(let unit):
      guard unit <= document.text.count else {
        throw .notFound("the text ends at \(document.text.count), before \(unit)")
      }
      return TextOffset(utf16: unit)
    case .line(let position):
      guard let byte = document.sourceLines.byte(at: position) else {
        let last = document.sourceLines.count
        throw .notFound(
          position.line > last
            ? "there is no line \(position.line): the last is \(last)"
            : "there is no column \(position.column) in line \(position.line)")
      }
      return document.map.textOffset(ofSource: byte, bias: .trailing)
    }
  }
}
