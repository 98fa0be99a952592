import FoundationEssentials
import Model
import Search
import Synchronization
import SystemSupport
import Workspace

extension WebService {
  private struct StrategyAnswer: Encodable {
    var id: String
    var summary: String
  }

  func strategies() -> WebAnswer {
    .json(library.plugins.search.entries.map { StrategyAnswer(id: $0.id, summary: $0.summary) })
  }

  private func query(_ input: WebInput) throws(UserError) -> SearchQuery {
    guard let text = input.text("q") else { throw UserError(.usage, "the query is empty") }
    let ignoresCase: Bool?
    switch input.text("case") ?? "smart" {
    case "smart": ignoresCase = nil
    case "ignore": ignoresCase = true
    case "respect": ignoresCase = false
    case let other: throw UserError(.usage, "case is smart, ignore or respect, not '\(other)'")
    }
    do {
      return try SearchQuery(text, ignoresCase: ignoresCase, wholeWords: input.text("word") == "1")
    } catch { throw UserError(.usage, error.description) }
  }

  // MARK: - In one document

  private struct FindAnswer: Encodable {
    var count: Int
    var matches: [WebRange]
    var digest: ContentDigest
    /// Whether there are, or may be, more matches than listed.
    var limited: Bool
    /// Whether the search timed out before the whole text was searched.
    var incomplete: Bool
  }

  /// The maximum number of matches to list for a document.
  private static let mostMatches = 10_000

  func find(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let (open, digest) = try await open(id)
    let query = try query(input)
    let strategy = input.text("strategy") ?? "literal"
    let plugins = library.plugins
    let search = Task { try await Self.find(query, strategy, in: open, plugins) }
    // A slow search returns the matches found until the timeout.
    let limit = Task {
      try await Task.sleep(for: Self.searchTime)
      search.cancel()
    }
    defer { limit.cancel() }
    let found: [TextRange]
    do { found = try await search.value } catch let error as UserError
      where error.code == .plugin && strategy == "regex"
    {
      // If a pattern takes too many steps, the user has to change it.
      throw UserError(.usage, error.message)
    }
    return .json(
      FindAnswer(
        count: found.count, matches: found.prefix(Self.mostMatches).map { WebRange($0) },
        digest: digest, limited: found.count > Self.mostMatches || search.isCancelled,
        incomplete: search.isCancelled))
  }

  @concurrent
  private static func find(
    _ query: SearchQuery, _ strategy: String, in open: OpenDocument, _ plugins: PluginSet
  ) async throws -> [TextRange] {
    try plugins.find(query, strategy: strategy, in: open, within: nil).matches
  }

  // MARK: - In all documents

  private struct SearchAnswer: Encodable {
    struct Found: Encodable {
      var id: Document.ID
      var path: String
      var title: String
      /// The number of matches. `matches` contains the first of them, or those after `from`.
      var count: Int
      var matches: [Match]
    }

    struct Match: Encodable {
      var range: WebRange?
      var highlight: Highlight.ID?
      var place: SearchRequest.Place
      var line: Int?
      var text: String
      var within: WebRange
    }

    var documents: [Found] = []
    /// The number of matches, and of documents with matches.
    var (count, documentCount) = (0, 0)
    /// The number of listed matches.
    var shown = 0
    /// Whether there are, or may be, more matches than listed.
    var limited = false
    /// Whether the search ended early, so that there may be more matches than counted.
    var incomplete = false
    var problem: String?
  }

  /// The maximum number of matches in a response and for each document, and the time limit.
  private static let (mostFound, mostInDocument) = (1_000, 20)
  private static let searchTime = Duration.seconds(10)

  /// Counts all matches and lists the first ones of each document, after the first `skip`
  /// documents. With `document`, lists the matches of that document after the first `from`. Throws
  /// ``UserError`` with the code `usage` for an invalid query.
  func search(_ input: WebInput) async throws -> WebAnswer {
    var request = SearchRequest(query: try query(input))
    request.strategy = input.text("strategy") ?? "literal"
    request.timeLimit = Self.searchTime
    if let place = input.text("in") {
      guard let place = SearchRequest.Place(rawValue: place) else {
        throw UserError(
          .usage, "'\(place)' cannot be searched; expected text, notes, highlights or all")
      }
      request.place = place
    }
    let limit = try input.number("limit", in: 1...Self.mostFound) ?? 200
    let skipped = try input.number("skip") ?? 0
    var first = 0
    request.countsAll = true
    request.matchesPerDocument = Self.mostInDocument
    if let document = input.text("document") {
      request.documents = [try Self.documentID(document)]
      first = try input.number("from", in: 0...Self.mostMatches * 100) ?? 0
      request.matchesPerDocument = first + limit
    }
    let from = first
    let found = Mutex((answer: SearchAnswer(), entries: 0, documents: Set<Document.ID>()))
    let outcome = try await library.search(request) { event in
      guard case .found(let result) = event else { return true }
      found.withLock { found in
        found.entries += 1
        found.documents.insert(result.document.id)
        found.answer.count += result.count
        guard found.entries > skipped else { return }
        let part = result.matches.dropFirst(from).prefix(limit - found.answer.shown)
        if part.isEmpty { return }
        found.answer.shown += part.count
        found.answer.documents.append(
          SearchAnswer.Found(
            id: result.document.id, path: result.document.path.string,
            title: result.document.title, count: result.count,
            matches: part.map {
              SearchAnswer.Match(
                range: $0.range.map { WebRange($0) }, highlight: $0.highlight, place: $0.place,
                line: $0.position?.line, text: $0.line, within: WebRange($0.lineRange))
            }))
      }
      return true
    }
    var answer = found.withLock { found in
      found.answer.documentCount = found.documents.count
      return found.answer
    }
    switch outcome {
    case .complete: break
    case .failed(let cause): (answer.problem, answer.incomplete) = (cause, true)
    default: answer.incomplete = true
    }
    answer.limited = answer.incomplete || answer.shown < answer.count
    return .json(answer)
  }
}
