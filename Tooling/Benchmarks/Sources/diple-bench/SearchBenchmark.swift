import BuiltIn
import Foundation
import Model
import Search
import Strategies
import SystemSupport
import Workspace

/// Measures searches in a single process, as in the REPL or a service. Prints a line of JSON for
/// each search, which `Tooling/bench-search.py` compares with other programs.
/// usage: diple-bench search LIBRARY QUERIES   QUERIES: JSON, [{"name", "text", "strategy", "case"}]
///        diple-bench scan FILE QUERIES        the same queries in one text
enum SearchBenchmark {
  private struct Query: Decodable {
    var name: String
    var text: String
    var strategy: String
    /// "smart", "ignore" or "respect".
    var `case`: String

    func query() throws -> SearchQuery {
      try SearchQuery(text, ignoresCase: self.case == "smart" ? nil : self.case == "ignore")
    }
  }

  private struct Line: Encodable {
    var name: String
    var milliseconds: [String: Double]
    var documents = 0
    var matches = 0
  }

  private final class Tally: @unchecked Sendable {
    // Confined: a single search calls it.
    var documents = 0
    var matches = 0
    var first: ContinuousClock.Instant?

    func take(_ event: SearchEvent) -> Bool {
      guard case .found(let result) = event else { return true }
      if first == nil { first = .now }
      documents += 1
      matches += result.matches.count
      return true
    }
  }

  static func run(_ words: [String]) async throws {
    let queries = try JSONDecoder().decode(
      [Query].self, from: Data(contentsOf: URL(fileURLWithPath: words[2])))
    if words[0] == "scan" {
      let text = Array(try Data(contentsOf: URL(fileURLWithPath: words[1])))
      for query in queries { try scan(query, text) }
      return
    }
    let library = try Library(at: LibraryLocation(folder: words[1]), plugins: .builtIn)
    for query in queries { try await search(query, library) }
  }

  private static func search(_ query: Query, _ library: Library) async throws {
    var request = SearchRequest(query: try query.query())
    request.strategy = query.strategy
    if query.strategy == "text" { request.matchesPerDocument = 3 }
    var line = Line(name: query.name, milliseconds: [:])
    for (name, looks) in [("indexed", false), ("looking", true)] {
      request.checksFiles = looks
      var totals: [Double] = []
      var firsts: [Double] = []
      for round in 0..<6 {
        let tally = Tally()
        let start = ContinuousClock.now
        let outcome = try await library.search(request) { tally.take($0) }
        let end = ContinuousClock.now
        guard outcome == .complete else { throw UserError(.plugin, "\(query.name): \(outcome)") }
        if round == 0 { continue }
        totals.append((end - start).milliseconds)
        firsts.append(((tally.first ?? end) - start).milliseconds)
        (line.documents, line.matches) = (tally.documents, tally.matches)
      }
      line.milliseconds[name] = totals.sorted()[totals.count / 2]
      line.milliseconds[name + " first"] = firsts.sorted()[firsts.count / 2]
    }
    try write(line)
  }

  private static func scan(_ query: Query, _ text: [UInt8]) throws {
    let strategy = try Workspace.PluginSet.builtIn.search.strategy(query.strategy)
    let searcher = try strategy.searcher(for: try query.query())
    var line = Line(name: query.name, milliseconds: [:])
    var totals: [Double] = []
    for _ in 0..<7 {
      var count = 0
      let start = clock()
      _ = text.withUnsafeBufferPointer { bytes in
        searcher.search(bytes, from: 0, watch: SearchWatch()) { _ in
          count += 1
          return true
        }
      }
      totals.append(max(0.001, Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e3))
      line.matches = count
    }
    line.milliseconds["scan"] = totals.min()
    try write(line)
  }

  private static func write(_ line: Line) throws {
    print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
  }
}

extension Duration {
  fileprivate var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
  }
}
