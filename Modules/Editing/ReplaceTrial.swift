import MarkdownParse
import Model

/// How to write a replacement: its position in the source, and its text with backslashes.
struct Writing: Hashable, Sendable {
  /// An index into the possible source ranges of the replacement.
  var place: Int
  /// The source text to insert.
  var text: String
}

/// A set of replacements to try on a document or a piece of one.
struct ReplaceTrial {
  /// The result of a trial.
  struct Outcome {
    var patch: SourcePatch
    var document: ParsedDocument
    var edits: [TextEdit]
    /// The unexpected difference, or nil if the result is as expected.
    var failure: ReplaceCheck.Failure?
  }

  /// The document to change.
  let document: ParsedDocument
  /// The requested replacements, sorted and disjoint.
  let wanted: [TextEdit]
  private let places: [[SourceRange]]

  init(_ document: ParsedDocument, _ wanted: [TextEdit]) {
    self.document = document
    self.wanted = wanted
    places = wanted.map { document.places(of: $0.range) }
  }

  /// Returns the number of source ranges at which a replacement can be made; 0 if it can't be made.
  func placeCount(_ index: Int) -> Int { places[index].count }

  /// Makes the replacements whose writing isn't nil. O(document).
  func outcome(_ writings: [Writing?]) -> Outcome {
    let (patch, edits) = changes(writings)
    let after = ParsedDocument(
      parsing: MarkdownSource(patch.applied(to: document.source.bytes)), options: document.options)
    return Outcome(
      patch: patch, document: after, edits: edits.inText,
      failure: ReplaceCheck(ReplaceOutline(document), ReplaceOutline(after), edits).failure)
  }

  /// Returns the changes of the source and of the text by the replacements whose writing isn't nil.
  func changes(_ writings: [Writing?]) -> (patch: SourcePatch, edits: ReplaceEdits) {
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
    return (SourcePatch(sources, of: document.source), edits)
  }

  /// Returns the source range of words together with the white space or line end next to them,
  /// which is removed with the words. Returns `words` if the larger range isn't contiguous.
  private func source(of range: TextRange, or words: SourceRange) -> SourceRange {
    let pieces = document.map.source(of: range)
    guard let first = pieces.first, let last = pieces.last else { return words }
    // Only a line end has source bytes between the pieces: spaces and quote markers.
    let hull = first.bytes.lowerBound..<last.bytes.upperBound
    let hasLineEnd = document.source.bytes[hull].contains { $0 == 10 || $0 == 13 }
    return pieces.count == 1 || hasLineEnd ? SourceRange(bytes: hull) : words
  }
}

extension ParsedDocument {
  /// Returns the source ranges at which a range can be replaced, in the order in which to try them.
  /// Empty if the range crosses markup or contains a separator between blocks.
  func places(of range: TextRange) -> [SourceRange] {
    if range.isEmpty { return places(at: range.lowerBound) }
    let source = map.source(of: range)
    return source.count == 1 && !hasSeparator(range) ? source : []
  }

  /// Returns the source positions at which text can be inserted. They are on the line of the
  /// offset, and before the closing delimiter of a span that ends there. Ascending offsets have
  /// ascending positions.
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
      // An empty line of a code block has a line feed in the source. An empty block has none, so
      // nothing can be inserted.
      let next = TextRange(utf16: offset.utf16..<min(offset.utf16 + 1, text.count))
      return map.source(of: next).isEmpty ? [] : [place(.trailing)]
    }
  }

  /// Returns whether a range contains a separator between two blocks or cells, which has no source.
  func hasSeparator(_ range: TextRange) -> Bool {
    range.utf16.contains { offset in
      (text.utf16[offset] == 10 || text.utf16[offset] == 9)
        && map.source(of: TextRange(utf16: offset..<offset + 1)).isEmpty
    }
  }
}
