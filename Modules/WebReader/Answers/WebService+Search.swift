import FoundationEssentials
import Model
import Search
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

  /// The time limit of a search.
  static let searchTime = Duration.seconds(10)
}
