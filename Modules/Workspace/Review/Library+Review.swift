import Anchoring
package import Editing
import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// A highlight whose place a person should look at, and where it may stand.
package struct ReviewItem: Sendable {
  /// The highlight: doubtful or orphaned.
  package var highlight: Highlight
  /// Its document.
  package var document: Document
  /// Where it may stand, the likeliest first; of a doubtful one, the first is where it is shown.
  package var candidates: [ReviewCandidate]
}

/// A place that a highlight may have.
package struct ReviewCandidate: Hashable, Sendable {
  /// The document that it is in, which may be another one than the highlight's.
  package var document: Document
  /// The place in its rendered text.
  package var range: TextRange
  /// Where that begins in the source.
  package var line: LinePosition
  /// The words there.
  package var words: String
  /// The confidence, 0 … 1.
  package var score: Double
}

extension Library {
  /// The highlights whose places a person should look at, in the order of documents and places,
  /// each with where it may stand. Detached ones are left out.
  ///
  /// - Parameter documents: whose highlights; nil for all.
  /// - Returns: the highlights, and what the check of the files showed.
  package func review(_ documents: [Document]? = nil) throws(UserError)
    -> (items: [ReviewItem], reports: [RefreshReport])
  {
    let reports = try refresh(documents)
    let filter = HighlightFilter(
      documents: documents?.map(\.id), states: [.doubtful, .orphaned])
    let open = try highlights(filter).filter { !$0.isDetached }
    guard !open.isEmpty else { return ([], reports) }
    let search = try candidateSearch()
    var items: [ReviewItem] = []
    for highlight in open {
      guard let home = search.documents.first(where: { $0.id == highlight.document }) else {
        continue
      }
      items.append(
        ReviewItem(
          highlight: highlight, document: home, candidates: try search.candidates(highlight)))
    }
    return (items, reports)
  }

  /// Says that a highlight stands at one of the places that `review` offers: from now on its words
  /// are those there.
  ///
  /// - Parameter number: which candidate, from 1; nil for the only one, or the one where a doubtful
  ///   highlight is shown.
  /// - Throws: `ambiguous` with the places when it must be said which, `nothing` when the highlight
  ///   is sure of its place or there is none for it.
  package func accept(_ highlight: Highlight, candidate number: Int? = nil) throws(UserError)
    -> Highlight
  {
    let chosen = try place(of: highlight, candidate: number)
    return try reattach(highlight, to: chosen.range, in: try current(chosen.document), "accepted")
  }

  /// The place that `accept` would take; it throws as that does.
  package func place(of highlight: Highlight, candidate number: Int? = nil) throws(UserError)
    -> ReviewCandidate
  {
    guard [.doubtful, .orphaned].contains(highlight.anchor.state) else {
      throw .notInDoubt(highlight, hint: "\(command: "hl", "why") shows its place")
    }
    let candidates = try candidateSearch().candidates(highlight)
    guard !candidates.isEmpty else {
      throw UserError(
        .nothing, "no place is known for highlight \(highlight.id)",
        hint:
          "name a passage: \(typed: "anchor", "reattach", .word(highlight.shortID), "SPEC")"
      )
    }
    if number == nil, candidates.count > 1, highlight.anchor.state == .orphaned {
      throw UserError(
        .ambiguous, "\(candidates.count) places fit highlight \(highlight.id)",
        hint: "choose one: --candidate N",
        candidates: candidates.enumerated().map { "\($0 + 1)  \($1.summary)" })
    }
    let chosen = number ?? 1
    guard (1...candidates.count).contains(chosen) else {
      throw UserError(
        .usage, "there is no candidate \(chosen): \(candidates.count) fit",
        hint: "\(command: "anchor", "review") lists them")
    }
    return candidates[chosen - 1]
  }

  /// Says that a highlight's passage is gone: it stays with its quote and note, and is looked for no
  /// more, but returns with a text in which it surely stood.
  ///
  /// - Throws: `nothing` when that was said already, or when the highlight is sure of its place.
  package func detach(_ highlight: Highlight) throws(UserError) -> Highlight {
    guard [.doubtful, .orphaned].contains(highlight.anchor.state) else {
      throw .notInDoubt(
        highlight, hint: "\(command: "highlight", "remove") puts it into the trash")
    }
    return try storage {
      try store.write { transaction in
        guard try transaction.detach(highlight.id) else {
          throw UserError(.nothing, "highlight \(highlight.id) is already marked as gone")
        }
        return try transaction.highlight(highlight.id) ?? highlight
      }
    }
  }

  /// Gives a highlight another passage, in its document or another one; colour, note and tags stay.
  package func reattach(_ highlight: Highlight, to spec: SelectionSpec, in document: Document)
    throws(UserError) -> Highlight
  {
    let reading = try current(document)
    let range = try resolve(spec, in: reading.parsed)
    if highlight.document == document.id, highlight.anchor.range == range,
      highlight.anchor.state == .exact
    {
      throw UserError(.nothing, "highlight \(highlight.id) is already there")
    }
    return try reattach(highlight, to: range, in: reading, "reattached")
  }

  private func reattach(
    _ highlight: Highlight, to range: TextRange, in reading: Reading, _ method: String
  ) throws(UserError) -> Highlight {
    let parsed = reading.parsed
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let selector = Selector(
      selecting: range, in: AnchorText(utf16: parsed.text.utf16), digest: digest,
      renderVersion: ParsedDocument.renderVersion)
    let anchor = parsed.locating(
      Anchor(range: range, state: .exact, score: 1, method: method), in: parsed.sourceLines)
    let document = reading.report.document
    return try storage {
      try store.write { transaction in
        guard try transaction.revision(of: document.id)?.textDigest == digest else {
          throw UserError.changedMeanwhile(document, hint: "review it again")
        }
        try transaction.reattach(highlight.id, to: selector, in: document.id, anchor: anchor)
        return try transaction.highlight(highlight.id) ?? highlight
      }
    }
  }
}

extension Library {
  private func candidateSearch() throws(UserError) -> CandidateSearch {
    CandidateSearch(
      documents: try documents(), store: store, location: location, dialects: dialects,
      anchorer: anchorer)
  }
}

extension ReviewCandidate {
  /// One line: where, how likely, which words.
  package var summary: String {
    "\(document.path.string):\(line.line):\(line.column)  \(Int((score * 100).rounded())) %  "
      + "“\(words.prefix(120))”"
  }
}
