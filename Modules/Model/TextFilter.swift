/// A condition that every text with a match meets, which an index can check quickly.
///
/// Search strategies derive it from a query, to avoid searching every document. It must match every
/// text that contains a match, and may match others.
public indirect enum TextFilter: Hashable, Sendable {
  /// Matches every text.
  case everything
  /// Matches texts that contain these characters, ignoring case, diacritics and the way in which
  /// letters are encoded.
  case substring(String)
  /// Matches texts that contain these words. Texts are ranked, the best first.
  case words(WordFilter)
  /// Matches texts that all of the filters match.
  case all([TextFilter])
  /// Matches texts that any of the filters matches.
  case any([TextFilter])

  /// The same filter without parts that match everything. An empty `any` also becomes `everything`.
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

/// A query for whole words. A text must meet at least one of its alternatives.
///
/// ```swift
/// // Texts with a word that starts with “highl”, but without “trash”.
/// let highlights = WordFilter.Phrase(dividing: "highl", isPrefix: true)
/// let trash = WordFilter.Phrase(dividing: "trash")
/// let filter = WordFilter(alternatives: [.init(wanted: [highlights], unwanted: [trash])])
/// ```
public struct WordFilter: Hashable, Sendable {
  /// Consecutive words, in the form that `TextFolding` produces.
  public struct Phrase: Hashable, Sendable {
    /// The words; at least one.
    public var words: [String]
    /// Whether the last word may be the beginning of a longer word.
    public var isPrefix: Bool

    package init(words: [String], isPrefix: Bool = false) {
      self.words = words
      self.isPrefix = isPrefix
    }

    /// Divides a text into words as the index does, and folds them.
    public init(dividing text: String, isPrefix: Bool = false) {
      var words: [String] = []
      var word = ""
      for scalar in Canonical.normalized(text).unicodeScalars {
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

  /// Phrases that a text must contain, and phrases that it must not contain.
  public struct Alternative: Hashable, Sendable {
    /// The phrases that must all be in the text.
    public var wanted: [Phrase]
    /// The phrases of which none may be in the text.
    public var unwanted: [Phrase]

    /// Creates an alternative. `wanted` should contain at least one phrase.
    public init(wanted: [Phrase], unwanted: [Phrase] = []) {
      self.wanted = wanted
      self.unwanted = unwanted
    }
  }

  /// The alternatives; at least one, each with at least one wanted phrase.
  public var alternatives: [Alternative]

  /// Creates a filter from its alternatives.
  public init(alternatives: [Alternative]) { self.alternatives = alternatives }
}
