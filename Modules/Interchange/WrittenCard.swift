/// A quote with where it is from, as it is written and not drawn.
package enum WrittenCard {
  /// The words between quotation marks, and a line that says where they are from.
  package static func text(of quote: AnnotationRecord) -> Card {
    let origin = origin(of: quote).joined(separator: ", ")
    let below = origin.isEmpty ? "" : "\n— \(origin)\n"
    return Card(mediaType: "text/plain", bytes: Array("“\(words(of: quote))”\n\(below)".utf8))
  }

  /// A block quote of Markdown, whose last line says where the words are from. What would mean something
  /// in Markdown is the words' own: they were read there.
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

  /// The author, the title and the path or address.
  private static func origin(of quote: AnnotationRecord) -> [String] {
    let source = quote.source == quote.title ? "" : quote.source
    return [quote.author, quote.title, source].filter { !$0.isEmpty }
  }
}
