import Model
package import RichText

/// Writes RTF that word processors show as Diple does, and that `RTFReader` reads as exactly the
/// same text.
///
/// ```swift
/// let bytes = RTFWriter.write(document)
/// let copy = try RTFReader.read(bytes)
/// ```
///
/// For other programs, inherited attributes are written before `\dplown`; the text's own attributes
/// follow it. Other readers ignore unknown words. Paragraph terminators become line feeds. Values
/// of newer versions of Diple (`other`) in attributes, styles and the text are not written.
package struct RTFWriter {
  /// The parts of a file other than its text.
  package struct Options: Sendable {
    /// The title and the author in the properties of the file; empty for none.
    package var title = ""
    package var author = ""
    /// Whether the text is for paper: the passages of highlights are links for which another
    /// program writes annotations, see ``RTFWriter/markScheme``, and comments are omitted.
    package var isForPaper = false
    /// Whether LibreOffice converts the text. It ignores the alternatives of fonts.
    package var isForOffice = false
    package init() {}
  }

  /// The beginning of the addresses of highlighted passages in a text for paper:
  /// `diple-mark:0-2_1` is a passage of the highlights 0 and 2 with the second link of the text.
  package static let markScheme = "diple-mark:"

  var bytes: [UInt8] = []
  /// The addresses of the links in highlighted passages of a text for paper.
  private var passageLinks: [String] = []
  let application: FormatDefaults
  let document: RichDocument
  let options: Options
  var tables: RTFWriterTables
  private let rowLayouts: [Int: RTFRowLayout]
  /// The colour of links on paper.
  static let linkColor: UInt32 = 0x1F4E79
  /// Whether the current paragraph is a table row, in which a tab ends a cell.
  private var isInRow = false
  /// Whether the current paragraph runs from right to left.
  private var isRightToLeft = false
  /// The number of the last item of each list, by level.
  var counters: [Int: [Int]] = [:]

  private init(_ document: RichDocument, _ application: FormatDefaults, _ options: Options) {
    self.document = document
    self.options = options
    self.application = application
    tables = RTFWriterTables(document.text, application)
    for note in document.notes { tables.add(note.text, application) }
    for highlight in document.highlights { tables.add(highlight.color.onPaper) }
    if options.isForPaper { tables.add(Self.linkColor) }
    rowLayouts = RTFRowLayout.all(of: document)
  }

  /// Returns the RTF of a document. O(text + runs).
  ///
  /// - Parameter application: the defaults that apply if the text sets no value. They are written
  ///   for other programs.
  package static func write(
    _ document: RichDocument, application: FormatDefaults = .standard,
    options: Options = Options()
  ) -> [UInt8] {
    writeWithLinks(document, application: application, options: options).bytes
  }

  /// Returns the RTF of a document, and the addresses of the links to which those of highlighted
  /// passages refer. O(text + runs).
  package static func writeWithLinks(
    _ document: RichDocument, application: FormatDefaults = .standard, options: Options
  ) -> (bytes: [UInt8], links: [String]) {
    var writer = RTFWriter(document, application, options)
    writer.bytes.reserveCapacity(document.text.units.count * 3 / 2 + 4_096)
    writer.writeHeader()
    writer.writeText(document.text, isNote: false)
    writer.write("}\n")
    return (writer.bytes, writer.passageLinks)
  }

  // MARK: - Bytes

  mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes a unit that is not a plain ASCII character.
  mutating func writeUnit(_ unit: UInt16) {
    switch unit {
    case 0x5C, 0x7B, 0x7D:
      bytes.append(0x5C)
      bytes.append(UInt8(unit))
    case 0x09: write(isInRow ? "\\cell " : "\\tab ")
    case 0x2028: write("\\line ")
    default:
      write("\\u")
      writeNumber(Int(Int16(bitPattern: unit)))
      write("\\'3f")
    }
  }

  private mutating func writeNumber(_ number: Int) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = abs(number)
    var divisor = 1
    while divisor * 10 <= rest { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// Writes text with escapes.
  mutating func writeUnits(_ units: ArraySlice<UInt16>) {
    for unit in units {
      if unit >= 0x20, unit < 0x7F, unit != 0x5C, unit != 0x7B, unit != 0x7D {
        bytes.append(UInt8(truncatingIfNeeded: unit))
      } else {
        writeUnit(unit)
      }
    }
  }

  // MARK: - Text

  private mutating func writeText(_ text: AttributedText, isNote: Bool) {
    // Only the document's own text can contain marks of notes and pictures.
    let notes = isNote ? [:] : Self.byOffset(document.notes, \.offset)
    let images = isNote ? [:] : Self.byOffset(document.images, \.offset)
    let rows = isNote ? [] : Set(document.tableRows.map(\.lowerBound))
    let outerDirection = isRightToLeft
    defer { isRightToLeft = outerDirection }
    let outer = isInRow
    defer { isInRow = outer }
    var paragraphWords: [ParagraphKey: [UInt8]] = [:]
    var kindBefore: ParagraphKind?
    var characterWords: [CharacterWords.Key: CharacterWords] = [:]
    var passages = RTFPassages(
      isNote ? RichDocument(text: text) : document, hasComments: !options.isForPaper)
    var start = 0
    var runs = RunCursor(text.characters)
    var paragraphRuns = RunCursor(text.paragraphs)
    let units = text.units
    while start < units.count {
      var end = start
      while end < units.count, !AttributedText.isTerminator(units[end]) { end += 1 }
      let set = paragraphRuns.set(at: start)
      isInRow = rows.contains(start) && end < units.count && Self.isRow(units[start..<end])
      // A row has the direction of its first letter.
      isRightToLeft = Self.isRightToLeft(units[start..<end])
      let layout = isInRow ? rowLayouts[start] : nil
      if isInRow {
        let cells = units[start..<end].count { $0 == 0x09 } + 1
        writeRowStart(layout, cells: cells, isRightToLeft: isRightToLeft)
      }
      let kind = ParagraphKind(set, isRow: isInRow)
      let key = ParagraphKey(
        set: set, kind: kind, before: kindBefore, isNote: isNote,
        isBeforeRow: !isInRow && rows.contains(end + 1),
        isBeforeCode: kind != .row && end + 1 < units.count
          && ParagraphKind(text.paragraphs[end + 1], isRow: false) == .code,
        isRightToLeft: isRightToLeft,
        isHead: layout?.isFirst == true && layout?.isLast == false)
      kindBefore = kind
      let isSlanted = options.isForPaper && isSlanted(set, in: text)
      if let known = paragraphWords[key] {
        bytes.append(contentsOf: known)
      } else {
        let words = Array(paragraphPrefix(key, in: text).utf8)
        paragraphWords[key] = words
        bytes.append(contentsOf: words)
      }
      var column = 0
      if isInRow {
        write("\\intbl ")
        if options.isForPaper { writeAlignment(layout, column: column) }
      } else if case .list(let item)? = set[.list] {
        writeListText(item)
      }
      // The terminator has attributes too, and may start a new run.
      var place = start
      var next = end
      if end < units.count {
        next += units[end] == 0x0D && end + 1 < units.count && units[end + 1] == 0x0A ? 2 : 1
      }
      while place < next {
        for mark in passages.marks(upTo: place) { write(mark) }
        var (set, runEnd) = runs.part(at: place)
        // Emphasised words in slanted paragraphs of a page are upright.
        if isSlanted, set[.italic] == .italic(true) { set.set(.italic(false)) }
        let (open, partEnd) = passages.open(at: place)
        var stop = min(runEnd, next, partEnd, passages.next)
        var words: CharacterWords
        if options.isForPaper, isInRow, place < end {
          // The alignment of the next cell follows the end of a cell.
          let tab = units[place..<min(stop, end)].firstIndex(of: 0x09) ?? stop
          stop = tab == place ? place + 1 : tab
        }
        if options.isForPaper, !open.isEmpty, place < end, notes[place] == nil {
          // The mark of a note is a link itself, and cannot be in one.
          stop = (place..<min(stop, end)).first { notes[$0] != nil } ?? min(stop, end)
          words = passageWords(set, open)
        } else {
          if options.isForPaper, notes[place] != nil { stop = place + 1 }
          let shade = options.isForPaper ? nil : open.last.map { document.highlights[$0].color }
          let key = CharacterWords.Key(set: set, shade: shade, isRightToLeft: isRightToLeft)
          if let known = characterWords[key] {
            words = known
          } else {
            let shading = shade.map { tables.words($0, over: set[.background]) } ?? ""
            words = CharacterWords(
              tables.words(set, isRightToLeft: isRightToLeft) + shading,
              link: set[.link]?.address, tables.linkStyle)
            characterWords[key] = words
          }
        }
        bytes.append(contentsOf: words.opening)
        if place < end { writePart(units, place..<min(stop, end), notes, images) }
        // A CR LF pair is a single paragraph end.
        if stop == next, end < next { write(isInRow ? "\\cell\\row\n" : "\\par\n") }
        bytes.append(contentsOf: words.closing)
        if options.isForPaper, isInRow, place < end, units[place] == 0x09 {
          column += 1
          writeAlignment(layout, column: column)
        }
        place = stop
      }
      if start == 0, !isNote, options.isForPaper, set[.style] == .style(.heading(1)) {
        writeByline()
      }
      start = next
    }
    for mark in passages.marks(upTo: .max) { write(mark) }
  }

  /// Returns whether a paragraph can be written as a row. A line break at the end of a cell would
  /// be lost.
  private static func isRow(_ units: ArraySlice<UInt16>) -> Bool {
    var before: UInt16 = 0
    for unit in units {
      if unit == 0x09, before == 0x2028 { return false }
      before = unit
    }
    return before != 0x2028
  }

  private struct CharacterWords {
    /// The attributes of a run and the colour of its highlight.
    struct Key: Hashable {
      var set: AttributeSet<CharacterAttribute>
      var shade: HighlightColor?
      var isRightToLeft: Bool
    }

    var opening: [UInt8] = []
    var closing: [UInt8] = []

    /// - Parameters:
    ///   - link: the address of the link that the run is in; nil for none.
    ///   - style: the number of the style of links.
    init(_ words: String, link: String?, _ style: Int) {
      if words.isEmpty, link == nil { return }
      if let address = link {
        var instruction = RTFWriterTables.escaped(address, quoting: true)
        if address.hasPrefix("#"), address.count > 1 {
          instruction =
            "\\\\l \"" + RTFWriterTables.escaped(String(address.dropFirst()), quoting: true) + "\""
        } else {
          instruction = "\"" + instruction + "\""
        }
        // LibreOffice omits links without a style from PDF files.
        opening +=
          "{\\field{\\*\\fldinst{HYPERLINK \(instruction)}}{\\fldrslt\\cs\(style)".utf8
        closing += "}}".utf8
      } else {
        opening += "{".utf8
        closing += "}".utf8
      }
      opening += words.utf8
      opening.append(0x20)
    }
  }

  /// Returns the words of a run in a highlighted passage of a text for paper.
  private mutating func passageWords(_ set: AttributeSet<CharacterAttribute>, _ open: [Int])
    -> CharacterWords
  {
    let words = tables.words(set, isRightToLeft: isRightToLeft)
    var address = Self.markScheme + open.map(String.init).joined(separator: "-")
    guard let link = set[.link]?.address, !link.hasPrefix("#") else {
      return CharacterWords(words, link: address, tables.passageStyle)
    }
    if passageLinks.last != link { passageLinks.append(link) }
    address += "_\(passageLinks.count - 1)"
    return CharacterWords(words, link: address, tables.linkStyle)
  }

  /// A cursor that advances through runs.
  private struct RunCursor<Attribute: FormatAttribute> {
    private let runs: FormatRuns<Attribute>
    private var index = 0
    init(_ runs: FormatRuns<Attribute>) { self.runs = runs }

    /// Returns the attributes at an offset and the end of their run. Offsets must not decrease from
    /// call to call. Amortized O(1).
    mutating func part(at offset: Int) -> (set: AttributeSet<Attribute>, end: Int) {
      while index < runs.count, runs.run(index).range.upperBound <= offset { index += 1 }
      guard index < runs.count else { return ([], .max) }
      let run = runs.run(index)
      return run.range.lowerBound <= offset
        ? (run.set, run.range.upperBound) : ([], run.range.lowerBound)
    }

    mutating func set(at offset: Int) -> AttributeSet<Attribute> { part(at: offset).set }
  }

  private static func byOffset<Element>(_ elements: [Element], _ offset: KeyPath<Element, Int>)
    -> [Int: Element]
  {
    Dictionary(elements.map { ($0[keyPath: offset], $0) }) { first, _ in first }
  }

  private mutating func writePart(
    _ units: [UInt16], _ range: Range<Int>, _ notes: [Int: RichDocument.Note],
    _ images: [Int: RichDocument.Image]
  ) {
    if range.isEmpty { return }
    if notes.isEmpty, images.isEmpty { return writeUnits(units[range]) }
    var start = range.lowerBound
    for place in range where units[place] == 0xFFFC {
      guard notes[place] != nil || images[place] != nil else { continue }
      writeUnits(units[start..<place])
      if let note = notes[place] { write(note) } else if let image = images[place] { write(image) }
      start = place + 1
    }
    writeUnits(units[start..<range.upperBound])
  }

  private mutating func write(_ note: RichDocument.Note) {
    switch note.kind {
    case .footnote: write("{\\super\\chftn}{\\footnote{\\dplskip{\\super\\chftn} }")
    case .endnote: write("{\\super\\chftn}{\\footnote\\ftnalt{\\dplskip{\\super\\chftn} }")
    case .comment: write("{\\*\\annotation ")
    }
    if let number = RTFPassages.number(of: note, in: document) {
      write("{\\*\\atnref \(number)}")
    }
    writeText(note.text, isNote: true)
    write("}")
  }

  private mutating func write(_ image: RichDocument.Image) {
    if let file = image.file {
      write("{{\\NeXTGraphic \(RTFWriterTables.escaped(file))}\\'ac}")
      return
    }
    let words =
      switch image.format {
      case .png: "\\pngblip"
      case .jpeg: "\\jpegblip"
      case .emf: "\\emfblip"
      case .wmf: "\\wmetafile8"
      case .other: "\\dibitmap0"
      }
    write("{\\*\\shppict{\\pict\(words)")
    if let width = image.width { write("\\picwgoal\(width.count)") }
    if let height = image.height { write("\\pichgoal\(height.count)") }
    write(" ")
    let digits = Array("0123456789abcdef".utf8)
    bytes.reserveCapacity(bytes.count + 2 * image.bytes.count)
    for byte in image.bytes {
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    }
    write("}}")
  }

  // MARK: - Paragraphs

  /// The kinds of paragraphs that have space between them in other programs.
  private enum ParagraphKind: Hashable {
    case text, heading, item, quote, code, row

    init(_ set: AttributeSet<ParagraphAttribute>, isRow: Bool) {
      if isRow {
        self = .row
      } else if set[.list] != nil {
        self = .item
      } else if case .style(let id)? = set[.style] {
        let isHeading = id.name.hasPrefix("heading-")
        self = isHeading ? .heading : id == .code ? .code : id == .blockQuote ? .quote : .text
      } else {
        self = .text
      }
    }
  }

  /// The properties of a paragraph on which the words before its text depend.
  private struct ParagraphKey: Hashable {
    var set: AttributeSet<ParagraphAttribute>
    var kind: ParagraphKind
    /// The kind of the paragraph before; nil for the first one.
    var before: ParagraphKind?
    var isNote: Bool
    var isBeforeRow: Bool
    /// Whether a line of code follows, which should be on the same page.
    var isBeforeCode: Bool
    var isRightToLeft: Bool
    /// Whether it is the first row of a table with several.
    var isHead: Bool
  }

  /// Returns the words for the space around a paragraph and its indents, which only other programs
  /// read. Formats that the user set are not changed.
  private func spacing(_ key: ParagraphKey, _ inherited: AttributeSet<ParagraphAttribute>) -> String
  {
    guard document.text.defaults == FormatDefaults() else { return "" }
    if key.kind == .row { return "\\fi0\\sl240\\slmult1" }
    if key.isNote { return "\\fi0\\sl240\\slmult1" }
    var words = key.kind == .heading || key.isBeforeCode ? "\\keepn" : "\\widctlpar"
    if case .list(let item)? = key.set[.list] {
      words += "\\fi-360\\li\(720 + 360 * item.level)"
    } else if key.kind == .text, key.before != .text {
      // Only a paragraph that follows another one needs an indent to be seen.
      words += "\\fi0"
    }
    let isApart = key.kind != key.before && key.kind != .heading && key.before != .heading
    if isApart, key.before != nil, inherited[.spaceBefore] == .spaceBefore(Twips(0)) {
      words += "\\sb160"
    }
    if key.isBeforeRow, inherited[.spaceAfter] == .spaceAfter(Twips(0)) { words += "\\sa160" }
    return words
  }

  /// Returns the words before the text of a paragraph: the inherited attributes, and then its own.
  private func paragraphPrefix(_ key: ParagraphKey, in text: AttributedText) -> String {
    let set = key.set
    var style: StyleID?
    if case .style(let id)? = set[.style] { style = id }
    let resolved = text.styles.resolved(style ?? .body)
    var characters = resolved.characters.inheriting(
      text.defaults.characters.inheriting(application.characters))
    var paragraphs = resolved.paragraphs.inheriting(
      text.defaults.paragraphs.inheriting(application.paragraphs))
    let number = style.flatMap { tables.styleNumbers[$0] }
    if key.isRightToLeft, paragraphs[.alignment] == .alignment(.left) {
      paragraphs.set(.alignment(.right))
    }
    if document.text.defaults == FormatDefaults(), key.isNote { characters.set(.size(20)) }
    if options.isForPaper, key.isHead { characters.set(.bold(true)) }
    let isRightToLeft = key.isRightToLeft
    // Other programs list the headings, as in the bookmarks of a PDF file.
    let level = style.flatMap { id in (1...6).first { id == .heading($0) } }
    return "\\pard\\plain" + (level.map { "\\outlinelevel\($0 - 1)" } ?? "")
      + (isRightToLeft ? "\\rtlpar" : "") + tables.words(paragraphs)
      + spacing(key, paragraphs)
      + tables.words(characters.removing([.link]), isRightToLeft: isRightToLeft) + "\\dplown"
      + tables.words(set.removing([.style])) + (number.map { "\\s\($0)" } ?? "") + " "
  }

  /// Whether the style of a paragraph is italic.
  private func isSlanted(
    _ set: AttributeSet<ParagraphAttribute>, in text: AttributedText
  ) -> Bool {
    guard case .style(let id)? = set[.style] else { return false }
    return text.styles.resolved(id).characters[.italic] == .italic(true)
  }

  /// Returns whether a paragraph runs from right to left, by its first letter.
  private static func isRightToLeft(_ units: ArraySlice<UInt16>) -> Bool {
    // Most texts have none of these letters, all of which are above U+0590.
    guard units.contains(where: { $0 >= 0x0590 }) else { return false }
    return TextDirection.isRightToLeft(String(units: units).unicodeScalars)
  }

  /// Writes the alignment of a cell.
  private mutating func writeAlignment(_ layout: RTFRowLayout?, column: Int) {
    switch layout?.alignments.dropFirst(column).first ?? nil {
    case .center?: write("\\qc ")
    case .right?: write("\\qr ")
    case .left?: write("\\ql ")
    case .justified?, nil: write(isRightToLeft ? "\\qr " : "\\ql ")
    }
  }

  /// Writes the author below the title.
  private mutating func writeByline() {
    guard !options.author.isEmpty else { return }
    let isRightToLeft = Self.isRightToLeft(Array(options.author.utf16)[...])
    let characters: AttributeSet<CharacterAttribute> = [.italic(true), .size(26)]
    let inherited = document.text.defaults.characters.inheriting(application.characters)
    write("\\pard\\plain" + (isRightToLeft ? "\\rtlpar\\qr" : "\\ql") + "\\sa240\\keepn")
    write(tables.words(characters.inheriting(inherited), isRightToLeft: isRightToLeft) + " ")
    writeUnits(Array(options.author.utf16)[...])
    write("\\par\n")
  }

  /// Writes the item's marker for readers that do not support list tables.
  private mutating func writeListText(_ item: ListItem) {
    var numbers = counters[item.list] ?? [Int](repeating: 0, count: 9)
    numbers[item.level] += 1
    for deeper in item.level + 1..<9 { numbers[deeper] = 0 }
    counters[item.list] = numbers
    write("{\\listtext\\tab ")
    let text = item.marker.text(numbers[item.level])
    writeUnits(Array(text.utf16)[...])
    write("\\tab }")
  }
}

extension ListItem.Marker {
  /// Returns the marker of the item with a number, from 1: `•`, `3.`, `c.`, `iii.`
  package func text(_ number: Int) -> String {
    switch self {
    case .bullet: "•"
    case .decimal: "\(number)."
    case .lowerLetter: Self.letters(number) + "."
    case .upperLetter: Self.letters(number).uppercased() + "."
    case .lowerRoman: Self.roman(number) + "."
    case .upperRoman: Self.roman(number).uppercased() + "."
    }
  }

  /// Returns the letters of an item with a number, from 1: `a`, `z`, `aa`.
  package static func letters(_ number: Int) -> String {
    var rest = max(1, number)
    var text = ""
    while rest > 0 {
      text = String(UnicodeScalar(UInt8(97 + (rest - 1) % 26))) + text
      rest = (rest - 1) / 26
    }
    return text
  }

  private static func roman(_ number: Int) -> String {
    guard (1..<4_000).contains(number) else { return "\(number)" }
    let numerals = [
      (1_000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
      (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ]
    var rest = number
    return numerals.reduce(into: "") { text, sign in
      while rest >= sign.0 {
        text += sign.1
        rest -= sign.0
      }
    }
  }
}

extension CharacterAttribute {
  /// The address of a link; nil for other attributes.
  fileprivate var address: String? { if case .link(let address) = self { address } else { nil } }
}
