import Anchoring
package import Editing
import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// A highlight that the user should review, with the candidates for its position.
///
/// ```swift
/// let (items, _) = try await library.review()
/// for item in items {
///   let paths = ShownPaths(library.location)
///   print(item.highlight.shortID, item.candidates.first?.summary(paths) ?? "no candidate")
/// }
/// ```
package struct ReviewItem: Sendable {
  /// The highlight. Its anchor is doubtful or orphaned.
  package var highlight: Highlight
  package var document: Document
  /// The candidates, most likely first. For a doubtful highlight, the first is its present range.
  package var candidates: [ReviewCandidate]
}

/// A passage to which a highlight may belong.
package struct ReviewCandidate: Hashable, Sendable {
  /// The document that contains the passage. It may differ from the highlight's document.
  package var document: Document
  /// The range of the passage in the rendered text.
  package var range: TextRange
  /// The position of the passage's start in the Markdown source.
  package var line: LinePosition
  /// The text of the passage.
  package var words: String
  /// The confidence, 0 … 1.
  package var score: Double
}

extension Library {
  /// Returns the highlights that the user should review, in the order of documents and positions,
  /// each with its candidates. Detached highlights are omitted.
  ///
  /// - Parameter documents: the documents whose highlights to return; nil for all.
  /// - Returns: the highlights, and the reports of checking the files.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
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

  /// Returns the candidates for a highlight's position, as `review` returns them.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func candidates(for highlight: Highlight) throws(UserError) -> [ReviewCandidate] {
    try candidateSearch().candidates(highlight)
  }

  /// Returns the first of the candidates that `candidates(for:)` returns, or nil if there is none.
  /// It reads other documents only if the highlight's own one has no probable passage.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func likeliestPlace(of highlight: Highlight) throws(UserError) -> ReviewCandidate? {
    try candidateSearch().likeliest(highlight)
  }

  /// Moves a highlight to one of the candidates that `review` returns. The text there becomes its
  /// quote.
  ///
  /// - Parameter number: the number of the candidate, from 1. Nil chooses the only candidate, or
  ///   the present range of a doubtful highlight.
  /// - Throws: `ambiguous`, with the candidates, if `number` is nil and an orphan has several;
  ///   `nothing` if the highlight is not in doubt or has no candidate; `usage` if no candidate has
  ///   the number; `conflict` if the file changed at the same time.
  package func accept(_ highlight: Highlight, candidate number: Int? = nil) throws(UserError)
    -> Highlight
  {
    let chosen = try place(of: highlight, candidate: number)
    return try reattach(highlight, to: chosen.range, in: try current(chosen.document), "accepted")
  }

  /// Returns the candidate that `accept` would choose.
  ///
  /// - Throws: `ambiguous`, `nothing` or `usage`, for the same reasons as `accept`.
  package func place(of highlight: Highlight, candidate number: Int? = nil) throws(UserError)
    -> ReviewCandidate
  {
    if highlight.isTrashed { throw .trashed(highlight) }
    guard [.doubtful, .orphaned].contains(highlight.anchor.state) else {
      throw .notInDoubt(
        highlight,
        remedy: .action(
          "highlight.explain",
          ["highlight": .record(highlight.id.description, name: highlight.shortID)]))
    }
    let candidates = try candidateSearch().candidates(highlight)
    guard !candidates.isEmpty else {
      throw UserError(
        .nothing, "no place is known for highlight \(highlight.shortID)",
        hint:
          """
          name a passage: \(unquoted: "highlight.reattach", [
            "highlight": .record(highlight.id.description, name: highlight.shortID),
            "passage": .asked("spec"),
          ])
          """
      )
    }
    if number == nil, candidates.count > 1, highlight.anchor.state == .orphaned {
      let paths = ShownPaths(location)
      throw UserError(
        .ambiguous, "\(candidates.count) places match highlight \(highlight.shortID)",
        hint: "choose one: --candidate N",
        candidates: candidates.enumerated().map { "\($0 + 1)  \($1.summary(paths))" })
    }
    let chosen = number ?? 1
    guard (1...candidates.count).contains(chosen) else {
      throw UserError(
        .usage, "there is no candidate \(chosen): the last is \(candidates.count)",
        remedy: .action("highlight.review", [:]))
    }
    return candidates[chosen - 1]
  }

  /// Detaches a highlight from its document because its passage was deleted. The highlight keeps
  /// its quote and note and is no longer searched for. It is attached again if the document returns
  /// to a text in which its position is known with certainty.
  ///
  /// - Throws: `nothing` if the highlight is already detached, or its position is not in doubt;
  ///   `notFound` if it is in the trash.
  package func detach(_ highlight: Highlight) throws(UserError) -> Highlight {
    if highlight.isTrashed { throw .trashed(highlight) }
    guard [.doubtful, .orphaned].contains(highlight.anchor.state) else {
      throw .notInDoubt(
        highlight,
        remedy: .action(
          "highlight.remove",
          ["highlights": .records([highlight.id.description], names: [highlight.shortID])]))
    }
    return try storage {
      try store.write { transaction in
        try transaction.requireKept(highlight.id)
        guard try transaction.detach(highlight.id) else {
          throw UserError(.nothing, "highlight \(highlight.shortID) is already marked as gone")
        }
        return try transaction.highlight(highlight.id) ?? highlight
      }
    }
  }

  /// Moves a highlight to another passage, in its document or in another one. Its colour, note and
  /// tags are kept.
  ///
  /// - Throws: `nothing` if the highlight is already there; `notFound` if it is in the trash;
  ///   `conflict` if the file changed at the same time; the errors of `select(_:in:)` if `spec`
  ///   does not resolve.
  package func reattach(_ highlight: Highlight, to spec: SelectionSpec, in document: Document)
    throws(UserError) -> Highlight
  {
    if highlight.isTrashed { throw .trashed(highlight) }
    let reading = try current(document)
    let range = try resolve(spec, in: reading.parsed)
    try Self.requireShort([range])
    if highlight.document == document.id, highlight.anchor.range == range,
      highlight.anchor.state == .exact
    {
      throw UserError(.nothing, "highlight \(highlight.shortID) is already at this place")
    }
    return try reattach(highlight, to: range, in: reading, "reattached")
  }

  private func reattach(
    _ highlight: Highlight, to range: TextRange, in reading: CheckedDocument, _ method: String
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
          throw UserError.changedMeanwhile(document, hint: "review the highlight again")
        }
        try transaction.requireKept(highlight.id)
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
  /// The candidate in one line: position, score in percent, and the first 120 characters of its
  /// text.
  package func summary(_ paths: ShownPaths) -> String {
    "\(paths.name(document.path)):\(line.line):\(line.column)  \(Int((score * 100).rounded())) %  "
      + "“\(words.prefix(120))”"
  }
}
