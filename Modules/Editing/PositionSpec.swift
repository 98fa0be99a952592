package import MarkdownParse
package import Model

/// What a person writes to name one place of a document: `120` or `u16:120` (UTF-16 units of the
/// rendered text) or `12:5` (line and column of the source, from 1).
package struct PositionSpec: Hashable, Sendable {
  private enum Form: Hashable, Sendable {
    case unit(Int)
    case line(LinePosition)
  }

  private let form: Form

  /// Reads a position.
  ///
  /// - Throws: `SelectionSyntaxError`, with the cause.
  package init(parsing text: String) throws(SelectionSyntaxError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1, let unit = Int(text), unit >= 0 {
      form = .unit(unit)
    } else if parts.count == 2, parts[0] == "u16", let unit = Int(parts[1]), unit >= 0 {
      form = .unit(unit)
    } else if parts.count == 2, let line = Int(parts[0]), let column = Int(parts[1]), line > 0,
      column > 0
    {
      form = .line(LinePosition(line: line, column: column))
    } else {
      throw SelectionSyntaxError(
        text, at: 0, "a position is LINE:COLUMN, or a number of UTF-16 units")
    }
  }

  /// The place in a document's rendered text.
  package func resolve(in document: ParsedDocument) throws(SelectionError) -> TextOffset {
    switch form {
    case .unit(let unit):
      guard unit <= document.text.count else {
        throw .outOfBounds("the text ends at \(document.text.count), before \(unit)")
      }
      return TextOffset(utf16: unit)
    case .line(let position):
      guard let byte = document.sourceLines.byte(at: position) else {
        throw .outOfBounds("the document has no place \(position.line):\(position.column)")
      }
      return document.map.textOffset(ofSource: byte, bias: .trailing)
    }
  }
}
