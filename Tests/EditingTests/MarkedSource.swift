import Editing
import MarkdownParse
import Model
import TestSupport

/// A document with a range that is marked in its Markdown: `a «**b**» c`.
struct MarkedSource {
  let document: ParsedDocument
  let range: TextRange
  var builder: EditBuilder { EditBuilder(document) }

  init(_ marked: String, options: MarkdownOptions = .standard) {
    let text = MarkedText(marked)
    document = ParsedDocument(parsing: MarkdownSource(text.text), options: options)
    func byte(_ unit: Int) -> Int {
      String(decoding: Array(text.text.utf16)[..<unit], as: UTF16.self).utf8.count
    }
    let bytes = byte(text.range.utf16.lowerBound)..<byte(text.range.utf16.upperBound)
    range = document.map.text(of: SourceRange(bytes: bytes))
  }
}

extension ParsedDocument {
  var markdown: String { String(decoding: source.bytes, as: UTF8.self) }
}

extension SourceChange {
  var markdown: String { document.markdown }
}
