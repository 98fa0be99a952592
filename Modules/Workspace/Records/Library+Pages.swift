import Anchoring
import Editing
import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// What a page that shows a document must be told of: when a part of this is different, the page is out
/// of date.
package struct PageState: Hashable, Sendable {
  /// Whether the document is in the library, and its file there.
  package var presence: DocumentState
  /// The hash of the text.
  package var text: ContentDigest?
  /// Stands for the highlights, the format and the title; equal in one process only.
  package var marks: Int

  /// That of a document whose file cannot be read: there is nothing to show of it.
  package static let unreadable = PageState(presence: .missing, text: nil, marks: 0)

  /// Whether there is something to show.
  package var isPresent: Bool { presence == .present }
}

/// A text that a document has or had.
package struct EarlierText: Sendable {
  /// Its hash.
  package var digest: ContentDigest
  /// The text itself; nil where only the library may still have it.
  package var string: String?

  /// Makes one of its parts.
  package init(_ digest: ContentDigest, _ string: String?) {
    (self.digest, self.string) = (digest, string)
  }
}

/// What came of marking passages of a text that need not be the document's newest.
package enum CarriedMark: Sendable {
  /// Highlights, and the document with them.
  case made([Highlight], OpenDocument)
  /// The text changed, and a passage has no sure place in the new one: nothing was marked. Where it may
  /// stand, the likeliest first.
  case unsure([ReviewCandidate], OpenDocument)
}

extension Library {
  /// What pages of a document must be told of. The file is looked at first.
  ///
  /// - Returns: nil for a file that cannot be read now, such as one that is just being written.
  package func pageState(of id: Document.ID) throws(UserError) -> PageState? {
    guard let document = try storage({ try store.read { try $0.document(id) } }),
      document.state != .removed
    else { return PageState(presence: .removed, text: nil, marks: 0) }
    // One that is gone may be found elsewhere.
    if try refresh([document]).first?.change == .unreadable { return nil }
    return try standingState(of: document)
  }

  /// The same as the library has it: no file is looked at.
  package func standingState(of document: Document) throws(UserError) -> PageState {
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

  /// Stands for what a list of the documents shows; equal in one process only. O(documents).
  package func listState() throws(UserError) -> Int {
    try storage { try store.read { try $0.listState() } }
  }

  /// Marks passages of a document as they stood in one of its texts. Where its text is another by now,
  /// each is looked for in that as a highlight would be.
  ///
  /// - Parameters:
  ///   - ranges: the passages, at least one; each becomes a highlight, and all of them are one step for
  ///     `undo`.
  ///   - text: the one that they stand in.
  ///   - template: the colour, the note and the tags of all of them.
  /// - Throws: as `mark` does, and `conflict` when that text is no longer known.
  package func mark(
    _ document: Document, _ ranges: [TextRange], madeIn text: EarlierText,
    _ template: MarkRequest
  ) throws(UserError) -> CarriedMark {
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
        // Of several passages one may have no words.
        guard error.code == .nothing else { throw error }
        nothing = nothing ?? error
      }
    }
    if passages.isEmpty, let nothing { throw nothing }
    let (made, marked) = try highlight(passages, as: template, in: open)
    return .made(made, marked)
  }

  /// A passage that divides no character.
  func whole(_ range: TextRange, in parsed: ParsedDocument) throws(UserError) -> TextRange {
    guard range.lies(in: parsed.text.utf16.count) else {
      throw UserError(.usage, "the passage \(range) is beyond its text")
    }
    return parsed.wholeGraphemes(range)
  }

  /// Where a passage of an earlier text stands.
  private enum CarriedPlace {
    case sure(TextRange)
    case unsure([ReviewCandidate])
  }

  /// Finds passages of an earlier text of a document in its present one.
  private func carry(
    _ ranges: [TextRange], from earlier: EarlierText, to open: OpenDocument
  ) throws(UserError) -> [CarriedPlace] {
    guard let document = open.document else { throw .inNoLibrary() }
    guard let before = try earlierText(earlier, of: document) else {
      throw UserError(
        .conflict, "the text in which this was selected is no longer known",
        hint: "select it again")
    }
    let text = AnchorText(utf16: open.parsed.text.utf16)
    let subjects = try ranges.map { (range) throws(UserError) in
      guard range.lies(in: before.units.count), !range.isEmpty else {
        throw UserError(.usage, "the passage \(range) is beyond its text")
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

  /// A text that a document had, or has; nil where it is not kept any more.
  private func earlierText(_ text: EarlierText, of document: Document) throws(UserError)
    -> AnchorText?
  {
    if let string = text.string { return AnchorText(string) }
    return try storage { try store.read { try $0.snapshot(text.digest, of: document.id) } }
      .map { AnchorText($0) }
  }

  /// Where a place of an earlier text of a document is in its present one: for the reading place of a
  /// page. It is the beginning of the line, or of the nearest one that is still there.
  ///
  /// - Returns: nil when that text is not kept any more, or has no such place.
  package func place(
    _ offset: TextOffset, in text: EarlierText, ofTextNow open: OpenDocument
  ) throws(UserError) -> TextOffset? {
    guard let document = open.document else { return nil }
    if open.textDigest == text.digest { return offset }
    guard let before = try earlierText(text, of: document), offset.utf16 <= before.units.count
    else { return nil }
    let units = before.units
    // The lines around the place, the nearest first: some of them may have been taken out.
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

  /// How many lines around a place are looked for, and how much of each.
  private static let linesAround = 12
  private static let longestLine = 200
}
