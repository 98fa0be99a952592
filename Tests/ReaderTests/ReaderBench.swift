import Editing
import Foundation
import MarkdownParse
import Model
import Reader
import Rendering
import Testing

/// A reader whose keys and mouse a test operates, and whose screen it inspects.
final class ReaderBench {
  var reader: Reader
  var effects: [Reader.Effect] = []
  var time = 0.0

  init(
    _ markdown: String, highlights: [(String, HighlightColor)] = [], columns: Int = 60,
    rows: Int = 12, color: ColorMode = .ansi16, canMark: Bool = true,
    typed: [String] = [], head: [String] = []
  ) {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    let marks = highlights.enumerated().map { index, highlight in
      ReaderHighlight(
        id: .number(index + 1), range: document.range(of: highlight.0), color: highlight.1,
        state: document.range(of: highlight.0) == nil ? .orphaned : .exact, quote: highlight.0,
        name: "\(index + 1)")
    }
    let text = ReaderText(
      document: document, highlights: marks, title: "essay.md", canMark: canMark, head: head)
    reader = Reader(
      text, columns: columns, rows: rows, options: Reader.Options(color: color),
      typed: typed
    ) { query, text in
      // A literal search in the requested part of the text.
      let letters = Array(query.utf16)
      var found: [TextRange] = []
      var place = 0
      while place + letters.count <= text.count {
        let end = place + letters.count
        let isMatch = text[place..<end].elementsEqual(letters)
        if isMatch { found.append(TextRange(utf16: place..<end)) }
        place = isMatch ? end : place + 1
      }
      return found
    }
  }

  /// Sends input to the reader: each character of a string, a key, or any event.
  func press(_ keys: Any...) {
    for key in keys {
      switch key {
      case let text as String:
        for character in text { take(.key(.character(character))) }
      case let key as InputEvent.Key: take(.key(key))
      case let event as InputEvent: take(event)
      default: Issue.record("\(key) is not a key")
      }
    }
  }

  func control(_ character: Character) { take(.key(.character(character), .control)) }

  /// Lets the reader's deadline pass, and returns the effects.
  func tick() -> [Reader.Effect] { reader.handle(.tick, at: reader.deadline ?? time) }

  func take(_ event: InputEvent) { effects += reader.handle(.input(event), at: time) }

  /// Sends a mouse event at the beginning of a text on the screen.
  func mouse(
    _ action: InputEvent.Mouse.Action, _ text: String, after: Double = 0, offset: Int = 0,
    button: InputEvent.Mouse.Button = .left, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    time += after
    let place = try #require(self.place(of: text), sourceLocation: sourceLocation)
    take(
      .mouse(.init(action, button, at: .init(row: place.row, column: place.column + offset))))
  }

  func click(_ text: String, after: Double = 1, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    try mouse(.press, text, after: after, sourceLocation: sourceLocation)
    try mouse(.release, text, after: 0.05, sourceLocation: sourceLocation)
  }

  var lines: [String] {
    let screen = reader.screen()
    return (0..<screen.rows).map { screen.text(ofRow: $0) }
  }

  var status: String { lines.last ?? "" }

  func place(of text: String) -> Screen.Position? {
    for (row, line) in lines.enumerated() {
      if let found = line.firstRange(of: text) {
        return Screen.Position(row: row, column: displayWidth(of: line[..<found.lowerBound]))
      }
    }
    return nil
  }

  var selected: String { reader.text.document.text.substring(reader.selection.range) }

  /// The text from the caret to the end of its line.
  var atCaret: String {
    let text = reader.text.document.text
    let start = reader.selection.head.utf16
    return String(
      text.substring(TextRange(utf16: start..<text.count)).prefix { !$0.isNewline })
  }

  /// Returns the style of the cell at the beginning of a text.
  func paint(_ text: String) -> String? {
    place(of: text).map { reader.screen()[$0.row, $0.column].paint }
  }
}

extension String {
  /// The text without trailing blanks.
  var trimmed: Substring {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension ParsedDocument {
  func range(of words: String) -> TextRange? { occurrences(of: words).first }
}

extension Highlight.ID {
  /// Returns the id of the highlight that Diple shows with this number.
  static func number(_ sequence: Int) -> Highlight.ID {
    Highlight.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: Int64(sequence)))
  }
}
