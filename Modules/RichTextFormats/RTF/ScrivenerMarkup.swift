import Model
import RichText

/// The tags that Scrivener writes into the text of its RTF for styles, annotations and footnotes.
enum ScrivenerMarkup {
  private enum Mark {
    case begin(isParagraph: Bool, style: Int)
    case end(isParagraph: Bool, style: Int)
    case other
  }

  private static let opening = Array("<$Scr".utf16)
  private static let closing = Array("<!$Scr".utf16)
  private static let annotation = Array("{\\Scrv_annot".utf16)
  private static let annotationEnd = Array("\\end_Scrv_annot}".utf16)
  private static let footnote = Array("{\\Scrv_fn=".utf16)
  private static let footnoteEnd = Array("\\end_Scrv_fn}".utf16)
  private static let content = Array("\\text=".utf16)

  /// Removes the tags from a document's text. Styles become `scrivenerMarks`, annotations become
  /// comments, and footnotes become notes. O(text).
  static func extract(from document: inout RichDocument) {
    let units = document.text.units
    var edits: [TextEdit] = []
    var notes: [RichDocument.Note] = []
    var marks: [(mark: Mark, offset: Int)] = []
    var shift = 0
    var index = 0
    // A tag that was not found is not searched for again, so that each is searched to the end only
    // once.
    var missing: Set<[UInt16]> = []
    func replace(_ range: Range<Int>, by text: String) {
      edits.append(TextEdit(range: TextRange(utf16: range), replacement: text))
      shift += text.utf16.count - range.count
      index = range.upperBound
    }
    func note(_ kind: RichDocument.Note.Kind, _ range: Range<Int>, _ end: [UInt16]) -> Bool {
      guard !missing.contains(end) else { return false }
      guard let stop = units.find(end, from: range.lowerBound) else {
        missing.insert(end)
        return false
      }
      var body = range.lowerBound..<stop
      if kind == .comment, let start = units.find(content, from: index, before: stop) {
        body = start + content.count..<stop
      }
      notes.append(
        RichDocument.Note(kind: kind, offset: index + shift, text: document.text.slice(body)))
      replace(index..<stop + end.count, by: "\u{FFFC}")
      return true
    }
    while index < units.count {
      if units[index] == 0x3C, let (mark, end) = mark(in: units, at: index) {
        marks.append((mark, index + shift))
        replace(index..<end, by: "")
      } else if units.has(annotation, at: index),
        note(.comment, index + annotation.count..<units.count, annotationEnd)
      {
      } else if units.has(footnote, at: index),
        note(.footnote, index + footnote.count..<units.count, footnoteEnd)
      {
      } else {
        index += 1
      }
    }
    if edits.isEmpty { return }
    document.text.apply(edits)
    // Pictures and notes inside an annotation have no place in the text any more.
    let gone = edits.filter { !$0.replacement.isEmpty }.map(\.range.utf16)
    func isGone(_ offset: Int) -> Bool {
      var (low, high) = (0, gone.count)
      while low < high {
        let middle = (low + high) / 2
        if gone[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
      }
      return low < gone.count && gone[low].contains(offset)
    }
    let count = document.images.count + document.notes.count
    document.images.removeAll { isGone($0.offset) }
    document.notes.removeAll { isGone($0.offset) }
    let lost = count - document.images.count - document.notes.count
    if lost > 0 { document.losses.append("pictures and notes in annotations: \(lost)") }
    document.move(through: edits)
    document.notes = (document.notes + notes).sorted { $0.offset < $1.offset }
    document.scrivenerMarks = ranges(marks, document.text)
  }

  /// Parses a tag, for example `<$Scr_Ps::3>`, `<!$Scr_Ps::3>` or `<$ScrKeepWithNext>`; nil if there
  /// is no tag at the index.
  private static func mark(in units: [UInt16], at index: Int) -> (Mark, end: Int)? {
    let isBegin = units.has(opening, at: index)
    guard isBegin || units.has(closing, at: index) else { return nil }
    let start = index + (isBegin ? opening.count : closing.count)
    let limit = min(units.count, start + 32)
    guard let end = units[start..<limit].firstIndex(of: 0x3E) else { return nil }
    // A tag contains neither a mark of a note or picture nor another tag.
    guard units[start..<end].allSatisfy(isPartOfTag) else { return nil }
    let words = String(units: units[start..<end])
    guard words.first == "_" || words.first?.isUppercase == true else { return nil }
    guard let colons = words.firstRange(of: "::"),
      let style = Int(words[colons.upperBound...]), style >= 0
    else { return (.other, end + 1) }
    let isParagraph = words[..<colons.lowerBound] == "_Ps"
    guard isParagraph || words[..<colons.lowerBound] == "_Cs" else { return (.other, end + 1) }
    return (
      isBegin
        ? .begin(isParagraph: isParagraph, style: style)
        : .end(isParagraph: isParagraph, style: style), end + 1
    )
  }

  private static func isPartOfTag(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    default: false
    }
  }

  /// Returns the ranges between start and end tags. A range without an end tag extends to the end
  /// of the text. The style of a paragraph whose tag is at the end of the one before it starts
  /// after that end.
  private static func ranges(_ marks: [(mark: Mark, offset: Int)], _ text: AttributedText)
    -> [RichDocument.ScrivenerMark]
  {
    let length = text.units.count
    struct Name: Hashable {
      var isParagraph: Bool
      var style: Int
    }
    var open: [Name: [Int]] = [:]
    var result: [RichDocument.ScrivenerMark] = []
    func add(_ name: Name, _ range: Range<Int>) {
      result.append(
        RichDocument.ScrivenerMark(
          isParagraphStyle: name.isParagraph, style: name.style, range: range))
    }
    for (mark, offset) in marks {
      switch mark {
      case .begin(let isParagraph, let style):
        let isAtEnd =
          isParagraph && offset < length && AttributedText.isTerminator(text.units[offset])
          && !text.isParagraphStart(offset)
        let offset = isAtEnd ? offset + 1 : offset
        open[Name(isParagraph: isParagraph, style: style), default: []].append(offset)
      case .end(let isParagraph, let style):
        let name = Name(isParagraph: isParagraph, style: style)
        if let start = open[name]?.popLast() {
          add(name, start..<max(start, offset))
        }
      case .other: break
      }
    }
    for (name, starts) in open { for start in starts { add(name, start..<length) } }
    return result.sorted {
      ($0.range.lowerBound, $1.range.upperBound, $0.style)
        < ($1.range.lowerBound, $0.range.upperBound, $1.style)
    }
  }
}

extension [UInt16] {
  /// Returns whether the units are at an index. O(part).
  fileprivate func has(_ part: [UInt16], at index: Int) -> Bool {
    self[index] == part[0] && index + part.count <= count
      && self[index..<index + part.count].elementsEqual(part)
  }

  /// Returns the index of the next occurrence of some units; nil if there is none. O(distance ·
  /// part).
  fileprivate func find(_ part: [UInt16], from start: Int, before end: Int? = nil) -> Int? {
    var index = start
    let last = (end ?? count) - part.count
    while index <= last {
      if has(part, at: index) { return index }
      index += 1
    }
    return nil
  }
}
