package import Editing
import Files
import MarkdownParse
package import Model
package import Search
import Storage
package import SystemSupport

/// What a person wants replaced.
package struct ReplaceRequest: Sendable {
  /// Which of the matches are meant.
  package enum Which: Hashable, Sendable {
    /// The only one; several are an error that lists them.
    case only
    /// One by its number from 1, counted through all documents.
    case number(Int)
    /// One by its number, and all after it.
    case from(Int)
    /// All of them.
    case all
  }

  /// Which text is searched.
  package enum Text: Hashable, Sendable {
    /// What the reader sees; the markup stays as it is.
    case rendered
    /// The file as it is written, with its markup.
    case source
  }

  /// What is looked for.
  package var query: SearchQuery
  /// What stands there instead; where the strategy captures groups, a template that names them.
  package var replacement: String
  /// The id of the search strategy.
  package var strategy = "literal"
  /// Which matches.
  package var which = Which.only
  /// Which text.
  package var text = Text.rendered
  /// Whether the replacement takes over capitals.
  package var preservesCase = false
  /// The passage in which matches count; nil for the whole document.
  package var passage: SelectionSpec?

  /// Asks for the only match to be replaced in the rendered text.
  package init(_ query: SearchQuery, with replacement: String) {
    self.query = query
    self.query.foldsLevels = false
    self.replacement = replacement
  }
}

/// What replacing did, or would do.
package struct ReplaceReport: Sendable {
  /// The files, in the order of the documents; those without a match are left out.
  package var changes: [FileChange] = []
  /// The matches that were left as they are because Markdown would not hold.
  package var refused: [Refusal] = []

  /// What became of further documents whose files are links to those that were written.
  package var linked: [RefreshReport] = []

  /// Documents of the library that were left out because they are missing or cannot be read.
  package var skipped: [RefreshReport] = []

  /// How many places are replaced.
  package var places: Int { changes.reduce(0) { $0 + $1.places } }

  /// A match that is not replaced.
  package struct Refusal: Hashable, Sendable {
    /// Its document.
    package var document: Document
    /// Where it stands in the source.
    package var position: LinePosition
    /// The words.
    package var words: String
    /// Why they stay.
    package var reason: ReplaceRefusal.Reason
  }
}

extension Library {
  /// Replaces what a search finds, in the files. All files are written as one step, and their
  /// highlights carried exactly.
  ///
  /// - Parameters:
  ///   - documents: which; nil for all that have a file.
  ///   - dryRun: whether nothing is written.
  /// - Throws: `nothing` when nothing matches or can be replaced, `notFound` when nothing matches and
  ///   not all documents could be read, `ambiguous` with the matches when
  ///   there are several and one was asked for, `usage` for a bad query or template, `conflict` when
  ///   a file cannot be written.
  package func replace(
    _ request: ReplaceRequest, in documents: [Document]? = nil, dryRun: Bool = false
  ) throws(UserError) -> ReplaceReport {
    // What a killed process left half written gets its old content before it is read, not after.
    try settleJournal()
    let finder = try ReplaceFinder(request, try searchStrategy(request.strategy))
    var found: [DocumentMatches] = []
    var report = ReplaceReport()
    // A file that is several documents, by way of links, is written once.
    var files: Set<String> = []
    var linked: [Document] = []
    for document in try self.documents(orAll: documents) {
      if documents == nil, document.state == .removed { continue }
      let reading: Reading
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
        // A file that cannot be read keeps none of the others from being changed; a library that
        // cannot be written does.
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
        "no match for '\(request.query.text)' in what could be read; "
          + "\(unread.count.counted("document")) could not",
        candidates: unread.compactMap { $0.problem?.message })
    }
    try choose(request, from: &found)
    for index in found.indices {
      let parsed = found[index].reading.parsed
      found[index].matches = finder.changes(found[index].matches, in: parsed)
    }
    if found.allSatisfy(\.matches.isEmpty) {
      throw UserError(
        .nothing,
        "nothing to change: each match of '\(request.query.text)' already reads as its replacement")
    }

    var rewrites: [Rewrite] = []
    for one in found {
      let (document, parsed) = (one.document, one.reading.parsed)
      let rewrite: Rewrite
      switch request.text {
      case .source:
        let patch = SourcePatch(finder.sourceEdits(one.matches, in: parsed), of: parsed.source)
        rewrite = Rewrite(document, patch, of: one.reading)
      case .rendered:
        let result = Replacer(parsed).replace(one.matches)
        rewrite = Rewrite(
          document, result.patch, of: one.reading, after: result.document, edits: result.edits)
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
      }
      if rewrite.patch.isEmpty { continue }
      rewrites.append(rewrite)
      report.changes.append(FileChange(document, rewrite.patch, of: parsed))
    }
    if dryRun { return report }
    guard !rewrites.isEmpty else { return report }
    let place =
      rewrites.count == 1
      ? rewrites[0].document.path.string : rewrites.count.counted("document")
    let label = "replaced '\(request.query.text)' by '\(request.replacement)' in \(place)"
    for (index, done) in try rewrite(rewrites, JournalStep(label: label)).enumerated() {
      report.changes[index].report = done
    }
    report.linked = (try? refresh(linked)) ?? []
    return report
  }

  /// The places in the rendered text that `replace` would change in one document, as it numbers them,
  /// each with what would stand there.
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

  /// A document with what is to be replaced in it.
  private struct DocumentMatches {
    var document: Document
    var reading: Reading
    var matches: [TextEdit]

    init(_ document: Document, _ reading: Reading, _ matches: [TextEdit]) {
      (self.document, self.reading, self.matches) = (document, reading, matches)
    }
  }

  /// Refuses a source of which a part has no place in UTF-16.
  private func requireUTF8(_ bytes: [UInt8], _ document: Document) throws(UserError) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    throw UserError(
      .usage, "\(document.path.string): a part of the file is not UTF-8",
      hint: "omit --source, or convert it")
  }

  /// Why a document's file cannot be searched; nil when it can.
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

  /// Leaves the matches that are meant.
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

  /// How many matches an error lists.
  private static let candidateLimit = 20

  private func candidates(
    _ found: [DocumentMatches],
    _ request: ReplaceRequest
  ) -> [String] {
    var result: [String] = []
    for one in found {
      let (document, parsed, matches) = (one.document, one.reading.parsed, one.matches)
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
          "#\(result.count + 1)  \(document.path.string):\(place.line):\(place.column): "
            + line.prefix(100))
      }
    }
    return result
  }
}
