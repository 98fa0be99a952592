import FoundationEssentials
import Model
import RichText

/// The highlights, and the passages of comments, in the order in which they are written.
struct RTFPassages {
  /// A mark between two characters.
  enum Mark {
    case start(Int)
    case end(Int)
    /// The comment of a highlight, with the number of its passage; nil if the passage is unknown.
    case comment(RichDocument.Highlight, Int?)
    /// The space on paper for the letters that refer to the note of a highlight.
    case space(letters: Int)
  }

  private var marks: [(offset: Int, mark: Mark)] = []
  private var position = 0
  /// The offsets at which highlights start or end, each with the highlights from there.
  private var parts: [(start: Int, open: [Int])] = []
  private var partIndex = 0
  private let highlights: [RichDocument.Highlight]
  /// The maximum number of highlights of one part. Those that started first are omitted.
  private static let mostOpen = 32

  /// O(highlights · log highlights + comments + text of the highlights)
  ///
  /// - Parameter hasComments: whether comments contain the notes.
  init(_ document: RichDocument, hasComments: Bool) {
    highlights = document.highlights
    addParts()
    guard hasComments else {
      var labels = 0
      for highlight in highlights where highlight.hasNote && !highlight.range.isEmpty {
        labels += 1
        let letters = ListItem.Marker.letters(labels).utf8.count
        marks.append((highlight.range.upperBound, .space(letters: letters)))
      }
      marks.sort { $0.offset < $1.offset }
      return
    }
    var starts: [(offset: Int, mark: Mark)] = []
    let needsComment = document.needsComment
    for (number, highlight) in document.highlights.enumerated() where needsComment[number] {
      let range = highlight.range
      if range.isEmpty {
        marks.append((range.lowerBound, .comment(highlight, nil)))
        continue
      }
      starts.append((range.lowerBound, .start(number)))
      marks.append((range.upperBound, .end(number)))
      marks.append((range.upperBound, .comment(highlight, number)))
    }
    for note in document.notes {
      guard let range = note.range, let number = Self.number(of: note, in: document) else {
        continue
      }
      starts.append((range.lowerBound, .start(number)))
      marks.append((range.upperBound, .end(number)))
    }
    // At an offset, passages end before others start. The sort is stable.
    marks = (marks + starts).sorted { $0.offset < $1.offset }
  }

  /// Returns the number of the passage of a comment; nil if the note has none.
  static func number(of note: RichDocument.Note, in document: RichDocument) -> Int? {
    note.range.map { _ in document.highlights.count + note.offset }
  }

  private mutating func addParts() {
    let changes = Set(highlights.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    // The open highlights, and closed ones below an open one.
    var open: [Int] = []
    var rest = highlights.indices
    for offset in changes {
      while let next = rest.first, highlights[next].range.lowerBound <= offset {
        open.append(next)
        rest.removeFirst()
      }
      func isClosed(_ index: Int) -> Bool { highlights[index].range.upperBound <= offset }
      while let last = open.last, isClosed(last) { open.removeLast() }
      parts.append((offset, open.suffix(Self.mostOpen).filter { !isClosed($0) }))
    }
  }

  /// The offset of the next mark.
  var next: Int { position < marks.count ? marks[position].offset : .max }

  /// Returns the marks up to an offset that were not returned before. Offsets must not decrease
  /// from call to call. Amortized O(1).
  mutating func marks(upTo offset: Int) -> [Mark] {
    guard next <= offset else { return [] }
    let start = position
    while next <= offset, position < marks.count { position += 1 }
    return marks[start..<position].map(\.mark)
  }

  /// Returns the indices of the highlights at an offset, by their start, and the end of the part
  /// that has them. Offsets must not decrease from call to call. Amortized O(1).
  mutating func open(at offset: Int) -> (highlights: [Int], end: Int) {
    while partIndex < parts.count, parts[partIndex].start <= offset { partIndex += 1 }
    let end = partIndex < parts.count ? parts[partIndex].start : .max
    return (partIndex > 0 ? parts[partIndex - 1].open : [], end)
  }
}

extension RTFWriter {
  /// Returns a date as Word packs it: minute, hour, day, month, year since 1900 and weekday, from
  /// the lowest bits.
  private static func packed(_ date: Date) -> Int {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.minute, .hour, .day, .month, .year, .weekday], from: date)
    let year = min(max((parts.year ?? 1900) - 1900, 0), 511)
    let packed =
      (parts.minute ?? 0) | (parts.hour ?? 0) << 6 | (parts.day ?? 1) << 11
      | (parts.month ?? 1) << 16 | year << 20 | ((parts.weekday ?? 1) - 1) << 29
    // Word reads a number with a sign.
    return Int(Int32(truncatingIfNeeded: packed))
  }

  mutating func write(_ mark: RTFPassages.Mark) {
    switch mark {
    case .start(let number): write("{\\*\\atrfstart \(number)}")
    case .end(let number): write("{\\*\\atrfend \(number)}")
    // An en space is half as wide as its size in points.
    case .space(let letters):
      for _ in 0..<letters { write("{\\fs20 \\u8194\\'3f}") }
    case .comment(let highlight, let number):
      let author = RichDocument.Highlight.author
      write("{\\*\\atnid \(author.prefix(1))}{\\*\\atnauthor \(author)}\\chatn{\\*\\annotation")
      if let number { write("{\\*\\atnref \(number)}") }
      if let date = highlight.date { write("{\\*\\atndate \(Self.packed(date))}") }
      write("\\pard\\plain ")
      let text = Array(highlight.comment.utf16)
      // The letter of the colour and a space precede the note.
      let styles = (highlight.styledNote?.styles ?? []).map { style in
        (start: style.range.lowerBound + 4, end: style.range.upperBound + 4, style.attributes)
      }
      var place = 0
      for (start, end, attributes) in styles where place <= start && end <= text.count {
        writeLines(text[place..<start])
        write("{" + tables.words(attributes) + " ")
        writeLines(text[start..<end])
        write("}")
        place = end
      }
      writeLines(text[place...])
      write("}")
    }
  }

  /// Writes a text whose lines are paragraphs.
  private mutating func writeLines(_ text: ArraySlice<UInt16>) {
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      if index > 0 { write("\\par ") }
      writeUnits(line)
    }
  }
}

extension RTFWriterTables {
  /// Returns the words for the colour of a highlight, and for Diple the text's own background.
  func words(_ shade: HighlightColor, over own: CharacterAttribute?) -> String {
    let number = number(.rgb(shade.onPaper))
    var words = "\\chcbpat\(number)\\cb\(number)\\dplback"
    if case .background(let color)? = own { words += "\(self.number(color))" }
    return words
  }
}
