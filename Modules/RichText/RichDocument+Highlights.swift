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
    /// The note as a comment shows it, if it has bold, italic or struck words; nil to show ``note``.
    package var styledNote: StyledNote?
    /// The highlight in the library; nil if unknown.
    package var record: Record?
    /// The date of the comment in which the highlight is written; nil for none.
    package var date: Date?

    /// A note with bold, italic and struck words. Its paragraphs end with line feeds.
    package struct StyledNote: Sendable, Hashable {
      package var text: String
      /// The styles of the words that have some, in order. The ranges are UTF-16 units of the text.
      package var styles: [Style] = []

      package struct Style: Sendable, Hashable {
        package var range: Range<Int>
        package var attributes: AttributeSet<CharacterAttribute>
      }

      /// The attributes that the notes of other programs can have.
      package static let kinds: [CharacterAttribute.Kind] = [.bold, .italic, .strikethrough]

      /// Creates a note from a part of a text; nil if no word of it has such attributes. O(runs)
      package init?(_ text: AttributedText, _ range: Range<Int>) {
        self.text = String(units: text.units[range])
        var styles: [Style] = []
        text.characters.forEach(in: range) { part, set in
          let other = CharacterAttribute.Kind.allCases.filter { !Self.kinds.contains($0) }
          var attributes = set.removing(other)
          attributes.other = [:]
          let isPlain = attributes.values.allSatisfy {
            [.bold(false), .italic(false), .strikethrough(.none)].contains($0)
          }
          if isPlain { return }
          styles.append(
            Style(
              range: part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound,
              attributes: attributes))
        }
        if styles.isEmpty { return nil }
        self.styles = styles
      }

      /// The note as a text.
      package var attributed: AttributedText {
        var layer = FormatLayer()
        for style in styles { layer.characters.append(style.range, style.attributes) }
        return AttributedText(units: Array(text.utf16), layer: layer)
      }
    }

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

    /// Whether the highlight has a note or tags.
    package var hasNote: Bool { !note.isEmpty || !tags.isEmpty }

    /// The highlight as the text of a comment: the letter of its colour in brackets, and then the
    /// note and the tags.
    package var comment: String {
      let text = TaggedNote(note: styledNote?.text ?? note, tags: tags).text
      return "[\(color.letter)]" + (text.isEmpty ? "" : " ") + text
    }

    /// Creates a highlight from the text of a comment; nil if Diple did not write it. O(text)
    package init?(range: Range<Int>, comment: AttributedText) {
      let string = comment.string
      guard string.hasPrefix("["),
        let color = HighlightColor.allCases.first(where: { string.hasPrefix("[\($0.letter)]") })
      else { return nil }
      var text = string.dropFirst(3)
      if text.first == " " { text = text.dropFirst() }
      let content = TaggedNote(text)
      self.init(range: range, color: color, note: content.note, tags: content.tags)
      let start = string.utf16.count - text.utf16.count
      styledNote = StyledNote(comment, start..<start + content.note.utf16.count)
    }
  }
}

extension RichDocument {
  /// For each highlight, whether another program needs a comment to show it: it has a note or tags,
  /// or its passage cannot be seen from the shading alone, because it overlaps or touches another
  /// one or has several paragraphs or cells. `highlights` must be sorted. O(text + highlights · log text)
  package var needsComment: [Bool] {
    if highlights.isEmpty { return [] }
    var result = highlights.map(\.hasNote)
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
