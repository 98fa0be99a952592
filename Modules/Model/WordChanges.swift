/// The differences between two versions of a passage, as runs of kept, removed and added words.
///
/// ```swift
/// let changes = WordChanges(from: "the quick fox", to: "the slow fox")
/// changes.runs.map(\.words)  // ["the", "quick", "slow", "fox"]
/// ```
package struct WordChanges: Hashable, Sendable {
  /// Consecutive words with the same kind of change.
  package struct Run: Hashable, Sendable {
    /// Whether the words were kept, removed or added.
    package var kind: Kind
    /// The words, separated by single spaces.
    package var words: String
  }

  /// Whether words were kept, removed or added.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// The words are in both versions.
    case kept
    /// The words are only in the old version.
    case removed
    /// The words are only in the new version.
    case added
  }

  /// The runs in the order of the passage. Removed words precede the words that replace them.
  package let runs: [Run]

  /// Compares two passages word by word by a shortest edit script (Myers, 1986). O((words in both)
  /// × (differing words)).
  ///
  /// - Parameter ignoresCase: whether words that differ only in case are kept, in their old form.
  package init(from old: String, to new: String, ignoresCase: Bool = false) {
    let before = old.split(whereSeparator: \.isWhitespace)
    let after = new.split(whereSeparator: \.isWhitespace)
    let words = { (text: [Substring]) in
      ignoresCase ? text.map { $0.lowercased()[...] } : text
    }
    let difference = words(after).difference(from: words(before))
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var pieces: [(Kind, [Substring])] = []
    func take(_ kind: Kind, _ word: Substring) {
      if pieces.last?.0 == kind {
        pieces[pieces.count - 1].1.append(word)
      } else {
        pieces.append((kind, [word]))
      }
    }
    var (i, j) = (0, 0)
    while i < before.count || j < after.count {
      if removed.contains(i), i < before.count {
        take(.removed, before[i])
        i += 1
      } else if added.contains(j), j < after.count {
        take(.added, after[j])
        j += 1
      } else {
        take(.kept, before[i])
        i += 1
        j += 1
      }
    }
    runs = pieces.map { Run(kind: $0.0, words: $0.1.joined(separator: " ")) }
  }
}
