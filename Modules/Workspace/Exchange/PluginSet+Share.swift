import FoundationEssentials
package import Interchange
import MarkdownParse
package import Model
package import SystemSupport

extension PluginSet {
  /// The cards of a passage.
  ///
  /// - Parameters:
  ///   - theme: the id of a card strategy.
  ///   - form: the shape and the kind of file.
  ///   - source: what is known of the work that the document is the text of.
  ///   - path: where the text is from, when it is in no library.
  ///   - color: the colour of the mark.
  ///   - isLong: whether a passage may be as long as it likes.
  /// - Throws: `usage` for a passage that is too long and for a strategy that there is not, `nothing` when there are no words,
  ///   `plugin` when the strategy fails.
  package func cards(
    of range: TextRange, in open: OpenDocument, _ source: DocumentSource, from path: String = "",
    in color: HighlightColor = .yellow, theme: String, as form: CardForm, isLong: Bool = false
  ) throws(UserError) -> CardSet {
    let words = open.parsed.text.substring(range)
    let place = open.document?.path ?? DocumentPath(path)
    var quote = AnnotationRecord(
      id: "", quote: words, position: .utf16(range), source: place.string,
      title: open.document?.title ?? DocumentTitle.of(open.parsed, path: place), color: color,
      created: .now, updated: .now)
    CitedSource(source).complete(&quote)
    return try cards(of: quote, theme: theme, as: form, isLong)
  }

  /// The cards of a highlight, with the words that were marked.
  ///
  /// - Throws: as for a passage.
  package func cards(
    of highlight: Highlight, in document: Document, _ source: DocumentSource, theme: String,
    as form: CardForm, isLong: Bool = false
  ) throws(UserError) -> CardSet {
    let quote = AnnotationRecord(highlight, in: document, of: CitedSource(source))
    return try cards(of: quote, theme: theme, as: form, isLong)
  }

  /// The most characters that are drawn, unless a person wants more: cards are read at a glance.
  private static let cardLimit = 2_000

  private func cards(
    of quote: AnnotationRecord, theme: String, as form: CardForm, _ isLong: Bool
  ) throws(UserError) -> CardSet {
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
    do {
      return switch form.format {
      case .text: CardSet([WrittenCard.text(of: quote)])
      case .markdown: CardSet([WrittenCard.markdown(of: quote)])
      case .png, .svg, .pdf: try strategy.cards(of: quote, as: form)
      }
    } catch {
      throw UserError(.plugin, error.description)
    }
  }
}
