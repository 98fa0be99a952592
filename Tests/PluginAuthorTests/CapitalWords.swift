import Editing
import MarkdownParse
import Model

/// A highlight strategy: capitalised words outside code and headings.
struct CapitalWords: HighlightStrategy {
  static let id = "capital-words"
  static let summary = "words that begin with a capital"
  static let examples = [
    HighlightExample("a name", selected: "«the city of Rome»", highlighted: "the city of «Rome»")
  ]

  func ranges(from selection: TextRange, in document: ParsedDocument) throws(StrategyError)
    -> [TextRange]
  {
    guard selection.utf16.upperBound <= document.text.count else {
      throw StrategyError("the selection ends beyond the text")
    }
    let excluded =
      document.blocks.filter { if case .heading = $0.kind { true } else { false } }.map(\.text)
      + document.inlines.filter { $0.kind == .code }.map(\.text)
    return DictionarySegmenter().words(in: document.text.utf16).filter { word in
      word.overlaps(selection) && !excluded.contains { $0.overlaps(word) }
        && document.text.substring(word).first?.isUppercase == true
    }
  }
}
