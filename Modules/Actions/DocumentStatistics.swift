import Editing
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Counts the words, characters and highlights of a document.
package struct DocumentStatistics: Action {
  package static let name = "document.statistics"
  package static let summary =
    "Counts a document's words and highlights, and estimates the time to read it."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [DocumentStatistics(document: .example)]
  /// The assumed reading speed: the average of silent reading of English non-fiction in a
  /// meta-analysis of 190 studies (Brysbaert 2019).
  package static let wordsPerMinute = 238

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package struct Outcome: ActionOutcome {
    package var open: OpenDocument
    package var document: Document
    /// The number of words of the rendered text, as `word:N` counts them.
    package var words: Int
    /// The number of graphemes of the rendered text.
    package var characters: Int
    /// The estimated reading time in minutes, rounded up.
    package var minutes: Int

    /// Returns the number of highlights of a colour.
    package func count(_ color: HighlightColor) -> Int {
      open.highlights.count { $0.color == color }
    }
    /// Returns the number of highlights in a state.
    package func count(_ state: AnchorState) -> Int {
      open.highlights.count { $0.anchor.state == state }
    }

    private struct Record: Encodable {
      struct Highlights: Encodable {
        var total: Int
        var colors: [String: Int]
        var states: [String: Int]
      }

      var document: HighlightRecord.DocumentReference
      var words: Int
      var characters: Int
      var minutes: Int
      var highlights: Highlights
    }

    package var json: String {
      func named<Key: RawRepresentable<String> & CaseIterable>(_ count: (Key) -> Int)
        -> [String: Int]
      {
        Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0.rawValue, count($0)) })
      }
      return JSON.line(
        "diple.statistics/1",
        Record(
          document: .init(document), words: words, characters: characters, minutes: minutes,
          highlights: Record.Highlights(
            total: open.highlights.count, colors: named { (color: HighlightColor) in count(color) },
            states: named { (state: AnchorState) in count(state) })))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    let open = try await session.library.open(document)
    let words = DictionarySegmenter().words(in: open.parsed.text.utf16).count
    return Outcome(
      open: open, document: open.document ?? document, words: words,
      characters: open.parsed.text.string.count,
      minutes: (words + Self.wordsPerMinute - 1) / Self.wordsPerMinute)
  }
}
