import FoundationEssentials
package import Interchange
import MarkdownParse
package import Model
package import SystemSupport

extension PluginSet {
  /// The card of a passage: of a highlight, when it is one, else of the words in a range.
  ///
  /// - Parameters:
  ///   - theme: the id of a card strategy.
  ///   - path: where the text is from, when it is in no library.
  ///   - color: the colour of the mark.
  ///   - isLong: whether a passage may be as long as it likes.
  /// - Throws: `usage` for a passage that is too long and for a strategy that there is not, `nothing` when there are no words,
  ///   `plugin` when the strategy fails.
  package func card(
    of range: TextRange, in open: OpenDocument, from path: String = "",
    in color: HighlightColor = .yellow, as theme: String, isLong: Bool = false
  ) throws(UserError) -> Card {
    let words = open.parsed.text.substring(range)
    let place = open.document?.path ?? DocumentPath(path)
    return try card(
      of: AnnotationRecord(
        id: "", quote: words, position: .utf16(range), source: place.string,
        title: open.document?.title ?? DocumentTitle.of(open.parsed, path: place), color: color,
        created: .now, updated: .now), as: theme, isLong)
  }

  /// The card of a highlight, with the words that were marked.
  ///
  /// - Throws: as for a passage.
  package func card(
    of highlight: Highlight, in document: Document, as theme: String, isLong: Bool = false
  ) throws(UserError) -> Card {
    try card(of: AnnotationRecord(highlight, in: document), as: theme, isLong)
  }

  /// The most characters that a card shows, unless a person wants more: it is read at a glance.
  private static let cardLimit = 2_000

  private func card(of quote: AnnotationRecord, as theme: String, _ isLong: Bool)
    throws(UserError) -> Card
  {
    var quote = quote
    // Where a file lies on this machine is nobody else's business.
    if quote.source.hasPrefix("/") { quote.source = String(quote.source.lastComponent) }
    let length = quote.quote.count
    guard isLong || length <= Self.cardLimit else {
      throw UserError(
        .usage, "the passage has \(length) characters, and a card is for up to \(Self.cardLimit)",
        hint: "choose a shorter one, or draw it all with --long")
    }
    let strategy: any CardStrategy
    do { strategy = try cards.strategy(theme) } catch {
      throw UserError(.usage, error.description)
    }
    guard quote.quote.contains(where: { !$0.isWhitespace }) else {
      throw UserError(.nothing, "there are no words to share")
    }
    do { return try strategy.card(of: quote) } catch {
      throw UserError(.plugin, error.description)
    }
  }
}
