/// Writes a quote with its source as text.
package enum WrittenCard {
  /// Returns the quote in quotation marks, followed by a line with its source.
  package static func text(of quote: AnnotationRecord) -> Card {
    let origin = origin(of: quote).joined(separator: ", ")
    let below = origin.isEmpty ? "" : "\n— \(origin)\n"
    return Card(mediaType: "text/plain", bytes: Array("“\(words(of: quote))”\n\(below)".utf8))
  }

  /// Returns the quote as a Markdown block quote whose last line is its source. Characters that are
  /// special in Markdown are escaped, because the quote is rendered text.
  package static func markdown(of quote: AnnotationRecord) -> Card {
    var lines = words(of: quote).split(separator: "\n", omittingEmptySubsequences: false)
      .map(\.escapedForMarkdown)
    let origin = origin(of: quote).map(\.escapedForMarkdown)
    if !origin.isEmpty { lines += ["", "— \(origin.joined(separator: ", "))"] }
    let text = lines.map { $0.isEmpty ? ">\n" : "> \($0)\n" }.joined()
    return Card(mediaType: "text/markdown", bytes: Array(text.utf8))
  }

  private static func words(of quote: AnnotationRecord) -> String {
    quote.quote.split(whereSeparator: \.isNewline).joined(separator: "\n\n")
  }

  /// Returns the author, the title, and the path or address, without the empty ones.
  private static func origin(of quote: AnnotationRecord) -> [String] {
    let source = quote.source == quote.title ? "" : quote.source
    return [quote.author, quote.title, source].filter { !$0.isEmpty }
  }
}
