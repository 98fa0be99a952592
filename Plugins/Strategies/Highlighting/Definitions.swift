public import Editing
public import MarkdownParse
public import Model

/// Highlights the sentences in the selection that define a term.
public struct Definitions: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy definitions`.
  public static let id = "definitions"
  /// The description that `diple strategies` prints.
  public static let summary =
    "sentences that define a term: a few words and a colon or dash, or an emphasized term and "
    + "\"is\""
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "a term and a colon", selected: "«Diple: a mark in the margin. It is old.»",
      highlighted: "«Diple: a mark in the margin.» It is old."),
    HighlightExample(
      "a term and a dash", selected: "«Obelus — a dagger beside a doubtful line.»",
      highlighted: "«Obelus — a dagger beside a doubtful line.»"),
    HighlightExample(
      "no blanks between words", selected: "«书名号：标在边上的记号。它很老。»",
      highlighted: "«书名号：标在边上的记号。»它很老。"),
    HighlightExample(
      "a colon after many words, or at the end, defines nothing",
      selected: "«She said to all of the people who had come: go. And this:»",
      highlighted: "She said to all of the people who had come: go. And this:"),
  ]

  /// The maximum length of a term before a colon or dash, in words.
  private static let longestTerm = 4
  private static let verbs: Set<String> = [
    "is", "are", "was", "were", "means", "denotes", "refers", "describes", "ist", "sind", "heißt",
    "bedeutet", "bezeichnet",
  ]
  /// The verbs of a definition in languages that write no spaces between words.
  private static let unspacedVerbs = ["是", "指", "とは", "คือ", "หมายถึง"]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    document.blocks.flatMap { block -> [TextRange] in
      guard case .paragraph = block.kind, block.text.overlaps(selection) else { return [] }
      return sentences(of: block, in: document).filter { sentence in
        sentence.overlaps(selection)
          && (hasShortLead(sentence, document) || hasEmphasizedTerm(sentence, block, document))
      }
    }
  }

  private func sentences(of block: Block, in document: ParsedDocument) -> [TextRange] {
    let start = block.text.utf16.lowerBound
    let text = Array(document.text.utf16[block.text.utf16])
    return DictionarySegmenter().sentences(in: text).map {
      TextRange(utf16: $0.utf16.lowerBound + start..<$0.utf16.upperBound + start)
    }
  }

  /// Returns whether a colon or dash follows one of the first words of a sentence, and more words
  /// follow it.
  private func hasShortLead(_ sentence: TextRange, _ document: ParsedDocument) -> Bool {
    let text = Array(document.text.utf16[sentence.utf16])
    let words = DictionarySegmenter().words(in: text)
    for (word, next) in zip(words.prefix(Self.longestTerm), words.dropFirst()) {
      let between = String(
        decoding: text[word.utf16.upperBound..<next.utf16.lowerBound], as: UTF16.self)
      if [": ", "：", " — ", " – ", " - ", "——"].contains(between) { return true }
    }
    return false
  }

  /// Returns whether a sentence begins with an emphasized term, after at most an article, and a verb
  /// of a definition follows.
  private func hasEmphasizedTerm(
    _ sentence: TextRange, _ block: Block, _ document: ParsedDocument
  ) -> Bool {
    document.inlines[block.inlines].contains { inline in
      switch inline.kind {
      case .strong, .emphasis, .code: break
      default: return false
      }
      guard inline.text.lowerBound >= sentence.lowerBound,
        inline.text.upperBound < sentence.upperBound
      else { return false }
      let before = document.text.substring(TextRange(sentence.lowerBound, inline.text.lowerBound))
      let after = document.text.substring(TextRange(inline.text.upperBound, sentence.upperBound))
      let verb = after.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
      return before.split(separator: " ").count <= 1
        && (Self.verbs.contains(verb) || Self.unspacedVerbs.contains { after.hasPrefix($0) })
    }
  }
}
