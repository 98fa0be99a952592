import Editing
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Lists doubtful and orphaned highlights with the places where they may belong.
package struct ReviewHighlights: Action {
  package static let name = "highlight.review"
  package static let summary =
    "Lists doubtful and orphaned highlights with the places where they may belong."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter.documents,
    ActionParameter("context", .flag, "Adds the text before and after each passage."),
  ]
  package static let examples = [ReviewHighlights(documents: [.example], context: true)]

  package var documents: [Document.ID]?
  package var context: Bool?

  package init(documents: [Document.ID]? = nil, context: Bool? = nil) {
    (self.documents, self.context) = (documents, context)
  }

  package struct Outcome: ActionOutcome {
    package var items: [ReviewItem]
    /// The reports of checking files.
    package var reports: [RefreshReport]
    /// The text around each candidate of each highlight; nil if it was not requested.
    fileprivate var around: [[ReviewRecord.Around]]?

    package var json: String {
      JSON.line(
        "diple.review/1",
        items.indices.map { ReviewRecord(items[$0], around: around?[$0]) })
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    var named: [Document]?
    if let documents { named = try await session.documents(documents) }
    let (items, reports) = try await library.review(named)
    var outcome = Outcome(items: items, reports: reports)
    guard context == true else { return outcome }
    var texts: [Document.ID: OpenDocument] = [:]
    var around: [[ReviewRecord.Around]] = []
    for item in items {
      var places: [ReviewRecord.Around] = []
      for candidate in item.candidates {
        let document = candidate.document
        if texts[document.id] == nil { texts[document.id] = try? await library.open(document) }
        places.append(ReviewRecord.Around(candidate.range, in: texts[document.id]))
      }
      around.append(places)
    }
    outcome.around = around
    return outcome
  }
}

/// A highlight and its possible positions, an element of `diple.review/1`.
package struct ReviewRecord: Encodable {
  /// The text before and after a passage.
  struct Around: Encodable, Sendable {
    var (before, after) = ("", "")

    init(of selector: Selector) { (before, after) = (selector.prefix, selector.suffix) }

    /// The maximum length of the text on each side, in UTF-16 units.
    private static let longest = 80

    /// Reads the text around a range; both sides are empty if `open` is nil or the range is outside
    /// its text.
    init(_ range: TextRange, in open: OpenDocument?) {
      guard let open, range.utf16.upperBound <= open.parsed.text.count else { return }
      let (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
      func text(_ range: Range<Int>) -> String {
        open.parsed.text.substring(open.parsed.wholeGraphemes(TextRange(utf16: range)))
      }
      before = text(max(0, start - Self.longest)..<start)
      after = text(end..<min(open.parsed.text.count, end + Self.longest))
    }
  }

  package struct CandidateRecord: Encodable {
    var document: HighlightRecord.DocumentReference
    var range: TextRange
    var line: Int
    var column: Int
    var words: String
    var score: Double
    var around: Around?

    package init(_ candidate: ReviewCandidate) { self.init(candidate, around: nil) }

    init(_ candidate: ReviewCandidate, around: Around?) {
      document = .init(candidate.document)
      range = candidate.range
      (line, column) = (candidate.line.line, candidate.line.column)
      (words, score) = (candidate.words, candidate.score)
      self.around = around
    }
  }

  var highlight: HighlightRecord
  /// The text around the passage when it was highlighted.
  var around: Around?
  var candidates: [CandidateRecord]

  init(_ item: ReviewItem, around: [Around]?) {
    highlight = HighlightRecord(item.highlight, in: item.document)
    self.around = around.map { _ in Around(of: item.highlight.selector) }
    candidates = item.candidates.indices.map {
      CandidateRecord(item.candidates[$0], around: around?[$0])
    }
  }
}
