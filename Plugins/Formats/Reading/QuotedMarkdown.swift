import Interchange
import MarkdownParse
import Model

/// The marked passages and block quotes of a Markdown file in Obsidian's dialect, and its title.
struct QuotedMarkdown {
  /// The title in the front matter, or the first heading of level 1; empty if there is neither.
  let title: String
  private let document: ParsedDocument

  /// Parses a file. O(length).
  ///
  /// - Throws: `ImportError` if its parsed text would take too much memory.
  init(_ source: ImportSource) throws(ImportError) {
    if let memory = ParsedTextSize.excessive(source.bytes) {
      throw ImportError(
        "it has too much markup: it would take about \(memory >> 20) MiB of memory, and at most "
          + "\(ParsedTextSize.limit >> 20) are used; split it")
    }
    let text = source.text
    document = ParsedDocument(parsing: MarkdownSource(text), options: .obsidian)
    let heading = document.blocks.first { $0.kind == .heading(level: 1) }
    title =
      Self.frontMatterTitle(of: text)
      ?? heading.map { [document] in document.text.substring($0.text).trimmed } ?? ""
  }

  /// The texts of the marked passages, `==words==` and `<mark>words</mark>`. Of nested marks, only
  /// the outer one counts.
  var marks: [String] {
    outermost(document.inlines.lazy.filter { $0.kind == .mark }.map(\.text))
  }

  /// The texts of the block quotes. Of nested quotes, only the outer one counts; the label of a
  /// callout is not part of its text.
  var blockQuotes: [String] {
    var quotes: [TextRange] = []
    for block in document.blocks {
      switch block.kind {
      case .blockQuote: quotes.append(block.text)
      case .calloutLabel:
        // The label is the first child of its quote.
        if let quote = quotes.popLast() {
          let start = min(block.text.utf16.upperBound, quote.utf16.upperBound)
          quotes.append(TextRange(utf16: start..<quote.utf16.upperBound))
        }
      default: break
      }
    }
    return outermost(quotes)
  }

  /// Returns the texts of the ranges that are in no earlier range, without empty ones.
  private func outermost(_ ranges: some Sequence<TextRange>) -> [String] {
    var end = 0
    return ranges.compactMap { range in
      guard range.utf16.lowerBound >= end else { return nil }
      end = range.utf16.upperBound
      let words = document.text.substring(range).trimmed
      return words.isEmpty ? nil : words
    }
  }

  /// Returns the title in the front matter, without quotation marks; nil if there is none.
  private static func frontMatterTitle(of text: String) -> String? {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    guard lines.popFirst() == "---" else { return nil }
    let line = lines.prefix { $0 != "---" && $0 != "..." }.first { $0.hasPrefix("title:") }
    guard let title = line?.dropFirst(6).trimmed, !title.isEmpty else { return nil }
    for mark in ["\"", "'"] where title.count > 1 && title.hasPrefix(mark) && title.hasSuffix(mark)
    {
      return String(title.dropFirst().dropLast())
    }
    return title
  }
}
