import Model
import RichText

/// The comments of a file that are being read, and the highlights that were read from them.
struct RTFComments {
  /// The maximum number of passages of comments that are read.
  static let limit = 65_536

  /// The offsets at which the passages begin and end, by their number in the file.
  var starts: [Int: Int] = [:]
  var ends: [Int: Int] = [:]
  /// The number of each comment's passage, by the index of the comment among the notes.
  var numbers: [Int: Int] = [:]
  /// The author of the next comment.
  var author = ""
  /// The highlights that Diple wrote as comments, each with the number of its passage.
  var highlights: [(highlight: RichDocument.Highlight, number: Int?)] = []

  /// Returns the passage with a number; nil if the file has none.
  func range(_ number: Int?) -> Range<Int>? {
    guard let number, let start = starts[number], let end = ends[number], start < end else {
      return nil
    }
    return start..<end
  }
}

/// Comments on passages, and text that is marked as with a highlighter.
extension RTFReader {
  /// Starts a group with the number of a passage or the name of an author.
  mutating func beginReference(_ end: RTFGroup.End, _ value: Int32?) {
    guard group.destination == .text else { return }
    collected = value.map { Array(String($0).utf16) } ?? []
    group.destination = .reference
    group.end = end
  }

  mutating func endReference(_ end: RTFGroup.End) {
    let text = String(units: collected).trimmed
    collected = []
    if end == .commentAuthor {
      comments.author = text
      return
    }
    guard let number = Int(text) else { return }
    if end == .commentNumber {
      output.number = number
    } else if outer.isEmpty, comments.starts.count < RTFComments.limit {
      if end == .commentStart {
        comments.starts[number] = output.units.count
      } else if comments.starts[number] != nil {
        comments.ends[number] = output.units.count
      }
    }
  }

  /// Stores a comment as a highlight if Diple wrote it. Returns false otherwise.
  mutating func takeHighlight(_ note: RichDocument.Note, _ number: Int?) -> Bool {
    defer { comments.author = "" }
    // LibreOffice writes a comment into the footnote that directly follows its passage.
    let isInText = outer.isEmpty || number.map { comments.starts[$0] != nil } ?? false
    guard isInText, comments.author == RichDocument.Highlight.author,
      let highlight = RichDocument.Highlight(
        range: note.offset..<note.offset, comment: note.text)
    else { return false }
    comments.highlights.append((highlight, number))
    return true
  }

  /// Returns the colour in which text with a state is marked; nil if it is not marked. Black and
  /// white are formatting. In files of other programs shading is, too, except in Diple's colours,
  /// and in bright colours of LibreOffice, whose highlighting it is.
  func markedColor(_ state: RTFCharacterState) -> UInt32? {
    if let mark = state.mark, case .rgb(let color) = tables.color(mark), color != 0,
      color != 0xFFFFFF
    {
      return color
    }
    guard !isOwn, let background = state.background,
      case .rgb(let color) = tables.color(background),
      HighlightColor(onPaper: color) != nil || isLibreOffice && Self.isBright(color)
    else { return nil }
    return color
  }

  /// Whether text that is marked in a colour is still readable in black, and the colour is not grey.
  private static func isBright(_ color: UInt32) -> Bool {
    let (red, green, blue) = (color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF)
    let isGrey = max(red, green, blue) - min(red, green, blue) < 0x30
    return !isGrey && 299 * red + 587 * green + 114 * blue >= 70_000
  }

  /// Returns the number of the colour behind text with a state, apart from a highlighter's.
  func background(of state: RTFCharacterState) -> Int32? {
    guard markedColor(state) != nil else { return state.mark ?? state.background }
    return state.mark == nil ? nil : state.background
  }

  /// Adds the range of a run to the marked parts if its text is marked.
  mutating func addMarked(_ range: Range<Int>) {
    guard let color = markedColor(output.runState) else { return }
    if let last = output.marked.last, last.color == color,
      last.range.upperBound == range.lowerBound
    {
      output.marked[output.marked.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      output.marked.append((range, color))
    }
  }

  /// Adds the passages of the comments, and the highlights, to the document. O(comments + marked
  /// parts + text)
  mutating func addHighlights(to document: inout RichDocument) {
    for (index, number) in comments.numbers {
      document.notes[index].range = comments.range(number)
    }
    var highlights = comments.highlights.map { highlight, number in
      var highlight = highlight
      if let range = comments.range(number) { highlight.range = range }
      return highlight
    }
    // Text that is marked without a comment is a highlight, too.
    var covered = Self.joined(highlights.map(\.range))[...]
    for (range, color) in output.marked {
      var start = range.lowerBound
      func add(_ end: Int) {
        guard start < end else { return }
        var part = start..<end
        if !isOwn { part = document.text.units.trimmed(part) }
        if part.isEmpty { return }
        let known = HighlightColor(onPaper: color)
        highlights.append(
          RichDocument.Highlight(
            range: part,
            color: known ?? HighlightColor(nearest: color)))
      }
      while let first = covered.first, first.upperBound <= start { covered.removeFirst() }
      for other in covered {
        if other.lowerBound >= range.upperBound { break }
        add(other.lowerBound)
        start = max(start, other.upperBound)
      }
      add(range.upperBound)
    }
    document.highlights = highlights.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
  }
}

extension RTFReader {
  /// Returns the disjoint ranges that cover the same offsets, in order.
  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, last.upperBound >= range.lowerBound {
        result[result.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension [UInt16] {
  /// Returns a range without white space and paragraph ends at its ends.
  fileprivate func trimmed(_ range: Range<Int>) -> Range<Int> {
    func isBlank(_ unit: UInt16) -> Bool {
      unit == 0x20 || unit == 0x09 || unit == 0xA0 || unit == 0x2028
        || AttributedText.isTerminator(unit)
    }
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(self[start]) { start += 1 }
    while start < end, isBlank(self[end - 1]) { end -= 1 }
    return start..<end
  }
}
