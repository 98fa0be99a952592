import Anchoring
import MarkdownParse
import Model
import Storage
import SystemSupport

/// All that is needed to find the highlights of one document in its new text, read from the store
/// in one transaction, so that the finding itself holds none open.
struct ReanchorJob {
  /// The document's highlights and formatted passages, those in the trash too: they may be restored.
  let highlights: [Highlight]
  /// The places that are on record for exactly this text.
  let known: [Highlight.ID: Anchor]
  /// The highlights by the text in which they were last placed, with their places there.
  private var groups: [Group] = []

  private struct Group {
    var digest: ContentDigest?
    var text: AnchorText?
    var members: [(index: Int, last: TextRange?)]
  }

  /// How many different earlier texts are compared with the new one; highlights that were last
  /// placed in still others are found by their quotes.
  private static let snapshotLimit = 4

  /// Reads what is needed to find a document's highlights in the text with a hash.
  init(
    _ document: Document.ID, to text: ContentDigest, renderVersion: Int,
    in transaction: ReadTransaction
  ) throws {
    highlights = try transaction.highlights(
      HighlightFilter(documents: [document], trash: .included, kind: .all))
    known = try transaction.anchors(of: document, in: text, renderVersion: renderVersion)
    let placed = try transaction.lastPlaced(of: document)
    var byText: [ContentDigest: [(Int, TextRange?)]] = [:]
    var unplaced: [(Int, TextRange?)] = []
    for (index, highlight) in highlights.enumerated() where !highlight.isDetached {
      if let last = placed[highlight.id] {
        byText[last.text, default: []].append((index, last.range))
      } else {
        unplaced.append((index, nil))
      }
    }
    // The text that most highlights were last seen in comes first.
    for (digest, members) in byText.sorted(by: { $0.value.count > $1.value.count }) {
      if groups.count < Self.snapshotLimit,
        let stored = try transaction.snapshotWithPositions(digest, of: document)
      {
        let text = AnchorText(stored.text, positions: stored.positions)
        groups.append(
          Group(
            digest: digest, text: text,
            // A place beyond its text is none.
            members: members.map { ($0.0, $0.1?.lies(in: text.units.count) == true ? $0.1 : nil) }))
      } else {
        unplaced += members.map { ($0.0, nil) }
      }
    }
    if !unplaced.isEmpty {
      groups.append(Group(digest: nil, text: nil, members: unplaced.map { ($0.0, $0.1) }))
    }
  }

  /// The place of every highlight in the new text.
  ///
  /// - Parameter own: what Diple itself changed, and in which text; nil when another program did it.
  func anchors(
    in parsed: ParsedDocument, by anchorer: Anchorer,
    after own: (edits: [TextEdit], text: ContentDigest)? = nil
  ) -> [Highlight.ID: Anchor] {
    let text = AnchorText(parsed)
    let lines = parsed.sourceLines
    let known = known.filter { $1.range?.lies(in: text.units.count) != false }
    var result: [Highlight.ID: Anchor] = [:]
    // What is detached is not looked for, but returns with a text in which it stood.
    for highlight in highlights where highlight.isDetached {
      result[highlight.id] = known[highlight.id] ?? .orphan
    }
    for group in groups {
      let subjects = group.members.map { member in
        let highlight = highlights[member.index]
        return AnchorSubject(
          selector: highlight.selector, last: member.last, known: known[highlight.id])
      }
      let edits = group.digest == own?.text ? own?.edits : nil
      let anchors = anchorer.reanchor(subjects, from: group.text, to: text, edits: edits)
      for (member, anchor) in zip(group.members, anchors) {
        result[highlights[member.index].id] = parsed.locating(anchor, in: lines)
      }
    }
    return result
  }
}

extension AnchorText {
  /// The text of a document, with the lines of its paragraphs.
  init(_ parsed: ParsedDocument) {
    self.init(utf16: parsed.text.utf16, lineStarts: parsed.lineStarts)
  }

  /// A text that was kept, with the lines of its paragraphs where its positions are kept too.
  init(_ text: String, positions: [UInt8]?) {
    let units = Array(text.utf16)
    let starts = positions.map { PositionMap(bytes: $0).lineStarts } ?? []
    self.init(
      utf16: units,
      lineStarts: starts.filter { (1..<units.count).contains($0) && units[$0 - 1] == 32 })
  }
}

extension TextRange {
  /// Whether it ends within a text of so many units.
  func lies(in count: Int) -> Bool { utf16.upperBound <= count }
}

extension ParsedDocument {
  /// The anchor with the source position of its place.
  func locating(_ anchor: Anchor, in lines: SourceLines) -> Anchor {
    guard let range = anchor.range else { return anchor }
    var anchor = anchor
    anchor.line = lines.position(of: map.sourceOffset(of: range.lowerBound, bias: .trailing))
    return anchor
  }
}
