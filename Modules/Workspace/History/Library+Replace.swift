import Anchoring
package import Editing
import Files
import MarkdownParse
package import Model
package import Search
import Storage
package import SystemSupport

/// A request to replace text in documents.
///
/// ```swift
/// var request = ReplaceRequest(try SearchQuery("colour"), with: "color")
/// request.which = .all
/// let report = try await library.replace(request, dryRun: true)
/// print("\(report.places) places in \(report.changes.count) files")
/// ```
package struct ReplaceRequest: Sendable {
  /// The matches to replace.
  package enum Which: Hashable, Sendable {
    /// The only match. If there are several, `replace` throws `ambiguous` and lists them.
    case only
    /// The match with this number, from 1, counted through all documents.
    case number(Int)
    /// The match with this number, from 1, and all after it.
    case from(Int)
    case all
  }

  /// The text that is searched.
  package enum Text: Hashable, Sendable {
    /// The rendered text. Markup is kept.
    case rendered
    /// The Markdown source including its markup.
    case source
  }

  package var query: SearchQuery
  /// The new text. If the strategy captures groups, it is a template that may refer to them.
  package var replacement: String
  /// The id of the search strategy. Only a capturing strategy uses `replacement` as a template.
  package var strategy = "literal"
  package var which = Which.only
  package var text = Text.rendered
  /// Whether the replacement adopts the capitalization of each match.
  package var preservesCase = false
  /// The passage in which matches are replaced; nil for the whole document.
  package var passage: SelectionSpec?

  /// Creates a request that replaces the only match in the rendered text.
  package init(_ query: SearchQuery, with replacement: String) {
    self.query = query
    self.query.foldsLevels = false
    self.replacement = replacement
  }
}

/// The result of a replacement, or the preview of one.
package struct ReplaceReport: Sendable {
  /// The changed files, in the order of the documents. Files without a change are omitted.
  package var changes: [FileChange] = []
  /// The matches that were not replaced, because the replacement would break the markup.
  package var refused: [Refusal] = []

  /// The reports of other documents that are links to the written files.
  package var linked: [RefreshReport] = []

  /// The reports of documents that were omitted because they are missing or cannot be read.
  package var skipped: [RefreshReport] = []

  /// The number of replaced places in all files.
  package var places: Int { changes.reduce(0) { $0 + $1.places } }

  /// A match that was not replaced.
  package struct Refusal: Hashable, Sendable {
    package var document: Document
    /// The position of the match's start in the Markdown source.
    package var position: LinePosition
    package var words: String
    /// The reason why it was not replaced.
    package var reason: ReplacementError.Reason
  }
}

extension Library {
  /// Replaces the matches of a query in the documents' files. All files are written as one step of
  /// the history. Highlights keep their exact positions, because the edits are known.
  ///
  /// - Parameters:
  ///   - documents: the documents to search; nil for all that have a file.
  ///   - dryRun: whether to return the report without writing.
  /// - Throws:
  ///   - `nothing` if nothing matches, or every match equals its replacement
  ///   - `notFound` if nothing matches but some documents could not be read; also if one of
  ///     `documents` is removed or its file is missing
  ///   - `ambiguous`, with the matches, if there are several and one was requested
  ///   - `usage` if the strategy is unknown or the query, the template or the match number is
  ///     invalid
  ///   - `conflict` if a file cannot be written
  ///   - `plugin` if the search failed.
  package func replace(
    _ request: ReplaceRequest, in documents: [Document]? = nil, dryRun: Bool = false
  ) throws(UserError) -> ReplaceReport {
    // A step that an interrupted process left half written must be completed or reverted before its
    // files are read.
    try settleJournal()
    let finder = try ReplaceFinder(request, try searchStrategy(request.strategy))
    var found: [DocumentMatches] = []
    var report = ReplaceReport()
    // Documents may be links to the same file. The file is written once.
    var files: Set<String> = []
    var linked: [Document] = []
    for document in try self.documents(orAll: documents) {
      if documents == nil, document.state == .removed { continue }
      let reading: CheckedDocument
      do throws(UserError) {
        try requirePresent(document)
        let path = try location.file(of: document.path)
        guard files.insert(FileSystem.resolved(path) ?? path).inserted else {
          linked.append(document)
          continue
        }
        reading = try current(document)
        if request.text == .source { try requireUTF8(reading.parsed.source.bytes, document) }
      } catch {
        // An unreadable file does not prevent changes to the others. An error of the library itself
        // does.
        guard documents == nil, let problem = problem(inFileOf: document, request.text) else {
          throw error
        }
        report.skipped.append(
          RefreshReport(document: document, change: .unreadable, outcomes: [], problem: problem))
        continue
      }
      let passage = try request.passage.map { (spec) throws(UserError) in
        try resolve(spec, in: reading.parsed)
      }
      let matches = try finder.matches(in: reading.parsed, within: passage)
      if !matches.isEmpty { found.append(DocumentMatches(document, reading, matches)) }
    }
    let unread = report.skipped.filter(\.isUnread)
    guard !found.isEmpty || unread.isEmpty else {
      throw UserError(
        .notFound,
        "no match for '\(request.query.text)'; "
          + "\(unread.count.counted("document")) could not be read",
        candidates: unread.compactMap { $0.problem?.message })
    }
    try choose(request, from: &found)
    for index in found.indices {
      found[index].matches = finder.changes(found[index].matches, in: found[index].parsed!)
    }
    if found.allSatisfy(\.matches.isEmpty) {
      throw UserError(
        .nothing,
        "nothing to change: each match of '\(request.query.text)' already equals its replacement")
    }

    var rewrites: [Rewrite] = []
    for index in found.indices {
      let rewrite = rewrite(&found[index], request, finder, &report)
      if rewrite.patch.isEmpty { continue }
      rewrites.append(rewrite)
      report.changes.append(FileChange(rewrite.document, rewrite.patch, to: rewrite.after.source))
    }
    found = []
    if dryRun { return report }
    guard !rewrites.isEmpty else { return report }
    let place =
      rewrites.count == 1
      ? rewrites[0].document.path.string : rewrites.count.counted("document")
    let label = "replaced '\(request.query.text)' by '\(request.replacement)' in \(place)"
    for (index, done) in try rewrite(&rewrites, JournalStep(label: label)).enumerated() {
      report.changes[index].report = done
    }
    report.linked = (try? refresh(linked)) ?? []
    return report
  }

  /// Returns the change that replaces the matches in a document, and reports the refused ones.
  ///
  /// - Parameter one: the document. The text of a long document is released.
  private func rewrite(
    _ one: inout DocumentMatches, _ request: ReplaceRequest, _ finder: ReplaceFinder,
    _ report: inout ReplaceReport
  ) -> Rewrite {
    let document = one.document
    if request.text == .source {
      let source = one.parsed!.source
      let patch = SourcePatch(finder.sourceEdits(one.matches, in: one.parsed!), of: source)
      var reading: CheckedDocument? = one.takeReading()
      return Rewrite(document, patch, of: &reading, long: longSource)
    }
    if one.parsed!.source.bytes.count > longSource {
      let lineStarts = one.parsed!.mapped.lineStarts
      let digest = one.digests.text
      if let result = Replacer.replace(
        one.matches, releasing: &one.parsed, isText: { ContentDigest(ofUnits: $0) == digest })
      {
        return Rewrite(
          document, result.patch, one.digests,
          AnchorText(utf16: result.old, lineStarts: lineStarts), after: result.after,
          edits: result.edits)
      }
    }
    let reading = one.takeReading()
    let parsed = reading.parsed
    let result = Replacer(parsed).replace(one.matches)
    let lines = result.refused.isEmpty ? nil : parsed.sourceLines
    report.refused += result.refused.compactMap { refusal in
      lines.map {
        ReplaceReport.Refusal(
          document: document,
          position: $0.position(
            of: parsed.map.sourceOffset(of: refusal.range.lowerBound, bias: .trailing)),
          words: parsed.text.substring(refusal.range), reason: refusal.reason)
      }
    }
    return Rewrite(
      document, result.patch, of: reading, after: result.document.mapped, edits: result.edits)
  }

  /// Returns the matches in the rendered text of one document that `replace` would change, in the
  /// order in which `replace` numbers them, each with its replacement.
  ///
  /// - Throws: `usage` if the strategy is unknown or the query or template is invalid; `plugin` if
  ///   the search failed.
  package func places(of request: ReplaceRequest, in document: Document) throws(UserError)
    -> (open: OpenDocument, edits: [TextEdit])
  {
    let finder = try ReplaceFinder(request, try searchStrategy(request.strategy))
    let open = try open(document)
    let passage = try request.passage.map { (spec) throws(UserError) in
      try resolve(spec, in: open.parsed)
    }
    return (open, try finder.matches(in: open.parsed, within: passage))
  }

  /// A document with the matches to replace in it.
  private struct DocumentMatches {
    var document: Document
    /// The document's text; nil if it was released.
    var parsed: ParsedDocument?
    var digests: (source: ContentDigest, text: ContentDigest)
    var report: RefreshReport
    var matches: [TextEdit]

    init(_ document: Document, _ reading: CheckedDocument, _ matches: [TextEdit]) {
      (self.document, self.matches) = (document, matches)
      (parsed, digests, report) = (reading.parsed, reading.digests, reading.report)
    }

    /// Returns the document's text and releases it here, so that the caller has the only copy.
    mutating func takeReading() -> CheckedDocument {
      defer { parsed = nil }
      return CheckedDocument(parsed: parsed!, digests: digests, report: report)
    }
  }

  /// Checks that a source is valid UTF-8. Other bytes have no position in UTF-16.
  ///
  /// - Throws: `usage` if it is not.
  private func requireUTF8(_ bytes: [UInt8], _ document: Document) throws(UserError) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    throw UserError(
      .usage, "\(document.shownPath): a part of the file is not UTF-8",
      hint: "omit --source, or convert the file to UTF-8")
  }

  /// Returns the error that prevents searching a document's file; nil if it can be searched.
  private func problem(inFileOf document: Document, _ text: ReplaceRequest.Text) -> UserError? {
    do throws(UserError) {
      let path = try location.file(of: document.path)
      guard try FileSystem.status(of: path) != nil else { return .missingFile(document) }
      let bytes = try SourceFile.content(of: path).0
      if text == .source { try requireUTF8(bytes, document) }
      return nil
    } catch { return error }
  }

  private func searchStrategy(_ id: String) throws(UserError) -> any SearchStrategy {
    do { return try plugins.search.strategy(id) } catch {
      throw UserError(.usage, error.description)
    }
  }

  /// Removes the matches that were not requested.
  ///
  /// - Throws: `nothing` if nothing matches; `ambiguous` if there are several and one was
  ///   requested; `usage` if no match has the requested number.
  private func choose(
    _ request: ReplaceRequest,
    from found: inout [DocumentMatches]
  ) throws(UserError) {
    let count = found.reduce(0) { $0 + $1.matches.count }
    guard count > 0 else {
      throw UserError(.nothing, "no match for '\(request.query.text)'")
    }
    switch request.which {
    case .all: return
    case .only:
      guard count > 1 else { return }
      throw UserError(
        .ambiguous, "'\(request.query.text)' matches \(count) times",
        hint: "use --match N or --all", candidates: candidates(found, request))
    case .from(let number):
      var rest = number - 1
      for index in found.indices {
        let dropped = min(rest, found[index].matches.count)
        found[index].matches.removeFirst(dropped)
        rest -= dropped
      }
      found.removeAll { $0.matches.isEmpty }
    case .number(let number):
      guard (1...count).contains(number) else {
        throw UserError(.usage, "there is no match \(number): the last is \(count)")
      }
      var rest = number - 1
      for index in found.indices {
        if rest < found[index].matches.count {
          found[index].matches = [found[index].matches[rest]]
          found = [found[index]]
          return
        }
        rest -= found[index].matches.count
      }
    }
  }

  /// The maximum number of matches that an error lists.
  private static let candidateLimit = 20

  private func candidates(
    _ found: [DocumentMatches],
    _ request: ReplaceRequest
  ) -> [String] {
    var result: [String] = []
    let paths = ShownPaths(location)
    for one in found {
      let (document, parsed, matches) = (one.document, one.parsed!, one.matches)
      let lines = parsed.sourceLines
      let bytes = request.text == .source ? SourceUnits(parsed.source).bytes(of: matches) : []
      for (index, match) in matches.enumerated() {
        guard result.count < Self.candidateLimit else { return result + ["…"] }
        let byte =
          request.text == .source
          ? bytes[index].lowerBound
          : parsed.map.sourceOffset(of: match.range.lowerBound, bias: .trailing)
        let place = lines.position(of: byte)
        let line = lines.bytes(ofLine: place.line).map { parsed.source.text(in: $0) } ?? ""
        result.append(
          "#\(result.count + 1)  \(paths.name(document.path)):\(place.line):\(place.column): "
            + line.prefix(100))
      }
    }
    return result
  }
}
