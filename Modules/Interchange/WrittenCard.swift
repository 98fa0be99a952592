/// Writes a quote with its source as text.
package enum WrittenCard {
  /// Returns the quote in the quotation marks of its script, followed by a line with its source.
  package static func text(of quote: AnnotationRecord, as form: CardForm = CardForm()) -> Card {
    let marks = QuoteScript(of: quote.quote).quotationMarks
    let origin = origin(of: quote, form).joined(separator: ", ")
    let below = origin.isEmpty ? "" : "\n— \(origin)\n"
    let words = "\(marks.opening)\(words(of: quote, code: quote.code))\(marks.closing)\n\(below)"
    return Card(mediaType: "text/plain", bytes: Array(words.utf8))
  }

  /// Returns the quote as a Markdown block quote whose last line is its source. Characters that are
  /// special in Markdown are escaped, because the quote is rendered text.
  package static func markdown(of quote: AnnotationRecord, as form: CardForm = CardForm()) -> Card {
    var lines = words(of: quote, code: []).split(separator: "\n", omittingEmptySubsequences: false)
      .map(\.escapedForMarkdown)
    let origin = origin(of: quote, form).map(\.escapedForMarkdown)
    if !origin.isEmpty { lines += ["", "— \(origin.joined(separator: ", "))"] }
    let text = lines.map { $0.isEmpty ? ">\n" : "> \($0)\n" }.joined()
    return Card(mediaType: "text/markdown", bytes: Array(text.utf8))
  }

  /// Returns the paragraphs of a quote with empty lines between them.
  ///
  /// - Parameter code: the parts of the quote whose line breaks are kept, in UTF-16 units.
  private static func words(of quote: AnnotationRecord, code: [Range<Int>]) -> String {
    var words = ""
    var code = code[...]
    var place = 0
    for character in quote.quote {
      while let first = code.first, first.upperBound <= place { code.removeFirst() }
      let isCode = code.first.map { $0.lowerBound <= place } ?? false
      place += character.utf16.count
      if !character.isNewline {
        words.append(character)
      } else if isCode {
        words += "\n"
      } else if !words.isEmpty {
        words += words.hasSuffix("\n\n") ? "" : words.hasSuffix("\n") ? "\n" : "\n\n"
      }
    }
    while words.last?.isNewline == true { words.removeLast() }
    return words
  }

  /// Returns the author, the title and the source, without the empty ones.
  private static func origin(of quote: AnnotationRecord, _ form: CardForm) -> [String] {
    [quote.author, quote.title, form.source(of: quote)].filter { !$0.isEmpty }
  }
}
