import MarkdownParse
import Model

/// How a replacement is written: at which of its places, and with which backslashes.
struct Writing: Hashable, Sendable {
  /// An index into the places of the replacement.
  var place: Int
  /// What stands there in the source.
  var text: String
}

/// Replacements that are tried on a document, or on a piece of one.
struct ReplaceTrial {
  /// What came of them.
  struct Outcome {
    var patch: SourcePatch
    var document: ParsedDocument
    var edits: [TextEdit]
    /// Nil when all is as expected.
    var failure: ReplaceCheck.Failure?
  }

  /// What is changed.
  let document: ParsedDocument
  /// What is wanted in it.
  let wanted: [TextEdit]
  private let places: [[SourceRange]]

  init(_ document: ParsedDocument, _ wanted: [TextEdit]) {
    self.document = document
    self.wanted = wanted
    places = wanted.map { document.places(of: $0.range) }
  }

  /// How many places a replacement has; none where it cannot be made.
  func placeCount(_ index: Int) -> Int { places[index].count }

  /// Makes the replacements that have a writing. O(document).
  func outcome(_ writings: [Writing?]) -> Outcome {
    let made = wanted.indices.filter { index in
      guard let writing = writings[index] else { return false }
      return writing.place < places[index].count
    }
    let edits = ReplaceEdits(made.map { wanted[$0] }, in: document)
    let sources = zip(made, edits.inLeaves).map { (index: Int, edit: TextEdit) -> SourceEdit in
      let writing = writings[index]!
      let range =
        edit.range == wanted[index].range
        ? places[index][writing.place] : source(of: edit.range, or: places[index][writing.place])
      return SourceEdit(range: range, replacement: writing.text)
    }
    let patch = SourcePatch(sources, of: document.source)
    let after = ParsedDocument(
      parsing: MarkdownSource(patch.applied(to: document.source.bytes)), options: document.options)
    return Outcome(
      patch: patch, document: after, edits: edits.inText,
      failure: ReplaceCheck(document, after, edits).failure)
  }

  /// The source of words that are removed with the blanks, or the line's end, beside them.
  private func source(of range: TextRange, or words: SourceRange) -> SourceRange {
    let pieces = document.map.source(of: range)
    guard let first = pieces.first, let last = pieces.last else { return words }
    // Only a line's end has something else behind or before it: blanks, and the markers of quotes.
    let hull = first.bytes.lowerBound..<last.bytes.upperBound
    let hasLineEnd = document.source.bytes[hull].contains { $0 == 10 || $0 == 13 }
    return pieces.count == 1 || hasLineEnd ? SourceRange(bytes: hull) : words
  }
}

extension ParsedDocument {
  /// Where a range can be replaced in the source, in the order in which it is tried; nowhere when it
  /// lies across markup, or holds what merely separates.
  func places(of range: TextRange) -> [SourceRange] {
    if range.isEmpty { return places(at: range.lowerBound) }
    let source = map.source(of: range)
    return source.count == 1 && !hasSeparator(range) ? source : []
  }

  /// Where text can be put at a place of the rendered text: on the line that it is on, and inside of
  /// a span that ends there rather than behind it. Places in order have sources in order.
  private func places(at offset: TextOffset) -> [SourceRange] {
    let text = text.utf16
    func endsLine(_ offset: Int) -> Bool {
      !text.indices.contains(offset) || text[offset] == 10 || text[offset] == 9
    }
    func place(_ bias: SourceMap.Bias) -> SourceRange {
      let byte = map.sourceOffset(of: offset, bias: bias)
      return SourceRange(bytes: byte..<byte)
    }
    switch (endsLine(offset.utf16 - 1), endsLine(offset.utf16)) {
    case (true, false): return [place(.trailing)]
    case (false, true): return [place(.leading)]
    case (false, false):
      let places = [place(.leading), place(.trailing)]
      return places[0] == places[1] ? [places[0]] : places
    case (true, true):
      // An empty line of a code block has its line feed in the source; an empty block has nothing.
      let next = TextRange(utf16: offset.utf16..<min(offset.utf16 + 1, text.count))
      return map.source(of: next).isEmpty ? [] : [place(.trailing)]
    }
  }

  /// Whether a range holds what merely stands between two blocks or cells.
  func hasSeparator(_ range: TextRange) -> Bool {
    range.utf16.contains { offset in
      (text.utf16[offset] == 10 || text.utf16[offset] == 9)
        && map.source(of: TextRange(utf16: offset..<offset + 1)).isEmpty
    }
  }
}
