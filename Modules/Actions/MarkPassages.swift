import Editing
package import Model
import SystemSupport
package import Workspace

/// Highlights a passage of a document, or several in one step.
package struct MarkPassages: Action {
  package static let name = "highlight.mark"
  package static let summary = "Highlights a passage of a document, or several in one step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.document,
    ActionParameter("passage", .passage, "The passage.", isRequired: true),
    ActionParameter("color", .color, "The colour; yellow when omitted."),
    ActionParameter("note", .text, "The note of the highlights."),
    ActionParameter("tags", .list(.text), "The tags of the highlights."),
    ActionParameter("strategy", .text, "How the passage becomes highlights; exact when omitted."),
  ]
  package static let examples = [
    MarkPassages(
      document: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))),
      color: .green, note: "Why?", tags: ["todo"], strategy: "sentence"),
    MarkPassages(
      document: .example,
      passage: .ranges([TextRange(utf16: 3..<9)], of: exampleText)),
  ]
  static let exampleText = ContentDigest(bytes: [UInt8](repeating: 7, count: 32))!

  package var document: Document.ID
  package var passage: RequestedPassage
  package var color: HighlightColor?
  package var note: String?
  package var tags: [String]?
  package var strategy: String?
  /// A search whose matches in the passage are highlighted instead of it. Only ``MarkMatches`` sets
  /// it.
  var matching: SavedQuery?

  private enum CodingKeys: CodingKey { case document, passage, color, note, tags, strategy }

  package init(
    document: Document.ID, passage: RequestedPassage, color: HighlightColor? = nil,
    note: String? = nil, tags: [String]? = nil, strategy: String? = nil
  ) {
    (self.document, self.passage, self.color) = (document, passage, color)
    (self.note, self.tags, self.strategy) = (note, tags, strategy)
  }

  package struct Outcome: ActionOutcome {
    /// The highlights, in the order of the request. If a highlight of the same passage and colour
    /// existed, it received the note and the tags and is returned instead of a new one.
    package var highlights: [Highlight]
    /// The ids of the highlights that existed before.
    package var updated: Set<Highlight.ID>
    /// The highlights in other colours on exactly the words of the new ones.
    package var sharing: [Highlight]
    /// The document after the action.
    package var open: OpenDocument
    /// The range that a SPEC selected; nil if the passage consists of ranges.
    package var selected: TextRange?

    fileprivate init(_ marked: MarkedPassages, selected: TextRange? = nil) {
      (highlights, updated, open) = (marked.highlights, marked.updated, marked.open)
      sharing = marked.sharing
      self.selected = selected
    }

    package var json: String {
      open.document.map { HighlightRecord.lines(highlights, in: $0) } ?? ""
    }
  }

  /// The details of a refusal: the possible places of the passage in the current text.
  private struct Unsure: Encodable {
    struct Place: Encodable {
      var range: TextRange
      var quote: String
      var score: Double
    }

    /// The digest of the current text.
    var text: ContentDigest?
    var candidates: [Place]
  }

  /// Highlights the passage.
  ///
  /// - Throws: the errors of `Library.mark`; ``ActionRefusal`` with the candidates if the text has
  ///   changed since it was shown and a passage cannot be located with certainty.
  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    let document: Document
    do throws(UserError) { document = try await library.document(id: self.document) } catch {
      throw error.about("document")
    }
    if let strategy {
      do throws(UnknownStrategyError) {
        _ = try library.plugins.highlighting.strategy(strategy)
      } catch { throw UserError(unknown: error).about("strategy") }
    }
    var request = MarkRequest(color: color ?? .yellow)
    (request.note, request.tags) = (note ?? "", tags ?? [])
    request.strategy = strategy ?? request.strategy
    request.matching = matching
    switch passage {
    case .spec(let spec):
      let open: OpenDocument
      do throws(UserError) { open = try await library.openToMark(document) } catch {
        throw error.about("document")
      }
      let range: TextRange
      let one = library.passage(spec, for: request.strategy)
      do throws(UserError) { range = try await library.select(one, in: open) } catch {
        throw error.about("passage.spec")
      }
      return Outcome(try await library.mark(range, request, in: open), selected: range)
    case .ranges(let ranges, let digest):
      guard !ranges.isEmpty, ranges.count <= RequestedPassage.mostRanges else {
        throw UserError(
          .usage,
          """
          'passage.ranges' must have 1 to \(RequestedPassage.mostRanges) ranges, not \
          \(ranges.count)
          """
        ).about("passage.ranges")
      }
      let shown = EarlierText(digest, session.shownText(digest))
      switch try await library.mark(document, ranges, madeIn: shown, request) {
      case .made(let marked): return Outcome(marked)
      case .unsure(let candidates, let open):
        throw ActionRefusal(
          UserError(
            .conflict, "the text changed, and the passage was not found for certain",
            hint: "choose a candidate, or select it again"),
          Unsure(
            text: open.textDigest,
            candidates: candidates.map {
              Unsure.Place(range: $0.range, quote: $0.words, score: $0.score)
            }))
      }
    }
  }
}
