import Anchoring
import Files
import MarkdownParse
import Model
import Storage
import SystemSupport

/// Where a document's highlights stand in one text.
struct Placements {
  /// The hash of the text.
  var digest: ContentDigest
  /// The place of every highlight, those in the trash too.
  var anchors: [Highlight.ID: Anchor]
  /// The places that were on record for exactly this text.
  var known: [Highlight.ID: Anchor]
  /// What became of each live highlight, in the order of their places before.
  var outcomes: [RefreshReport.Outcome]
  /// How many formatted passages had a sure place, and have none now.
  var lostFormats: Int
}

extension Library {
  /// Finds a document's highlights in a text: the only way from an old text to a new one, for a
  /// look at a file, for what Diple writes itself, for undo and for checks. Nothing is stored.
  ///
  /// - Parameter own: what Diple itself changed, and the hash of the text in which; nil when another
  ///   program did it.
  func placements(
    of document: Document, in parsed: ParsedDocument,
    after own: (edits: [TextEdit], text: ContentDigest)? = nil
  ) throws(UserError) -> Placements {
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let job = try storage {
      try store.read {
        try ReanchorJob(
          document.id, to: digest, renderVersion: ParsedDocument.renderVersion, in: $0)
      }
    }
    let anchors = job.anchors(in: parsed, by: anchorer, after: own)
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
}
