import Anchoring
import MarkdownParse
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
