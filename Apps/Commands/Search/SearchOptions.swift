import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import Search
import Storage
import SystemSupport
package import Workspace

extension SearchRequest.Place: OptionChoice {}
extension SearchLibrary.Case: OptionChoice {}

/// The options of a search in a text.
struct MatchOptions: ParsableArguments {
  @Option(help: .strategy("Search strategy", \.search), completion: .values(.searchStrategy))
  var strategy = "literal"
  @Flag(help: "Same as --strategy regex.") var regex = false
  @Option(
    name: .customLong("case"),
    help: "Case; smart: case-sensitive only if the query has a capital.")
  var caseRule = SearchLibrary.Case.smart
  @Flag(help: "Same as --case respect.") var caseSensitive = false
  @Flag(help: "Ignore diacritics.") var ignoreDiacritics = false
  @Flag(help: "Match whole words only.") var word = false

  func validate() throws {
    if regex, strategy != "literal" {
      throw ValidationError("--regex and --strategy exclude each other")
    }
    if caseSensitive, caseRule == .ignore {
      throw ValidationError("--case-sensitive and --case ignore exclude each other")
    }
  }

  /// The id of the strategy that the options select.
  var usedStrategy: String { regex ? "regex" : strategy }

  /// Returns the request to search for a text.
  func request(_ text: String) -> SearchLibrary {
    SearchLibrary(
      query: text, strategy: usedStrategy, case: caseSensitive ? .respect : caseRule,
      wholeWords: word, ignoreDiacritics: ignoreDiacritics)
  }
}

/// The options of a search in a library.
struct SearchOptions: ParsableArguments {
  @OptionGroup var matching: MatchOptions
  @OptionGroup var filter: FilterOptions
  @Option(
    name: .customLong("in"),
    help: "Where to search; highlights: the quotes of highlights.")
  var place = SearchRequest.Place.text

  /// Returns the request to search for a text.
  func request(
    _ text: String, in documents: [Document]?, of library: Library, _ context: CommandContext
  ) async throws -> SearchLibrary {
    if filter.trashed {
      throw UserError(.usage, "the trash is not searched")
    }
    let highlights = try await filter.request(documents, of: library, context)
    var request = matching.request(text)
    request.in = place
    request.documents = highlights.documents
    (request.colors, request.tags) = (highlights.colors, highlights.tags)
    (request.states, request.since) = (highlights.states, highlights.since)
    return request
  }
}

/// The options for the output of `search` and `query run`.
struct ResultOptions: ParsableArguments {
  @Option(
    help: "Stop after N matches in each document; 3 when omitted with --strategy text.")
  var perDocument: Int?
  @Option(help: "Stop after N matches.") var limit: Int?
  @Option(help: "Stop after N seconds.") var timeLimit: Double?
  @Flag(help: "Do not check whether files have changed.") var asLastSeen = false
  @OptionGroup var lines: ListOptions

  func validate() throws {
    for (name, value) in [("--per-document", perDocument), ("--limit", limit)] {
      if let value, value < 1 { throw ValidationError("\(name) must be at least 1, not \(value)") }
    }
    if let timeLimit, !(0.001...86_400).contains(timeLimit) {
      throw ValidationError("--time-limit must be from 0.001 to 86400 seconds")
    }
  }

  /// Sets the options in a request.
  func complete(_ request: inout SearchRequest) {
    request.matchesPerDocument = perDocument ?? (request.strategy == "text" ? 3 : nil)
    request.checksFiles = !asLastSeen
    request.timeLimit = timeLimit.map { .milliseconds(Int64($0 * 1000)) }
  }
}

extension MatchRecord {
  /// The match as a line whose beginning is a position that editors can open.
  var plain: String {
    MatchLine.start(document?.path.sanitizedForTerminal ?? "-", line, column, place, highlightName)
      + text.shortened(around: match)
  }
}

/// Formats matches as JSON records, one on each line.
struct MatchRecordFormatter: MatchFormatter {
  func append(_ found: FoundText, from first: Int, to bytes: inout [UInt8], until size: Int) -> Int
  {
    var index = first
    while index < found.matches.count, bytes.count < size {
      let end = min(index + 16, found.matches.count)
      for match in found.results(index..<end) {
        bytes.append(contentsOf: MatchRecord(match, in: found.document).json.utf8)
        bytes.append(UInt8(ascii: "\n"))
      }
      index = end
    }
    return index
  }
}
