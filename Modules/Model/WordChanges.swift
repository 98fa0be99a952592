/// What became of the words of a passage, as runs of words that stayed, went and came.
package struct WordChanges: Hashable, Sendable {
  /// A run of words.
  package struct Run: Hashable, Sendable {
    /// What became of the run.
    package var kind: Kind
    /// The words, with single blanks between them.
    package var words: String
  }

  /// What becomes of words.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// They are in both passages.
    case kept
    /// They are only in the old one.
    case removed
    /// They are only in the new one.
    case added
  }

  /// The runs in the order of the passages.
  package let runs: [Run]

  /// Compares two passages word by word, by a shortest edit script (Myers, 1986).
  /// O((words of both) · (words that differ)).
  package init(from old: String, to new: String) {
    let before = old.split(whereSeparator: \.isWhitespace)
    let after = new.split(whereSeparator: \.isWhitespace)
    let difference = after.difference(from: before)
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
