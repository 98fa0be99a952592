import FoundationEssentials
package import Interchange
import MarkdownParse
package import Model
package import SystemSupport
package import Workspace

extension PluginSet {
  /// Renders the quote cards of a passage.
  ///
  /// - Parameters:
  ///   - range: the passage.
  ///   - open: the document.
  ///   - source: the bibliographic source of the document.
  ///   - path: the path of the text if it is not in a library.
  ///   - color: the colour of the highlight.
  ///   - theme: the identifier of a card strategy.
  ///   - form: the shape and the file format.
  ///   - isLong: whether the passage may have more than 2,000 characters.
  /// - Throws: `usage` if the passage is too long or the strategy is unknown, `nothing` if the
  ///   passage contains no words, `plugin` if the strategy fails.
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

  /// Renders the quote cards of a highlight, with the text that was highlighted originally.
  ///
  /// - Throws: the same errors as for a passage.
  package func cards(
    of highlight: Highlight, in document: Document, _ source: DocumentSource, theme: String,
    as form: CardForm, isLong: Bool = false
  ) throws(UserError) -> CardSet {
    let quote = AnnotationRecord(highlight, in: document, of: CitedSource(source))
    return try cards(of: quote, theme: theme, as: form, isLong)
  }

  /// The maximum length in characters without `isLong`. Cards should be readable at a glance.
  private static let cardLimit = 2_000

  private func cards(
    of quote: AnnotationRecord, theme: String, as form: CardForm, _ isLong: Bool
  ) throws(UserError) -> CardSet {
    var quote = quote
    // Do not publish the absolute path of a local file.
    if quote.source.hasPrefix("/") { quote.source = String(quote.source.lastComponent) }
    let length = quote.quote.count
    guard isLong || length <= Self.cardLimit else {
      throw UserError(
        .usage,
        "the passage has \(length) characters, more than the \(Self.cardLimit) of a card",
        hint: "choose a shorter passage, or draw all of it with --long")
    }
    let strategy: any CardStrategy
    do { strategy = try cards.strategy(theme) } catch {
      throw UserError(.usage, error.description)
    }
    guard quote.quote.contains(where: { !$0.isWhitespace }) else {
      throw UserError(.nothing, "the passage contains no text")
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
