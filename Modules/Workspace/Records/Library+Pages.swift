import Anchoring
import Editing
import Files
package import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// The state of a document that its page depends on. A page is out of date if its state differs
/// from the current one.
package struct PageState: Hashable, Sendable {
  /// Whether the document is in the library and its file exists.
  package var presence: DocumentState
  /// The digest of the rendered text; nil if there is no text.
  package var text: ContentDigest?
  /// A hash of the highlights, the formatting and the title. It is comparable only within one
  /// process.
  package var marks: Int

  /// The state of a document whose file cannot be read, so that its page is empty.
  package static let unreadable = PageState(presence: .missing, text: nil, marks: 0)

  /// Whether there is a text to show.
  package var isPresent: Bool { presence == .present }
}

/// The current text of a document or an earlier one.
package struct EarlierText: Sendable {
  /// The digest by which the library finds the text.
  package var digest: ContentDigest
  /// The text itself; nil if it must be looked up in the library by its digest.
  package var string: String?

  package init(_ digest: ContentDigest, _ string: String?) {
    (self.digest, self.string) = (digest, string)
  }
}

/// The result of highlighting passages that were selected in an earlier text of the document.
package enum MarkResult: Sendable {
  /// The highlights, and the document including them.
  case made(MarkedPassages)
  /// The text has changed and a passage could not be located with certainty, so nothing was
  /// highlighted. The candidates for that passage follow, most likely first, with the document.
  case unsure([ReviewCandidate], OpenDocument)
}

extension Library {
  /// Returns the state that pages of a document depend on, after checking its file.
  ///
  /// - Returns: nil if the file cannot be read at the moment, for example while it is being
  ///   written.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func pageState(of id: Document.ID) throws(UserError) -> PageState? {
    guard let document = try storage({ try store.read { try $0.document(id) } }),
      document.state != .removed
    else { return PageState(presence: .removed, text: nil, marks: 0) }
    // If the file is missing, `refresh` looks for it at other paths.
    if try refresh([document]).first?.change == .unreadable { return nil }
    return try recordedState(of: document)
  }

  /// Returns the state that pages of a document depend on, from the library alone. The file is not
  /// checked.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func recordedState(of document: Document) throws(UserError) -> PageState {
    let id = document.id
    let (present, text, passages) = try storage {
      try store.read { transaction in
        var filter = HighlightFilter(documents: [id], kind: .all)
        filter.detail = .withoutContext
        return (
          try transaction.document(id), try transaction.revision(of: id)?.textDigest,
          try transaction.highlights(filter)
        )
      }
    }
    let format = try storedFormat(of: document)
    var marks = Hasher()
    marks.combine(present)
    marks.combine(passages.map(withUnsaved))
    marks.combine(format.styles)
    marks.combine(format.defaults)
    marks.combine(format.application)
    marks.combine(format.margins)
    return PageState(
      presence: present?.state ?? .removed, text: text, marks: marks.finalize())
  }

  /// Returns a hash of the data that the list of documents shows. It is comparable only within one
  /// process. O(documents).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func listState() throws(UserError) -> Int {
    try storage { try store.read { try $0.listState() } }
  }

  /// Highlights passages of a document that were selected in an earlier text of it. If the text has
  /// changed, the passages are located in the current text in the same way as highlights.
  ///
  /// - Parameters:
  ///   - ranges: the passages, at least one. Each becomes a highlight, and all of them are one step
  ///     for `undo`.
  ///   - text: the text to which `ranges` refer.
  ///   - template: the colour, note and tags of all the highlights.
  /// - Throws: the same errors as `mark(_:in:)`; `conflict` if the earlier text is not stored;
  ///   `usage` if a range is beyond its text.
  package func mark(
    _ document: Document, _ ranges: [TextRange], madeIn text: EarlierText,
    _ template: MarkRequest
  ) throws(UserError) -> MarkResult {
    let open = try openToMark(document)
    var ranges = ranges
    if open.textDigest != text.digest {
      let places = try carry(ranges, from: text, to: open)
      ranges = []
      for place in places {
        switch place {
        case .sure(let range): ranges.append(range)
        case .unsure(let candidates): return .unsure(candidates, open)
        }
      }
    }
    var passages: [TextRange] = []
    var nothing: UserError?
    for range in ranges {
      var request = template
      request.spec = SelectionSpec(units: try whole(range, in: open.parsed))
      do throws(UserError) {
        let found = try self.passages(of: request, in: open)
        passages += found.filter { !passages.contains($0) }
      } catch {
        // One passage may contain no words, for example only white space. The others are still
        // highlighted.
        guard error.code == .nothing else { throw error }
        nothing = nothing ?? error
      }
    }
    if passages.isEmpty, let nothing { throw nothing }
    return .made(try highlight(passages, as: template, in: open))
  }

  /// Returns the range extended to whole characters.
  ///
  /// - Throws: `usage` if the range is beyond the text.
  package func whole(_ range: TextRange, in parsed: ParsedDocument) throws(UserError) -> TextRange {
    guard range.lies(in: parsed.text.utf16.count) else {
      throw UserError(.usage, "the passage \(range) ends after the end of the text")
    }
    return parsed.wholeGraphemes(range)
  }

  /// The position of a passage of an earlier text in the current one, or the candidates for it.
  private enum CarriedPlace {
    case sure(TextRange)
    case unsure([ReviewCandidate])
  }

  /// Locates passages of an earlier text of a document in its current text.
  ///
  /// - Throws: `conflict` if the earlier text is not stored; `usage` if a range is empty or beyond
  ///   its text.
  private func carry(
    _ ranges: [TextRange], from earlier: EarlierText, to open: OpenDocument
  ) throws(UserError) -> [CarriedPlace] {
    guard let document = open.document else { throw .inNoLibrary() }
    guard let before = try earlierText(earlier, of: document) else {
      throw UserError(
        .conflict, "the text of this selection is no longer stored",
        hint: "select it again")
    }
    let text = AnchorText(utf16: open.parsed.text.utf16)
    let subjects = try ranges.map { (range) throws(UserError) in
      guard range.lies(in: before.units.count), !range.isEmpty else {
        throw UserError(.usage, "the passage \(range) is empty or ends after the text")
      }
      return AnchorSubject(
        selector: Selector(
          selecting: range, in: before, digest: earlier.digest,
          renderVersion: ParsedDocument.renderVersion),
        last: range)
    }
    let lines = open.parsed.sourceLines
    return zip(subjects, anchorer.reanchor(subjects, from: before, to: text)).map { pair in
      let (subject, anchor) = pair
      if let range = anchor.range, anchor.isSure { return .sure(range) }
      let found = anchorer.candidates(for: subject, from: before, to: text, limit: 5)
      return .unsure(
        found.map { candidate in
          let byte = open.parsed.map.sourceOffset(of: candidate.range.lowerBound, bias: .trailing)
          return ReviewCandidate(
            document: document, range: candidate.range, line: lines.position(of: byte),
            words: open.parsed.text.substring(candidate.range), score: candidate.score)
        })
    }
  }

  /// Returns an earlier or the current text of a document; nil if it is no longer stored.
  private func earlierText(_ text: EarlierText, of document: Document) throws(UserError)
    -> AnchorText?
  {
    if let string = text.string { return AnchorText(string) }
    return try storage { try store.read { try $0.snapshot(text.digest, of: document.id) } }
      .map { AnchorText($0) }
  }

  /// Returns the position in a document's current text that corresponds to a position in an earlier
  /// one, for restoring a page's scroll position. It is the start of the line, or of the nearest
  /// line that still exists. If the text is unchanged, it is the same offset.
  ///
  /// - Returns: nil if the earlier text is no longer stored, the offset is beyond it, or none of
  ///   the nearby lines was found.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func place(
    _ offset: TextOffset, in text: EarlierText, ofTextNow open: OpenDocument
  ) throws(UserError) -> TextOffset? {
    guard let document = open.document else { return nil }
    if open.textDigest == text.digest { return offset }
    guard let before = try earlierText(text, of: document), offset.utf16 <= before.units.count
    else { return nil }
    let units = before.units
    // The lines around the position, nearest first, because some of them may have been deleted.
    var ranges: [TextRange] = []
    var (start, end) = (offset.utf16, offset.utf16)
    while ranges.count < Self.linesAround, start > 0 || end < units.count {
      if end < units.count {
        let first = end
        while end < units.count, units[end] != 10 { end += 1 }
        let line = first..<min(end, first + Self.longestLine)
        if line.count > 2 { ranges.append(TextRange(utf16: line)) }
        end = min(end + 1, units.count)
      }
      if start > 0 {
        let last = start
        start -= 1
        while start > 0, units[start - 1] != 10 { start -= 1 }
        let line = start..<min(last, start + Self.longestLine)
        if line.count > 2 { ranges.append(TextRange(utf16: line)) }
      }
    }
    let subjects = ranges.map {
      AnchorSubject(
        selector: Selector(
          selecting: $0, in: before, digest: text.digest,
          renderVersion: ParsedDocument.renderVersion),
        last: $0)
    }
    let anchors = anchorer.reanchor(
      subjects, from: before, to: AnchorText(utf16: open.parsed.text.utf16))
    return anchors.first(where: \.isSure)?.range?.lowerBound
  }

  /// The number of lines around a position that are located, and the number of UTF-16 units used of
  /// each.
  private static let linesAround = 12
  private static let longestLine = 200
}
