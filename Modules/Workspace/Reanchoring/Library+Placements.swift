import Anchoring
import Files
package import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// The locations of a document's highlights in one text.
struct Placements {
  /// The hash of the text.
  var digest: ContentDigest
  /// The location of every highlight, including those in the trash.
  var anchors: [Highlight.ID: Anchor]
  /// The locations that were already stored for exactly this text.
  var known: [Highlight.ID: Anchor]
  /// The outcome for each highlight that is not in the trash, sorted by its previous location.
  var outcomes: [RefreshReport.Outcome]
  /// The number of formatted passages that lost their certain location.
  var lostFormats: Int
}

extension Library {
  /// Locates a document's highlights in a text. Nothing is stored.
  ///
  /// Every change from an old text to a new one uses this function: refreshing, Diple's own edits,
  /// undo and checks.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - parsed: the new text.
  ///   - knownEdits: the edits that Diple itself made, and the hash of the text to which they
  ///     apply; nil if another program changed the file.
  ///   - before: the text before the change and its hash, if the caller has it.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func placements(
    of document: Document, in parsed: MappedText,
    after knownEdits: (edits: [TextEdit], text: ContentDigest)? = nil,
    from before: (text: AnchorText, digest: ContentDigest)? = nil
  ) throws(UserError) -> Placements {
    let digest = ContentDigest(of: parsed.text)
    let job = try storage {
      try store.read {
        try ReanchorJob(
          document.id, to: digest, renderVersion: ParsedDocument.renderVersion,
          with: before, in: $0)
      }
    }
    let anchors = job.anchors(in: parsed, by: anchorer, after: knownEdits)
    let live = job.highlights.filter { !$0.isTrashed }
    let outcomes = live.lazy.filter { $0.format == nil }.map { highlight in
      RefreshReport.Outcome(
        highlight: highlight.id, name: highlight.shortID, quote: highlight.selector.exact,
        before: highlight.anchor,
        after: anchors[highlight.id] ?? .orphan)
    }
    let lost = live.lazy.filter { passage in
      passage.format != nil && passage.anchor.isSure && anchors[passage.id]?.isSure != true
    }
    return Placements(
      digest: digest, anchors: anchors,
      known: job.known.filter { $1.range?.lies(in: parsed.text.utf16.count) != false },
      outcomes: Array(outcomes), lostFormats: lost.count)
  }

  /// Anchors a document's highlights in its current text and stores the result.
  ///
  /// - Throws: `notFound` if the file does not exist or cannot be read; `damaged` or `conflict` if
  ///   the library cannot be read or written.
  package func anchorAgain(_ document: Document) throws(UserError) {
    let (text, digests) = try currentText(of: document)
    // If a highlight was last located in this same text, its stored copy is not read.
    var places = try placements(of: document, in: text, from: (AnchorText(text), digests.text))
    // If the document had this same text before, the anchors of that time are restored, doubtful
    // ones included.
    let lines = text.sourceLines
    let known = places.known.filter { $0.value.state != .orphaned }
    places.anchors.merge(known.mapValues { text.locating($0, in: lines) }) { $1 }
    let anchors = places.anchors
    let store = store
    try storage {
      guard let revision = try store.read({ try $0.revision(of: document.id) }),
        revision.textDigest == places.digest
      else { return }
      _ = try store.write {
        try $0.replaceRevision(
          of: document.id, expecting: digests.source, with: revision,
          text: text.text.string, anchors: anchors)
      }
    }
  }

  /// Returns a document's current text and releases its blocks and spans.
  private func currentText(of document: Document) throws(UserError)
    -> (text: MappedText, digests: (source: ContentDigest, text: ContentDigest))
  {
    let reading = try current(document)
    return (reading.parsed.mapped, reading.digests)
  }
}

extension ContentDigest {
  /// Computes the digest of a text in UTF-8. A long text isn't encoded as a whole.
  package init(of text: RenderedText) { self.init(sha256Of: text.withUTF8Pieces) }

  /// Computes the digest of a text in UTF-16 units.
  package init(ofUnits units: [UInt16]) {
    self.init(sha256Of: { RenderedText.withUTF8Pieces(of: units, $0) })
  }
}

/// All data for locating the highlights of one document in a new text. It is read in a single
/// transaction, which has ended when the search begins.
///
/// ```swift
/// let job = try store.read {
///   try ReanchorJob(document.id, to: digest, renderVersion: ParsedDocument.renderVersion, in: $0)
/// }
/// let anchors = job.anchors(in: parsed.mapped, by: anchorer)
/// ```
struct ReanchorJob {
  /// The document's highlights and formatted passages, including those in the trash, because they
  /// may be restored.
  let highlights: [Highlight]
  /// The locations that are stored for exactly this text.
  let known: [Highlight.ID: Anchor]
  /// The highlights, grouped by the text in which they were last located.
  private var groups: [Group] = []

  private struct Group {
    var digest: ContentDigest?
    var text: AnchorText?
    var members: [(index: Int, last: TextRange?)]
  }

  /// The maximum number of earlier texts to compare with the new one. Highlights last located in
  /// other texts are located by their quotes.
  private static let snapshotLimit = 4

  /// Reads the data for locating a document's highlights in the text with the given hash.
  ///
  /// - Parameter present: a text that the caller has in memory, and its hash. Its stored copy is
  ///   not read.
  init(
    _ document: Document.ID, to text: ContentDigest, renderVersion: Int,
    with present: (text: AnchorText, digest: ContentDigest)? = nil,
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
    // The text in which most highlights were last located is first.
    for (digest, members) in byText.sorted(by: { $0.value.count > $1.value.count }) {
      if groups.count < Self.snapshotLimit,
        let text = try digest == present?.digest
          ? present?.text : transaction.anchorText(digest, of: document)
      {
        groups.append(
          Group(
            digest: digest, text: text,
            // A location outside of its text is ignored.
            members: members.map { ($0.0, $0.1?.lies(in: text.units.count) == true ? $0.1 : nil) }))
      } else {
        unplaced += members.map { ($0.0, nil) }
      }
    }
    if !unplaced.isEmpty {
      groups.append(Group(digest: nil, text: nil, members: unplaced.map { ($0.0, $0.1) }))
    }
  }

  /// Locates every highlight in the new text.
  ///
  /// - Parameters:
  ///   - parsed: the new text.
  ///   - anchorer: the anchoring strategies.
  ///   - knownEdits: the edits that Diple itself made, and the hash of the text to which they
  ///     apply; nil if another program changed the file.
  func anchors(
    in parsed: MappedText, by anchorer: Anchorer,
    after knownEdits: (edits: [TextEdit], text: ContentDigest)? = nil
  ) -> [Highlight.ID: Anchor] {
    let text = AnchorText(parsed)
    let lines = parsed.sourceLines
    let known = known.filter { $1.range?.lies(in: text.units.count) != false }
    var result: [Highlight.ID: Anchor] = [:]
    // A detached highlight is not searched for, but it is restored in a text in which it was
    // located before.
    for highlight in highlights where highlight.isDetached {
      result[highlight.id] = known[highlight.id] ?? .orphan
    }
    var placed: [Anchorer.Placed] = []
    for group in groups {
      let subjects = group.members.map { member in
        let highlight = highlights[member.index]
        return AnchorSubject(
          selector: highlight.selector, last: member.last, known: known[highlight.id])
      }
      let edits = group.digest == knownEdits?.text ? knownEdits?.edits : nil
      let anchors = anchorer.reanchor(subjects, from: group.text, to: text, edits: edits)
      placed += zip(group.members, anchors).map { member, anchor in
        Anchorer.Placed(
          anchor: anchor, lastText: group.digest, last: member.last,
          isKnown: known[highlights[member.index].id] != nil)
      }
    }
    // An edited highlight may be at a place that certainly belongs to a highlight of another group.
    // It then becomes doubtful.
    let members = groups.flatMap(\.members)
    for (member, placed) in zip(members, Anchorer.doubtingClaimed(placed, in: text)) {
      result[highlights[member.index].id] = parsed.locating(placed.anchor, in: lines)
    }
    return result
  }
}

extension AnchorText {
  /// Creates the anchoring text of a document, with the line starts inside its paragraphs.
  init(_ parsed: MappedText) {
    self.init(utf16: parsed.text.utf16, lineStarts: parsed.lineStarts)
  }

  /// Creates the anchoring text of a stored text, with line starts if its positions are stored.
  init(_ units: [UInt16], positions: [UInt8]?) {
    let starts = positions.map { PositionMap(bytes: $0).lineStarts } ?? []
    self.init(
      utf16: units,
      lineStarts: starts.filter { (1..<units.count).contains($0) && units[$0 - 1] == 32 })
  }
}

extension ReadTransaction {
  /// Returns the anchoring text of an earlier text of a document; nil if it is not stored.
  fileprivate func anchorText(_ digest: ContentDigest, of document: Document.ID) throws
    -> AnchorText?
  {
    try snapshotUnits(digest, of: document).map { AnchorText($0.units, positions: $0.positions) }
  }
}

extension TextRange {
  /// Whether the range ends within a text of `count` UTF-16 units.
  func lies(in count: Int) -> Bool { utf16.upperBound <= count }
}

extension ParsedDocument {
  /// Returns the anchor with the source position of its range.
  package func locating(_ anchor: Anchor, in lines: SourceLines) -> Anchor {
    mapped.locating(anchor, in: lines)
  }
}

extension MappedText {
  /// Returns the anchor with the source position of its range.
  package func locating(_ anchor: Anchor, in lines: SourceLines) -> Anchor {
    guard let range = anchor.range else { return anchor }
    var anchor = anchor
    anchor.line = lines.position(of: map.sourceOffset(of: range.lowerBound, bias: .trailing))
    return anchor
  }
}
