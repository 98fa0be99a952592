import Editing
import FoundationEssentials
package import Interchange
import LibraryExchange
import MarkdownParse
package import Model
import SystemSupport
import Workspace

/// Draws the quote cards of a highlight or a passage.
package struct DrawCard: Action {
  package static let name = "card.draw"
  package static let summary = "Draws the quote cards of a highlight or a passage."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter("highlight", .identifier(.highlight), "The highlight."),
    ActionParameter("document", .identifier(.document), "The document of the passage."),
    ActionParameter("passage", .passage, "The passage, without a highlight."),
    ActionParameter("theme", .text, "The card strategy; paper when omitted."),
    ActionParameter(
      "size", .choice(CardForm.Size.allCases.map(\.rawValue)), "The shape; square when omitted."),
    ActionParameter(
      "format", .choice(CardForm.Format.allCases.map(\.rawValue)), "Format; png when omitted."),
    ActionParameter("color", .color, "The colour of the mark; the highlight's when omitted."),
    ActionParameter(
      "mark", .choice(CardForm.Mark.allCases.map(\.rawValue)),
      "How the colour is shown; the theme's way when omitted."),
    ActionParameter("file", .flag, "Shows the file name of the document."),
    ActionParameter("long", .flag, "Draws a passage of more than 2000 characters."),
  ]
  package static let examples = [
    DrawCard(
      highlight: .example, theme: "night", size: .story, format: .svg, color: .pink,
      mark: .box, file: true),
    DrawCard(
      document: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))), long: true
    ),
  ]

  package var highlight: Highlight.ID?
  package var document: Document.ID?
  package var passage: RequestedPassage?
  package var theme: String?
  package var size: CardForm.Size?
  package var format: CardForm.Format?
  package var color: HighlightColor?
  package var mark: CardForm.Mark?
  package var file: Bool?
  package var long: Bool?

  package init(
    highlight: Highlight.ID? = nil, document: Document.ID? = nil,
    passage: RequestedPassage? = nil, theme: String? = nil, size: CardForm.Size? = nil,
    format: CardForm.Format? = nil, color: HighlightColor? = nil,
    mark: CardForm.Mark? = nil, file: Bool? = nil, long: Bool? = nil
  ) {
    (self.highlight, self.document, self.passage) = (highlight, document, passage)
    (self.theme, self.size, self.format) = (theme, size, format)
    (self.color, self.mark, self.file, self.long) = (color, mark, file, long)
  }

  package struct Outcome: ActionOutcome {
    package var theme: String
    package var size: CardForm.Size
    package var quote: String
    package var set: CardSet
    /// The files to which a front-end wrote cards, in the order of the cards.
    package var outputs: [String] = []
    /// Whether the JSON contains the cards that were not written to files.
    package var hasContents = true

    package init(theme: String, size: CardForm.Size, quote: String, _ set: CardSet) {
      (self.theme, self.size, self.quote, self.set) = (theme, size, quote, set)
    }

    /// The record `diple.card/1`.
    private struct Record: Encodable {
      struct CardRecord: Encodable {
        var media: String
        var size: Int
        @Nullable var output: String?
        @Nullable var text: String?
        @Nullable var base64: String?
      }

      var theme: String
      var shape: String
      var quote: String
      var unknownGlyphs: Int
      var cards: [CardRecord]
    }

    package var json: String {
      let cards = set.cards.enumerated().map { index, card in
        let output = index < outputs.count ? outputs[index] : nil
        let isShown = output == nil && hasContents
        return Record.CardRecord(
          media: card.mediaType, size: card.bytes.count, output: output,
          text: isShown ? card.text : nil,
          base64: isShown && card.text == nil ? Data(card.bytes).base64EncodedString() : nil)
      }
      return JSON.line(
        "diple.card/1",
        Record(
          theme: theme, shape: size.rawValue, quote: quote, unknownGlyphs: set.unknownGlyphs,
          cards: cards))
    }
  }

  /// Draws the cards.
  ///
  /// - Throws: the errors of `PluginSet.cards`; `usage` unless the request has either a highlight
  ///   or a passage; `conflict` if the text has changed since the passage was shown.
  package func run(in session: ActionSession) async throws -> Outcome {
    let (library, plugins) = (session.library, session.library.plugins)
    let theme = theme ?? "paper"
    let form = CardForm(
      size: size ?? .square, format: format ?? .png, mark: mark, showsFile: file ?? false)
    let (color, isLong) = (color, long ?? false)
    switch (highlight, document, passage) {
    case (let id?, nil, nil):
      var highlight = try await session.highlight(id)
      let document = try await library.document(id: highlight.document)
      let source = try await library.source(of: document)
      highlight.color = color ?? highlight.color
      let shown = highlight
      let text = try? await library.open(document).parsed
      let cards = try await Self.aside {
        try plugins.cards(
          of: shown, in: document, source, text: text, theme: theme, as: form, isLong: isLong)
      }
      return Outcome(theme: theme, size: form.size, quote: shown.selector.exact, cards)
    case (nil, let id?, let passage?):
      let document = try await session.document(id)
      let open = try await library.open(document)
      let range = try await passage.range(in: open, of: library)
      let source = try await library.source(of: document)
      let cards = try await Self.aside {
        try plugins.cards(
          of: range, in: open, source, in: color ?? .yellow, theme: theme, as: form, isLong: isLong)
      }
      return Outcome(
        theme: theme, size: form.size, quote: open.parsed.text.substring(range), cards)
    default:
      throw UserError(
        .usage, "expected a highlight, or a document and a passage", hint: "name one of them")
    }
  }

  /// Runs slow work outside the library's actor.
  @concurrent
  private static func aside<T: Sendable>(_ work: @Sendable () throws -> T) async rethrows -> T {
    try work()
  }
}
