import Model

/// The rendered text of a document with its source and the map between them.
///
/// It takes three quarters of the memory of the document, which has blocks and spans, too.
///
/// ```swift
/// var document: ParsedDocument? = ParsedDocument(parsing: source)
/// let text = document!.mapped
/// document = nil
/// text.map.source(of: range)
/// ```
package struct MappedText: Sendable {
  /// The source of the document.
  package let source: MarkdownSource
  /// The extensions with which the source was parsed.
  package let options: MarkdownOptions
  /// The rendered text, as a reader sees it.
  package let text: RenderedText
  /// The map between the rendered text and the source.
  package let map: SourceMap

  /// The offsets in the rendered text, ascending, at which a source line begins within a paragraph.
  /// Before each of them, a line ending is rendered as a space. O(runs).
  package var lineStarts: [Int] {
    map.runs.compactMap { run in
      guard run.kind == .atomic, run.text.utf16.count == 1,
        text.utf16[run.text.utf16.lowerBound] == 32,
        case let byte = source.bytes[run.source.bytes.lowerBound], byte == 10 || byte == 13
      else { return nil }
      return run.text.utf16.upperBound
    }
  }

  /// The lines of the source. O(bytes) for each access, so keep the result for several positions.
  package var sourceLines: SourceLines { SourceLines(source) }
}

extension ParsedDocument {
  /// The text of the document without its blocks and spans. O(1).
  package var mapped: MappedText {
    MappedText(source: source, options: options, text: text, map: map)
  }
}
