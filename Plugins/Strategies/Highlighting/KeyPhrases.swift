public import Editing
public import MarkdownParse
public import Model

/// Highlights the most significant phrases in the selection, determined by RAKE (Rose, Engel,
/// Cramer, Cowley, “Automatic Keyword Extraction from Individual Documents”, 2010).
///
/// Phrases are runs of words between common words and punctuation. A word has more weight if it
/// occurs in longer runs.
public struct KeyPhrases: HighlightStrategy {
  /// The id, which selects the strategy: `diple mark --strategy key-phrases`.
  public static let id = "key-phrases"
  /// The description that `diple strategies` prints.
  public static let summary =
    "the most distinctive phrases of the selection, each at its first occurrence"
  /// Examples, which are also the tests.
  public static let examples = [
    HighlightExample(
      "long runs and frequent words",
      selected: "«The quick brown fox and a dog. The brown fox was there, and it was quick.»",
      highlighted: "The «quick brown fox» and a dog. The «brown fox» was there, and it was quick."),
    HighlightExample(
      "no blanks between words", selected: "«北京大学是一个大学。»", highlighted: "«北京大学»是一个大学。"),
    HighlightExample(
      "nothing but common words", selected: "«it was there»", highlighted: "it was there"),
  ]

  /// The maximum number of phrases in a selection.
  private static let most = 12
  /// The maximum length of a phrase, in words.
  private static let longest = 5
  private static let common: Set<String> = Set(
    """
    a about above after again all also although always am among an and another any are as at be because \
    been before being below between both but by can could did do does doing down during each either else \
    ever every few for from further had has have having he her here hers him his how however i if in into \
    is it its itself just like many may me might more most much must my no nor not now of off often on \
    once only or other our out over own per same shall she should since so some still such than that the \
    their them then there these they this those though through thus to too under until up upon us very \
    was we were what when where whether which while who whom whose why will with within without would yet \
    you your yes one two \
    aber alle als also am an auch auf aus bei bin bis da damit dann das dass dein dem den der des die dies \
    diese dieser dieses doch du durch ein eine einem einen einer eines er es für hat haben ich ihr im in \
    ist ja kein keine mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so über um und \
    uns unter vom von vor war waren was weil wenn wer wie wir wird zu zum zur \
    一个 一些 这个 那个 我们 你们 他们 它们 自己 可以 没有 因为 所以 但是 如果 以及 或者 就是 什么 \
    です ます でした ました する した して ある いる ない こと もの ため よう これ それ この その から まで \
    として という について および または \
    ที่ และ ของ เป็น ใน มี การ ความ ได้ ให้ ไม่ จะ กับ แต่ หรือ คือ นี้ นั้น ว่า จาก โดย อยู่ ก็ มา ไป
    """.split(separator: " ").map(String.init))

  /// Creates the strategy, which has no state.
  public init() {}

  private struct Phrase {
    var words: [String]
    var range: TextRange
  }

  /// Returns the ranges to highlight, in the order of the text; empty if there is nothing to
  /// highlight.
  public func ranges(from selection: TextRange, in document: ParsedDocument) -> [TextRange] {
    let all = document.blocks.flatMap { block -> [Phrase] in
      switch block.kind {
      case .paragraph, .heading, .tableCell, .descriptionTerm:
        return phrases(in: block.text, selection, document)
      default: return []
      }
    }
    // The degree of a word is the number of words in its phrases, including itself.
    var frequency: [String: Double] = [:]
    var degree: [String: Double] = [:]
    for phrase in all {
      for word in phrase.words {
        frequency[word, default: 0] += 1
        degree[word, default: 0] += Double(phrase.words.count)
      }
    }
    func score(_ phrase: Phrase) -> Double {
      phrase.words.reduce(0) { $0 + (degree[$1] ?? 0) / (frequency[$1] ?? 1) }
    }
    var seen: Set<[String]> = []
    let different = all.filter { seen.insert($0.words).inserted }
    // As in the paper, a third of the phrases is used. Of two with the same weight, the earlier one
    // is preferred.
    let count = min(Self.most, (different.count + 2) / 3)
    let best = different.enumerated().sorted {
      (-score($0.element), $0.offset) < (-score($1.element), $1.offset)
    }
    return best.prefix(count).map(\.element.range).sorted()
  }

  private func phrases(
    in block: TextRange, _ selection: TextRange, _ document: ParsedDocument
  ) -> [Phrase] {
    guard block.overlaps(selection) else { return [] }
    let start = block.utf16.lowerBound
    let text = Array(document.text.utf16[block.utf16])
    var phrases: [Phrase] = []
    var run: [(word: String, range: Range<Int>)] = []
    func finish() {
      defer { run = [] }
      guard let first = run.first, let last = run.last, run.count <= Self.longest else { return }
      phrases.append(
        Phrase(
          words: run.map(\.word),
          range: TextRange(utf16: first.range.lowerBound + start..<last.range.upperBound + start)))
    }
    for segment in DictionarySegmenter().words(in: text) {
      let range = segment.utf16
      let word = String(decoding: text[range], as: UTF16.self).lowercased()
      let isInside =
        range.lowerBound + start >= selection.utf16.lowerBound
        && range.upperBound + start <= selection.utf16.upperBound
      // Words of a phrase are separated by one space, or by nothing in scripts without spaces.
      if let last = run.last, ![[], [32]].contains(text[last.range.upperBound..<range.lowerBound]) {
        finish()
      }
      let isDistinctive = isInside && word.utf16.count > 1 && word.contains(where: \.isLetter)
      if isDistinctive, !Self.common.contains(word) { run.append((word, range)) } else { finish() }
    }
    finish()
    return phrases
  }
}
