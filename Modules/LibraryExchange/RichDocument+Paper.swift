import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import RichMarkdown
import RichText
import RichTextFormats

/// The text of a PDF file before its highlights are written into it.
struct PaperText {
  /// The text as RTF, in which highlighted passages are links.
  let rtf: [UInt8]
  /// The highlights that the links name.
  let marking: PDFMarking

  /// Creates the text of a document. A list of the notes follows it, because paper has no
  /// annotations: the passages and the list have the same letters.
  init(_ document: RichDocument, _ options: RTFWriter.Options) {
    var options = options
    options.isForPaper = true
    var labels: [Int: String] = [:]
    for (index, highlight) in document.highlights.enumerated() where highlight.hasNote {
      labels[index] = ListItem.Marker.letters(labels.count + 1)
    }
    var parts = [document]
    if !labels.isEmpty { parts.append(Self.heading) }
    for (index, highlight) in document.highlights.enumerated() {
      if let label = labels[index] { parts.append(Self.entry(highlight, label)) }
    }
    let (bytes, links) = RTFWriter.writeWithLinks(RichDocument(joining: parts), options: options)
    rtf = bytes
    marking = PDFMarking(
      scheme: RTFWriter.markScheme,
      marks: document.highlights.enumerated().map { index, highlight in
        let words = String(units: document.text.units[highlight.range])
        return PDFMarking.Mark(
          id: PDFMarking.names + (highlight.record?.id ?? ""),
          quote: highlight.record?.quote ?? words, prefix: highlight.record?.prefix ?? "",
          suffix: highlight.record?.suffix ?? "", color: highlight.color.onPaper,
          contents: TaggedNote(note: highlight.note, tags: highlight.tags).text, author: "",
          changed: highlight.date.map(Self.written) ?? "", label: labels[index] ?? "",
          isRightToLeft: QuoteScript.isRightToLeft(words))
      }, links: links)
  }

  /// Returns a date in the notation of PDF.
  private static func written(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    func digits(_ value: Int?, _ count: Int = 2) -> String {
      let text = "\(max(0, value ?? 0))"
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return "D:\(digits(parts.year, 4))"
      + [parts.month, parts.day, parts.hour, parts.minute, parts.second].map { digits($0) }
      .joined() + "Z"
  }

  // MARK: - The list of notes

  private static var heading: RichDocument {
    let text = Array("Notes".utf16)
    var layer = FormatLayer()
    layer.paragraphs.append(0..<text.count, [.style(.heading(2))])
    return RichDocument(text: AttributedText(units: text, layer: layer))
  }

  /// The size of the notes, in half points.
  private static let noteSize = 22
  /// The distance of the notes from their letters.
  private static let noteIndent = Twips(480)

  /// Returns the entry of a highlight: its letter, the note as Markdown, and the tags.
  private static func entry(_ highlight: RichDocument.Highlight, _ label: String) -> RichDocument {
    var note = RichDocument(ParsedDocument(parsing: MarkdownSource(highlight.note)))
    while let last = note.text.units.last, AttributedText.isTerminator(last) {
      note.text = note.text.slice(0..<note.text.units.count - 1)
    }
    // A mark of the direction, because the letter is Latin.
    let isRightToLeft = TextDirection.isRightToLeft(
      (note.text.string + highlight.tags.joined()).unicodeScalars)
    let letter = Array(((isRightToLeft ? "\u{200F}" : "") + label + "\t").utf16)
    // The fonts of Arabic letters lack the sign of tags.
    let tags =
      isRightToLeft
      ? highlight.tags.joined(separator: "\u{60C} ")
      : highlight.tags.map { "#" + $0 }.joined(separator: " ")
    let ending = Array(((highlight.note.isEmpty || tags.isEmpty ? "" : "\u{2028}") + tags).utf16)
    let body = note.text
    let count = body.units.count
    var layer = FormatLayer()
    let small: AttributeSet<CharacterAttribute> = [.size(noteSize)]
    layer.characters.append(0..<letter.count, small.applying([.set(.bold(true))]))
    body.characters.forEach(in: 0..<count) { range, set in
      layer.characters.append(
        range.lowerBound + letter.count..<range.upperBound + letter.count, set.inheriting(small))
    }
    let end = letter.count + count
    layer.characters.append(
      end..<end + ending.count, small.applying([.set(.color(.rgb(0x595959)))]))
    let plain: AttributeSet<ParagraphAttribute> = [
      .firstLineIndent(Twips(0)), .headIndent(noteIndent), .spaceAfter(Twips(60)),
    ]
    let first = plain.applying([.set(.firstLineIndent(Twips(-noteIndent.count)))])
    var start = 0
    while start < count || start == 0 {
      let range = count == 0 ? 0..<0 : body.paragraphRange(around: start..<start)
      let own = count == 0 ? [] : body.paragraphs[start]
      let isPlain = own[.style] == nil && own[.list] == nil
      let place =
        (start == 0 ? 0 : range.lowerBound + letter.count)..<(range.upperBound + letter.count)
      layer.paragraphs.append(
        place, start == 0 ? own.inheriting(first) : isPlain ? own.inheriting(plain) : own)
      if range.upperBound <= start { break }
      start = range.upperBound
    }
    note.text = AttributedText(units: letter + body.units + ending, layer: layer)
    note.notes = note.notes.map { $0.moved(by: letter.count) }
    note.tableRows = []
    return note
  }
}
