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
    /// The letter of the colour of a highlight without a comment, for readers without colours.
    case letter(HighlightColor)
  }

  private var marks: [(offset: Int, mark: Mark)] = []
  private var position = 0
  /// The offsets at which the shading changes; nil for text without a highlight.
  private var shades: [(start: Int, color: HighlightColor?)] = []
  private var shadeIndex = 0

  /// O(highlights · log highlights + comments + text of the highlights)
  init(_ document: RichDocument, asFootnotes: Bool) {
    var starts: [(offset: Int, mark: Mark)] = []
    let needsComment = asFootnotes ? [] : document.needsComment
    if asFootnotes {
      marks = document.highlights.map { highlight in
        let isBare = highlight.note.isEmpty && highlight.tags.isEmpty
        return (
          highlight.range.upperBound,
          isBare ? .letter(highlight.color) : .comment(highlight, nil)
        )
      }
    }
    for (number, highlight) in document.highlights.enumerated()
    where !asFootnotes && needsComment[number] {
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
    addShades(document.highlights)
  }

  /// Returns the number of the passage of a comment; nil if the note has none.
  static func number(of note: RichDocument.Note, in document: RichDocument) -> Int? {
    note.range.map { _ in document.highlights.count + note.offset }
  }

  private mutating func addShades(_ highlights: [RichDocument.Highlight]) {
    let changes = Set(highlights.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    // The open highlights, and closed ones below an open one.
    var open: [RichDocument.Highlight] = []
    var rest = highlights[...]
    for offset in changes {
      while let next = rest.first, next.range.lowerBound <= offset {
        open.append(next)
        rest.removeFirst()
      }
      while let last = open.last, last.range.upperBound <= offset { open.removeLast() }
      shades.append((offset, open.last?.color))
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

  /// Returns the colour of the highlight at an offset, and the end of the part that has it. Offsets
  /// must not decrease from call to call. Amortized O(1).
  mutating func shade(at offset: Int) -> (color: HighlightColor?, end: Int) {
    while shadeIndex < shades.count, shades[shadeIndex].start <= offset { shadeIndex += 1 }
    let end = shadeIndex < shades.count ? shades[shadeIndex].start : .max
    return (shadeIndex > 0 ? shades[shadeIndex - 1].color : nil, end)
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
    case .letter(let color): write("{\\super \(color.letter)}")
    case .comment(let highlight, let number):
      if options.notesAreFootnotes {
        write("{\\super\\chftn}{\\footnote\\pard\\plain\\f0\\fs20{\\super\\chftn} ")
      } else {
        let author = RichDocument.Highlight.author
        write("{\\*\\atnid \(author.prefix(1))}{\\*\\atnauthor \(author)}\\chatn{\\*\\annotation")
        if let number { write("{\\*\\atnref \(number)}") }
        if let date = highlight.date { write("{\\*\\atndate \(Self.packed(date))}") }
        write("\\pard\\plain ")
      }
      for (index, line) in highlight.comment.split(
        separator: "\n", omittingEmptySubsequences: false
      )
      .enumerated() {
        if index > 0 { write(options.notesAreFootnotes ? "\\line " : "\\par ") }
        writeUnits(Array(line.utf16)[...])
      }
      write("}")
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
