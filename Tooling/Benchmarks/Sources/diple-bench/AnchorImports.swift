import Anchoring
import Foundation
import Model

/// Creates quotes as other programs export them, from any documents: the words alone, with a
/// position, with other white space, punctuation or letters, or without their middle. The generator
/// has a fixed seed, so the same documents yield the same quotes, and none are stored.
struct AnchorImports {
  /// The way in which a quote differs from the document.
  enum Kind: String, CaseIterable {
    case alone, positioned, folded, typographic, plain, hyphenated, cut, footnotes, misread
    case inContext = "in context"
    case gone
    // The exact words, with a context that differs from the document.
    case trimmed, normalised
    case oneSided = "one side"
    case foreign, swapped

    /// Whether the quotes are short, and have a position or a context.
    var hasContext: Bool {
      switch self {
      case .positioned, .inContext, .trimmed, .normalised, .oneSided, .foreign, .swapped: true
      default: false
      }
    }
  }

  private static let quotesOfEachKind = 6
  /// The minimum number of words in a document. Quotes of a shorter one would show little.
  static let leastWords = 300

  private var random: SplitMix

  /// Returns a pair for each old text of a set, with quotes of this text. Both texts of the pair
  /// are equal.
  static func pairs(of set: AnchorSet) -> [AnchorSet.Pair] {
    var seen: Set<AnchorText> = []
    let texts = set.pairs.map(\.old).filter { seen.insert($0).inserted }
    let documents = texts.map { ($0, words(of: $0)) }.filter { $0.1.count >= leastWords }
    return documents.indices.map { index in
      var maker = AnchorImports(random: SplitMix(state: UInt64(index)))
      let other = documents[(index + documents.count / 2) % documents.count]
      return maker.pair(documents[index], other: other, number: index)
    }
  }

  /// Returns the ranges of the words, which are separated by white space.
  private static func words(of text: AnchorText) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for (index, unit) in (text.units + [32]).enumerated() {
      if unit > 32 {
        start = start ?? index
      } else if let first = start {
        words.append(first..<index)
        start = nil
      }
    }
    return words
  }

  private mutating func pair(
    _ document: (AnchorText, [Range<Int>]), other: (AnchorText, [Range<Int>]), number: Int
  ) -> AnchorSet.Pair {
    let text = document.0
    var cases: [AnchorSet.Case] = []
    for kind in Kind.allCases {
      for _ in 0..<Self.quotesOfEachKind {
        let source = kind == .gone ? other : document
        let range = passage(source.1, of: kind)
        let words = source.0.substring(TextRange(utf16: range))
        guard words.contains(where: \.isLetter) else { continue }
        let truth = Self.occurrences(of: words, in: text)
        // Words that also occur in this document are not gone.
        if kind == .gone, !truth.isEmpty { continue }
        var selector = Selector(
          exact: spoilt(words, kind), prefix: "", suffix: "",
          position: TextRange(utf16: 0..<words.utf16.count), textDigest: nil, renderVersion: 1)
        if kind.hasContext {
          let whole = Selector(
            selecting: TextRange(utf16: range), in: text, digest: nil, renderVersion: 1)
          if kind == .positioned || kind == .inContext { selector.position = whole.position }
          if kind != .positioned {
            (selector.prefix, selector.suffix) = context(of: whole, kind, other: other)
          }
        }
        let isKnown = kind.hasContext && kind != .foreign && kind != .swapped
        cases.append(
          AnchorSet.Case(
            id: "\(number)-\(cases.count)", range: range, truth: isKnown ? [range] : truth,
            kind: kind.rawValue, groups: truth.count > 1 ? ["repeated"] : [], selector: selector))
      }
    }
    return AnchorSet.Pair(old: text, new: text, cases: cases)
  }

  private mutating func passage(_ words: [Range<Int>], of kind: Kind) -> Range<Int> {
    let most = kind == .cut ? 60 : kind.hasContext ? 12 : 35
    let least = kind == .cut ? 30 : kind.hasContext ? 1 : 6
    let count = random.below(most - least) + least
    let first = random.below(words.count - count)
    return words[first].lowerBound..<words[first + count - 1].upperBound
  }

  /// Returns all occurrences of some words. Each is right if nothing else identifies the quote.
  private static func occurrences(of words: String, in text: AnchorText) -> [Range<Int>] {
    let units = Array(words.utf16)
    guard let first = units.first, text.units.count >= units.count else { return [] }
    return (0...text.units.count - units.count).filter { start in
      text.units[start] == first && text.units[start..<start + units.count].elementsEqual(units)
    }.map { $0..<$0 + units.count }
  }

  // MARK: - Spoiling

  /// Returns the context of a quote of some kind.
  private mutating func context(
    of whole: Selector, _ kind: Kind, other: (AnchorText, [Range<Int>])
  ) -> (prefix: String, suffix: String) {
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    switch kind {
    case .trimmed:
      return (
        String(whole.prefix.trimmingCharacters(in: .whitespacesAndNewlines).suffix(32)),
        String(whole.suffix.trimmingCharacters(in: .whitespacesAndNewlines).prefix(32))
      )
    case .normalised:
      return (
        Self.plain(words(whole.prefix).joined(separator: " ")),
        Self.plain(words(whole.suffix).joined(separator: " "))
      )
    case .oneSided: return random.below(2) == 0 ? (whole.prefix, "") : ("", whole.suffix)
    case .swapped: return (whole.suffix, whole.prefix)
    case .foreign:
      let ends = (0..<2).map { _ in
        let first = random.below(other.1.count - 12)
        return other.0.substring(
          TextRange(utf16: other.1[first].lowerBound..<other.1[first + 11].upperBound))
      }
      return (ends[0] + " ", " " + ends[1])
    default: return (whole.prefix, whole.suffix)
    }
  }

  private mutating func spoilt(_ words: String, _ kind: Kind) -> String {
    let folded = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    switch kind {
    case .alone, .positioned, .inContext, .gone, .trimmed, .normalised, .oneSided, .foreign,
      .swapped:
      return words
    case .folded: return folded
    case .typographic: return typographic(folded)
    case .plain: return Self.plain(folded)
    case .hyphenated: return hyphenated(folded)
    case .footnotes:
      return eachWord(folded) { word, random in
        random.below(8) == 0 ? word + String(random.below(40) + 1) : word
      }
    case .cut:
      let parts = folded.split(separator: " ")
      return (parts.prefix(8) + ["…"] + parts.suffix(8)).joined(separator: " ")
    case .misread:
      return String(
        folded.map { letter in
          letter.isLetter && random.below(50) == 0
            ? "lrnceo".randomElement(using: &random)! : letter
        })
    }
  }

  private mutating func eachWord(
    _ text: String, _ change: (String, inout SplitMix) -> String
  ) -> String {
    text.split(separator: " ").map { change(String($0), &random) }.joined(separator: " ")
  }

  private mutating func typographic(_ text: String) -> String {
    var isOpen = false
    let quoted = text.map { character -> String in
      switch character {
      case "\"":
        isOpen.toggle()
        return isOpen ? "“" : "”"
      case "'": return "’"
      default: return String(character)
      }
    }.joined()
    return quoted.replacing("--", with: "—").replacing("...", with: "…").replacing("ffi", with: "ﬃ")
      .replacing("fi", with: "ﬁ").replacing("fl", with: "ﬂ")
  }

  private static func plain(_ text: String) -> String {
    text.replacing("“", with: "\"").replacing("”", with: "\"").replacing("’", with: "'")
      .replacing("—", with: "--").replacing("–", with: "-").replacing("…", with: "...")
  }

  /// Returns a text in which soft hyphens or line ends divide some words.
  private mutating func hyphenated(_ text: String) -> String {
    eachWord(text) { word, random in
      guard word.count > 6, word.allSatisfy(\.isLetter), random.below(3) == 0 else { return word }
      let middle = word.index(word.startIndex, offsetBy: word.count / 2)
      return word[..<middle] + (random.below(2) == 0 ? "\u{AD}" : "-\n") + word[middle...]
    }
  }
}

/// A random number generator. Equal seeds generate equal numbers (SplitMix64, Steele 2014).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a random number from 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
