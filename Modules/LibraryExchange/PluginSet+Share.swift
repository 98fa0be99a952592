import FoundationEssentials
package import Interchange
package import MarkdownParse
package import Model
package import SystemSupport
package import Workspace

extension PluginSet {
  /// Renders the quote cards of a passage. A heading at its start that is the title is omitted,
  /// because the card shows the title below the words.
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
    let place = open.document?.path ?? DocumentPath(path)
    let title = open.document?.title ?? DocumentTitle.of(open.parsed, path: place)
    let range = open.parsed.without([title, source.whole.text(.title)], range)
    let words = open.parsed.text.substring(range)
    var quote = AnnotationRecord(
      id: "", quote: words, position: .utf16(range), source: place.string, title: title,
      color: color,
      created: .now, updated: .now)
    quote.code = open.parsed.code(in: range)
    CitedSource(source, titled: quote.title).complete(&quote)
    return try cards(of: quote, theme: theme, as: form, isLong)
  }

  /// Renders the quote cards of a highlight, with the text that was highlighted originally.
  ///
  /// - Parameter text: the document's text, in which the code of the quote is found; nil if it
  ///   could not be read.
  /// - Throws: the same errors as for a passage.
  package func cards(
    of highlight: Highlight, in document: Document, _ source: DocumentSource,
    text: ParsedDocument?, theme: String, as form: CardForm, isLong: Bool = false
  ) throws(UserError) -> CardSet {
    let cited = CitedSource(source, titled: document.title)
    var quote = AnnotationRecord(highlight, in: document, of: cited)
    if let text, let range = highlight.anchor.range, text.text.substring(range) == quote.quote {
      quote.code = text.code(in: range)
    }
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
      case .text: CardSet([WrittenCard.text(of: quote, as: form)])
      case .markdown: CardSet([WrittenCard.markdown(of: quote, as: form)])
      case .png, .svg, .pdf: try strategy.cards(of: quote, as: form)
      }
    } catch {
      throw UserError(.plugin, error.description)
    }
  }
}

extension ParsedDocument {
  /// Returns a range without the heading at its start that is one of some titles; unchanged if
  /// nothing follows the heading.
  fileprivate func without(_ titles: [String], _ range: TextRange) -> TextRange {
    let leaves = blocks.lazy.filter { $0.firstChild < 0 && !$0.text.isEmpty }.prefix(2)
    guard let first = leaves.first, case .heading = first.kind,
      let next = leaves.dropFirst().first, range.lowerBound <= first.text.lowerBound,
      titles.contains(text.substring(first.text)), next.text.lowerBound < range.upperBound
    else { return range }
    return TextRange(next.text.lowerBound, range.upperBound)
  }

  /// Returns the code spans and code blocks in a range, in UTF-16 units from its start, in order.
  /// O(blocks + spans of the range).
  fileprivate func code(in range: TextRange) -> [Range<Int>] {
    let range = range.utf16
    var code: [Range<Int>] = []
    for block in blocks where block.firstChild < 0 && block.text.utf16.overlaps(range) {
      var parts = styleRuns(in: block).filter { $0.style.contains(.code) }.map(\.text.utf16)
      if case .codeBlock = block.kind { parts = [block.text.utf16] }
      for part in parts where part.overlaps(range) {
        let shown = part.clamped(to: range)
        code.append(shown.lowerBound - range.lowerBound..<shown.upperBound - range.lowerBound)
      }
    }
    return code
  }
}
