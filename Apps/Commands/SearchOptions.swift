public import ArgumentParser
import Model
import Search
import Storage
public import Workspace

extension SearchRequest.Place: ExpressibleByArgument {}

/// How a text is looked for.
struct MatchOptions: ParsableArguments {
  /// Which cases count.
  enum Case: String, CaseIterable, ExpressibleByArgument { case smart, ignore, respect }

  @Option(help: "How to search; `strategies` lists the ways.") var strategy = "literal"
  @Option(
    name: .customLong("case"),
    help: "smart (only if the query has a capital letter it counts), ignore or respect.")
  var caseRule = Case.smart
  @Flag(help: "Letters with and without diacritics are the same.") var ignoreDiacritics = false
  @Flag(help: "Only whole words.") var word = false

  /// The query in the form in which it is kept.
  func query(_ text: String) -> SavedQuery {
    var query = SavedQuery(text: text)
    query.strategy = strategy
    query.ignoresCase = caseRule == .smart ? nil : caseRule == .ignore
    query.ignoresDiacritics = ignoreDiacritics
    query.wholeWords = word
    return query
  }
}

/// What is looked for in a library, and where.
struct SearchOptions: ParsableArguments {
  @OptionGroup var matching: MatchOptions
  @OptionGroup var filter: FilterOptions
  @Option(
    name: .customLong("in"),
    help: "In text, notes, highlights (the words that were marked) or all.")
  var place = SearchRequest.Place.text

  /// The query in the form in which it is kept.
  func query(_ text: String, in documents: [Document]) throws -> SavedQuery {
    if filter.trashed {
      throw LibraryError(.usage, "what is in the trash is not searched")
    }
    let highlights = try filter.filter(nil)
    var query = matching.query(text)
    query.place = place
    query.colors = filter.color
    query.tags = highlights.tags
    query.states = filter.state
    query.since = highlights.since
    query.documents = documents.map(\.id)
    return query
  }
}

/// What `search` and `query run` print, and how much of it.
struct ResultOptions: ParsableArguments {
  @Option(
    help: "The most matches of one document; 3 for a ranked search, else all.")
  var perDocument: Int?
  @Option(help: "The most matches in all.") var limit: Int?
  @Option(help: "Stop after so many seconds.") var timeLimit: Double?
  @Flag(help: "Search the texts last seen without looking at the files.") var asLastSeen = false

  func validate() throws {
    for (name, value) in [("--per-document", perDocument), ("--limit", limit)] {
      if let value, value < 1 { throw ValidationError("\(name) takes a number from 1 on") }
    }
    if let timeLimit, !(0.001...86_400).contains(timeLimit) {
      throw ValidationError("--time-limit takes seconds, up to a day")
    }
  }

  /// Puts the options into a request.
  func complete(_ request: inout SearchRequest) {
    request.matchesPerDocument = perDocument ?? (request.strategy == "text" ? 3 : nil)
    request.looksAtFiles = !asLastSeen
    request.timeLimit = timeLimit.map { .milliseconds(Int64($0 * 1000)) }
  }
}

/// `diple.match/1`.
struct MatchRecord: Encodable, Hashable {
  var document: HighlightRecord.DocumentReference
  var place: SearchRequest.Place
  @Nullable var highlight: Highlight.ID?
  @Nullable var range: TextRange?
  @Nullable var line: Int?
  @Nullable var column: Int?
  var text: String
  /// The match in `text`.
  var match: TextRange

  init(_ hit: SearchResult.Hit, in document: Document) {
    self.document = .init(document)
    place = hit.place
    highlight = hit.highlight
    range = hit.range
    line = hit.position?.line
    column = hit.position?.column
    text = hit.line
    match = hit.lineRange
  }

  /// A line for people that an editor can open.
  var plain: String {
    let path = document.path.neutralized
    let position = line.map { line in ":\(line)" + (column.map { ":\($0)" } ?? "") } ?? ""
    let what =
      place == .text ? "" : "\(place.rawValue) \(highlight.map { "\($0.dot.sequence)" } ?? "") "
    return "\(path)\(position): \(what)\(text.shortened(around: match))"
  }

  static func == (a: MatchRecord, b: MatchRecord) -> Bool { a.key == b.key }

  func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// What makes it the same match as before, although it may stand elsewhere in its file.
  private var key: [String] {
    [
      document.id.description, place.rawValue, highlight?.description ?? "", text,
      match.description,
    ]
  }
}

extension String {
  /// A line shortened so that a part of it can be seen, given in UTF-16 units.
  func shortened(around part: TextRange) -> String {
    let room = 40
    let limit = part.utf16.upperBound + 200
    guard part.utf16.lowerBound > room,
      let place = utf16.index(startIndex, offsetBy: part.utf16.lowerBound, limitedBy: endIndex)
    else { return shortened }
    var start = utf16.index(place, offsetBy: -room)
    // At a blank, when there is one near; never inside a pair.
    if let blank = utf16[start..<place].prefix(20).firstIndex(of: 32) {
      start = utf16.index(after: blank)
    } else if UTF16.isTrailSurrogate(utf16[start]) {
      start = utf16.index(after: start)
    }
    let end =
      utf16.index(place, offsetBy: limit - part.utf16.lowerBound, limitedBy: endIndex) ?? endIndex
    return "…" + String(self[start..<end]).shortened
  }
}
