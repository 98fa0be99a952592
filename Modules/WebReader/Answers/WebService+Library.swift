import Actions
import DaemonKit
import Editing
import FoundationEssentials
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension WebService {
  private struct LibraryAnswer: Encodable {
    struct Entry: Encodable {
      var id: Document.ID
      var path: String
      var title: String
      var state: String
      var counts: [String: Int]
      var states: [String: Int]
      var updated: Date
    }

    struct Tag: Encodable {
      var name: String
      var count: Int
    }

    var name: String
    var readOnly: Bool
    var device: DeviceAnswer?
    /// The number of paired devices, or nil if the page shows none.
    var devices: Int?
    var sequence: Int
    var documents: [Entry]
    var tags: [Tag]
    var colors: [ColorAnswer]
    var undo: String?
    var redo: String?
  }

  /// Checks the files, unless a daemon has already processed all changes.
  private func refreshAll() async throws {
    if DaemonClient(library.location)?.isSettled == true { return }
    _ = try await library.refreshChanged()
  }

  /// Returns the documents, tags and colours.
  func libraryAnswer(_ caller: Principal) async throws -> WebAnswer {
    let sequence = await pages.sequence
    try await refreshAll()
    let (states, counts) = (try await library.highlightCounts(), try await library.colorCounts())
    let entries = try await library.documents().map { document in
      LibraryAnswer.Entry(
        id: document.id, path: document.path.string, title: document.title,
        state: document.path.isElsewhere
          ? "elsewhere" : document.state == .present ? "ok" : document.state.rawValue,
        counts: Self.named(counts[document.id] ?? [:]),
        states: Self.named(states[document.id] ?? [:]), updated: document.updated)
    }
    return .json(
      LibraryAnswer(
        name: name, readOnly: library.isReadOnly || !caller.mayWrite,
        device: caller.device.map { DeviceAnswer($0) }, devices: deviceCount(for: caller),
        sequence: sequence, documents: entries,
        tags: try await library.tags().map { LibraryAnswer.Tag(name: $0.name, count: $0.count) },
        colors: ColorAnswer.all(try await library.labels()),
        undo: try await library.nextStep(by: .undo)?.summary,
        redo: try await library.nextStep(by: .redo)?.summary))
  }

  private static func named<Key: RawRepresentable<String>>(_ counts: [Key: Int]) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) })
  }

  // MARK: - Lists

  private struct HighlightsAnswer: Encodable {
    var highlights: [HighlightRecord]
    var next: String?
  }

  /// The maximum number of highlights in a response.
  private static let pageSize = 200

  /// Returns the highlights of all documents, sorted by document and position. Throws ``UserError``
  /// with the code `usage` for an invalid filter.
  func highlights(_ input: WebInput) async throws -> WebAnswer {
    try await refreshAll()
    var filter = HighlightFilter()
    filter.detail = .withoutContext
    if let document = input.text("document") { filter.documents = [try Self.documentID(document)] }
    if let color = input.text("color") {
      filter.colors = Set(try await library.colors(named: color))
    }
    if let tag = input.text("tag") { filter.tags = [tag] }
    if let state = input.text("state") {
      guard let state = AnchorState(rawValue: state) else {
        throw UserError(.usage, "'\(state)' is not a state of a highlight")
      }
      filter.states = [state]
    }
    if let since = input.text("since") {
      guard let date = try? Date(since, strategy: .iso8601) else {
        throw UserError(
          .usage, "'\(since)' is not a time", hint: "for example 2026-01-31T12:00:00Z")
      }
      filter.since = date
    }
    let words = input.text("text")?.lowercased()
    let skipped = try input.number("cursor") ?? 0
    let end = skipped + Self.pageSize
    let (found, count) = try await library.gatherHighlights(
      filter, into: ([HighlightRecord](), 0)
    ) { gathered, document, highlights in
      for highlight in highlights {
        if let words, !highlight.selector.exact.lowercased().contains(words),
          !highlight.note.lowercased().contains(words)
        {
          continue
        }
        gathered.1 += 1
        if gathered.1 > end { return false }
        if gathered.1 > skipped { gathered.0.append(HighlightRecord(highlight, in: document)) }
      }
      return true
    }
    return .json(HighlightsAnswer(highlights: found, next: count > end ? String(end) : nil))
  }

  // MARK: - Review

  private struct ReviewAnswer: Encodable {
    struct Place: Encodable {
      var number: Int
      var document: Document.ID
      var documentTitle: String
      var range: WebRange
      var score: Double
      var before: String
      var quote: String
      var after: String
    }

    var highlight: HighlightRecord
    var document: Document.ID
    /// The text before the passage when it was highlighted.
    var before: String
    var after: String
    var candidates: [Place]
  }

  /// Returns the highlights to review with their candidates.
  func review() async throws -> WebAnswer {
    let (items, _) = try await library.review()
    var answers: [ReviewAnswer] = []
    var texts: [Document.ID: OpenDocument] = [:]
    for item in items {
      var places: [ReviewAnswer.Place] = []
      for (index, candidate) in item.candidates.enumerated() {
        let document = candidate.document
        let open: OpenDocument? =
          if let known = texts[document.id] { known } else {
            try? await library.open(document)
          }
        texts[document.id] = open
        let (before, after) = Self.around(candidate.range, in: open)
        places.append(
          ReviewAnswer.Place(
            number: index + 1, document: document.id, documentTitle: document.title,
            range: WebRange(candidate.range), score: candidate.score, before: before,
            quote: candidate.words, after: after))
      }
      answers.append(
        ReviewAnswer(
          highlight: HighlightRecord(item.highlight, in: item.document), document: item.document.id,
          before: item.highlight.selector.prefix, after: item.highlight.selector.suffix,
          candidates: places))
    }
    return .json(answers)
  }

  /// The maximum length of the text before and after a candidate, in UTF-16 units.
  private static let wordsAround = 80

  private static func around(_ range: TextRange, in open: OpenDocument?) -> (String, String) {
    guard let open, range.utf16.upperBound <= open.parsed.text.count else { return ("", "") }
    let (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    func text(_ range: Range<Int>) -> String {
      open.parsed.text.substring(open.parsed.wholeGraphemes(TextRange(utf16: range)))
    }
    return (
      text(max(0, start - wordsAround)..<start),
      text(end..<min(open.parsed.text.count, end + wordsAround))
    )
  }
}
