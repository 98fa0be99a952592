import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Explains how the place of a highlight was found, and how certain it is.
package struct ExplainPlace: Action {
  package static let name = "highlight.explain"
  package static let summary =
    "Explains how a highlight's place was found, and how certain it is."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.highlight]
  package static let examples = [ExplainPlace(highlight: .example)]

  package var highlight: Highlight.ID

  package init(highlight: Highlight.ID) { self.highlight = highlight }

  package struct Outcome: ActionOutcome {
    package var highlight: Highlight
    package var document: Document
    /// The current text at the place; nil if the highlight has no place or the file is missing.
    package var now: String?
    /// The possible places of a doubtful or orphaned highlight.
    package var candidates: [ReviewCandidate]
    /// The reports of checking the document's file.
    package var reports: [RefreshReport]

    package var json: String {
      JSON.line(
        "diple.why/1", WhyRecord(highlight, in: document, now: now, candidates: candidates))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    let shown = try await ShowHighlight(highlight: highlight).run(in: session)
    let (highlight, document) = (shown.highlight, shown.document)
    var now: String?
    if let range = highlight.anchor.range, document.state == .present {
      let text = try await library.open(document).parsed.text
      guard range.utf16.upperBound <= text.utf16.count else {
        throw UserError.beyondText(
          range, of: highlight,
          hint: """
            \(action: ReattachHighlight.name, [
              "highlight": .asked("id"), "passage": .asked("spec"),
            ]) moves the highlight to another passage
            """)
      }
      now = text.substring(range)
    }
    let isUnsure = [.doubtful, .orphaned].contains(highlight.anchor.state)
    return Outcome(
      highlight: highlight, document: document, now: now,
      candidates: isUnsure && !highlight.isDetached
        ? try await library.candidates(for: highlight) : [],
      reports: shown.reports)
  }
}

/// How a highlight's position was found, a record of the schema `diple.why/1`.
private struct WhyRecord: Encodable {
  struct RunRecord: Encodable {
    var kind: WordChanges.Kind
    var words: String
  }

  var highlight: HighlightRecord
  var runnerUp: Double
  var margin: Double
  var detached: Bool
  @Nullable var now: String?
  var changes: [RunRecord]
  var candidates: [ReviewRecord.CandidateRecord]

  init(
    _ highlight: Highlight, in document: Document, now: String?, candidates: [ReviewCandidate]
  ) {
    self.highlight = HighlightRecord(highlight, in: document)
    runnerUp = highlight.anchor.runnerUp
    margin = highlight.anchor.margin
    detached = highlight.isDetached
    self.now = now
    self.candidates = candidates.map(ReviewRecord.CandidateRecord.init)
    changes =
      now.map {
        WordChanges(from: highlight.selector.exact, to: $0).runs.map {
          RunRecord(kind: $0.kind, words: $0.words)
        }
      } ?? []
  }
}
