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

extension SearchRequest.Place: ExpressibleByArgument {}

/// The options of a search in a text.
struct MatchOptions: ParsableArguments {
  /// The rules for upper and lower case.
  enum Case: String, CaseIterable, ExpressibleByArgument { case smart, ignore, respect }

  @Option(help: .strategy("Search strategy", \.search), completion: .values(.searchStrategy))
  var strategy = "literal"
  @Option(
    name: .customLong("case"),
    help: "Case; smart: case-sensitive only if the query has a capital.")
  var caseRule = Case.smart
  @Flag(help: "Ignore diacritics.") var ignoreDiacritics = false
  @Flag(help: "Match whole words only.") var word = false

  /// Returns the query in the form that can be saved.
  func query(_ text: String) -> SavedQuery {
    var query = SavedQuery(text: text)
    query.strategy = strategy
    query.ignoresCase = caseRule == .smart ? nil : caseRule == .ignore
    query.ignoresDiacritics = ignoreDiacritics
    query.wholeWords = word
    return query
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

  /// Returns the query in the form that can be saved.
  func query(
    _ text: String, in documents: [Document]?, of library: Library, _ context: CommandContext
  ) async throws -> SavedQuery {
    if filter.trashed {
      throw UserError(.usage, "the trash is not searched")
    }
    let highlights = try await filter.filter(nil, of: library, context)
    var query = matching.query(text)
    query.place = place
    query.colors = HighlightColor.allCases.filter { highlights.colors?.contains($0) == true }
    query.tags = highlights.tags
    query.states = filter.state
    query.since = highlights.since
    query.documents = (documents ?? []).map(\.id)
    return query
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
      if let value, value < 1 { throw ValidationError("\(name) takes a number from 1 on") }
    }
    if let timeLimit, !(0.001...86_400).contains(timeLimit) {
      throw ValidationError("--time-limit takes seconds, up to a day")
    }
  }

  /// Sets the options in a request.
  func complete(_ request: inout SearchRequest) {
    request.matchesPerDocument = perDocument ?? (request.strategy == "text" ? 3 : nil)
    request.checksFiles = !asLastSeen
    request.timeLimit = timeLimit.map { .milliseconds(Int64($0 * 1000)) }
  }
}

/// A match, a record of the schema `diple.match/1`.
struct MatchRecord: Encodable, Hashable {
  /// The document. Null for a file outside the library.
  @Nullable var document: HighlightRecord.DocumentReference?
  var place: SearchRequest.Place
  @Nullable var highlight: Highlight.ID?
  @Nullable var range: TextRange?
  @Nullable var line: Int?
  @Nullable var column: Int?
  var text: String
  /// The range of the match in `text`.
  var match: TextRange

  init(_ found: SearchResult.Match, in document: Document?) {
    self.document = document.map { .init($0) }
    place = found.place
    highlight = found.highlight
    range = found.range
    line = found.position?.line
    column = found.position?.column
    text = found.line
    match = found.lineRange
  }

  /// The match as a line whose beginning is a position that editors can open.
  var plain: String {
    MatchLine.start(document?.path.sanitizedForTerminal ?? "-", line, column, place, highlight)
      + text.shortened(around: match)
  }

  /// The record as JSON, with its envelope.
  var json: String { JSON.line("diple.match/1", self) }

  static func == (a: MatchRecord, b: MatchRecord) -> Bool { a.key == b.key }

  func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The values that identify a match. The position isn't one of them, so that a moved match is the
  /// same.
  private var key: [String] {
    [
      document?.id.description ?? "", place.rawValue, highlight?.description ?? "", text,
      match.description,
    ]
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
