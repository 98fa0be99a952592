package import FoundationEssentials
package import Model

extension RichDocument {
  /// A highlighted passage of the text.
  ///
  /// ```swift
  /// let highlight = RichDocument.Highlight(range: 2..<7, color: .green, note: "Why?")
  /// highlight.comment  // "[G] Why?"
  /// ```
  package struct Highlight: Sendable, Hashable {
    /// The passage. An empty range is a position whose passage is unknown.
    package var range: Range<Int>
    package var color: HighlightColor
    /// The user's note; may be empty.
    package var note: String
    package var tags: [String]
    /// The highlight in the library; nil if unknown.
    package var record: Record?
    /// The date of the comment in which the highlight is written; nil for none.
    package var date: Date?

    /// A highlight in a library.
    package struct Record: Sendable, Hashable {
      package var id: String
      /// The words of the passage, and those before and after it.
      package var (quote, prefix, suffix): (String, String, String)

      package init(id: String, quote: String, prefix: String, suffix: String) {
        self.id = id
        (self.quote, self.prefix, self.suffix) = (quote, prefix, suffix)
      }
    }

    package init(
      range: Range<Int>, color: HighlightColor, note: String = "", tags: [String] = []
    ) {
      (self.range, self.color, self.note, self.tags) = (range, color, note, tags)
    }

    /// The author of the comments that Diple writes, by which it recognises them.
    package static let author = "Diple"

    /// The highlight as the text of a comment: the letter of its colour in brackets, and then the
    /// note and the tags.
    package var comment: String {
      let text = TaggedNote(note: note, tags: tags).text
      return "[\(color.letter)]" + (text.isEmpty ? "" : " ") + text
    }

    /// Creates a highlight from the text of a comment; nil if Diple did not write it. O(text)
    package init?(range: Range<Int>, comment: String) {
      guard comment.hasPrefix("["),
        let color = HighlightColor.allCases.first(where: { comment.hasPrefix("[\($0.letter)]") })
      else { return nil }
      var text = comment.dropFirst(3)
      if text.first == " " { text = text.dropFirst() }
      let content = TaggedNote(text)
      self.init(range: range, color: color, note: content.note, tags: content.tags)
    }
  }
}

extension RichDocument {
  /// For each highlight, whether another program needs a comment to show it: it has a note or tags,
  /// or its passage cannot be seen from the shading alone, because it overlaps or touches another
  /// one or has several paragraphs or cells. `highlights` must be sorted. O(text + highlights · log text)
  package var needsComment: [Bool] {
    if highlights.isEmpty { return [] }
    var result = highlights.map { !$0.note.isEmpty || !$0.tags.isEmpty }
    // The ends of paragraphs and cells.
    let ends = text.units.indices.filter {
      text.units[$0] == 0x09 || AttributedText.isTerminator(text.units[$0])
    }
    func hasEnd(_ range: Range<Int>) -> Bool {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if ends[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
      }
      return low < ends.count && ends[low] < range.upperBound
    }
    // The highlight with the greatest end among those before.
    var longest: Int?
    for (index, highlight) in highlights.enumerated() {
      let range = highlight.range
      if hasEnd(range) { result[index] = true }
      if let other = longest {
        let end = highlights[other].range.upperBound
        if end > range.lowerBound {
          result[index] = true
          result[other] = true
        } else if end == range.lowerBound, !result[other],
          highlights[other].color == highlight.color
        {
          result[index] = true
        }
        if end > range.upperBound { continue }
      }
      longest = index
    }
    return result
  }
}
