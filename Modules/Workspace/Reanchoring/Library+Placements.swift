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
    let reading = try current(document)
    var places = try placements(of: document, in: reading.parsed.mapped)
    // If the document had this same text before, the anchors of that time are restored, doubtful
    // ones included.
    let lines = reading.parsed.sourceLines
    let known = places.known.filter { $0.value.state != .orphaned }
    places.anchors.merge(known.mapValues { reading.parsed.locating($0, in: lines) }) { $1 }
    let anchors = places.anchors
    let store = store
    try storage {
      guard let revision = try store.read({ try $0.revision(of: document.id) }),
        revision.textDigest == places.digest
      else { return }
      _ = try store.write {
        try $0.replaceRevision(
          of: document.id, expecting: reading.digests.source, with: revision,
          text: reading.parsed.text.string, anchors: anchors)
      }
    }
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
