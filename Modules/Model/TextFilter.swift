/// What a text must hold so that it is worth looking through: what a search strategy says of a query
/// and an index can answer. It never leaves out a text with a match; it may let others through.
public indirect enum TextFilter: Hashable, Sendable {
  /// Every text.
  case everything
  /// Texts with these characters, without regard to case and diacritics.
  case substring(String)
  /// Texts with these words, best first.
  case words(WordFilter)
  /// Texts that all of these let through.
  case all([TextFilter])
  /// Texts that one of these lets through.
  case any([TextFilter])

  /// The same filter without parts that say nothing.
  public var simplified: TextFilter {
    switch self {
    case .all(let parts):
      let kept = parts.map(\.simplified).filter { $0 != .everything }
      return kept.isEmpty ? .everything : kept.count == 1 ? kept[0] : .all(kept)
    case .any(let parts):
      let kept = parts.map(\.simplified)
      if kept.isEmpty || kept.contains(.everything) { return .everything }
      return kept.count == 1 ? kept[0] : .any(kept)
    default: return self
    }
  }
}

/// A query for whole words: a text must fit one of the alternatives.
public struct WordFilter: Hashable, Sendable {
  /// Words that stand one after the other, in the form of `TextFolding`.
  public struct Phrase: Hashable, Sendable {
    /// At least one.
    public var words: [String]
    /// Whether the last word may go on.
    public var isPrefix: Bool

    /// Makes a phrase of its parts.
    package init(words: [String], isPrefix: Bool = false) {
      self.words = words
      self.isPrefix = isPrefix
    }

    /// The words of a text as an index divides it.
    public init(dividing text: String, isPrefix: Bool = false) {
      var words: [String] = []
      var word = ""
      for scalar in text.unicodeScalars {
        let (folded, kind) = TextFolding.fold(scalar.value)
        guard kind != .mark else { continue }
        if kind != .word, !word.isEmpty {
          words.append(word)
          word = ""
        }
        guard kind != .separator, let folded = Unicode.Scalar(folded) else { continue }
        if kind == .single {
          words.append(String(folded))
        } else {
          word.unicodeScalars.append(folded)
        }
      }
      if !word.isEmpty { words.append(word) }
      self.init(words: words, isPrefix: isPrefix)
    }
  }

  /// What a text must hold, and what it must not.
  public struct Alternative: Hashable, Sendable {
    /// All of these.
    public var wanted: [Phrase]
    /// None of these.
    public var unwanted: [Phrase]

    /// Makes an alternative of its parts.
    public init(wanted: [Phrase], unwanted: [Phrase] = []) {
      self.wanted = wanted
      self.unwanted = unwanted
    }
  }

  /// At least one, each with something that is wanted.
  public var alternatives: [Alternative]

  /// Makes a filter of its alternatives.
  public init(alternatives: [Alternative]) { self.alternatives = alternatives }
}
