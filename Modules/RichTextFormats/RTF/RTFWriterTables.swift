import Model
import RichText

/// The header tables of a file that is written, and the control words of attributes.
struct RTFWriterTables {
  private(set) var fonts: [String] = []
  private var fontNumbers: [String: Int] = [:]
  private(set) var colors: [UInt32] = []
  private var colorNumbers: [UInt32: Int] = [:]
  private(set) var styleNumbers: [StyleID: Int] = [:]
  private(set) var styles: [StyleID] = []
  /// The lists, each with the markers of the levels that are used.
  private(set) var lists: [(list: Int, markers: [ListItem.Marker?])] = []
  private var listNumbers: [ListItem: Int] = [:]

  /// The number of the character style of links, and that of highlighted passages for paper.
  var linkStyle: Int { styles.count }
  var passageStyle: Int { styles.count + 1 }

  /// The number of the font of Arabic and Hebrew letters, after those of the text.
  var complexFont: Int { max(1, fonts.count) }

  init(_ text: AttributedText, _ application: FormatDefaults) {
    add(application)
    add(text.styles)
    add(text, application)
  }

  /// Adds the fonts, colours, styles and lists that a text uses.
  mutating func add(_ text: AttributedText, _ application: FormatDefaults) {
    add(text.defaults)
    for set in text.characters.usedSets { add(set) }
    for set in text.paragraphs.usedSets { add(set) }
  }

  private mutating func add(_ sheet: StyleSheet) {
    for style in sheet.styles {
      addStyle(style.id)
      add(style.characters)
      add(style.paragraphs)
    }
  }

  private mutating func addStyle(_ id: StyleID) {
    guard styleNumbers[id] == nil else { return }
    styleNumbers[id] = styles.count
    styles.append(id)
  }

  private mutating func add(_ defaults: FormatDefaults) {
    add(defaults.characters)
    add(defaults.paragraphs)
  }

  private mutating func add(_ set: AttributeSet<CharacterAttribute>) {
    for attribute in set.values {
      switch attribute {
      case .family(let name) where fontNumbers[name] == nil:
        fontNumbers[name] = fonts.count
        fonts.append(name)
      case .color(.rgb(let color)), .background(.rgb(let color)): add(color)
      default: break
      }
    }
  }

  /// Adds a colour, as `0xRRGGBB`.
  mutating func add(_ color: UInt32) {
    guard colorNumbers[color] == nil else { return }
    colors.append(color)
    colorNumbers[color] = colors.count
  }

  private mutating func add(_ set: AttributeSet<ParagraphAttribute>) {
    if case .style(let id)? = set[.style] { addStyle(id) }
    guard case .list(let item)? = set[.list], listNumbers[item] == nil else { return }
    // A list that uses two markers on the same level must be written as two lists.
    var index = lists.firstIndex { list in
      list.list == item.list && (list.markers[item.level] ?? item.marker) == item.marker
    }
    if index == nil {
      lists.append((item.list, [ListItem.Marker?](repeating: nil, count: 9)))
      index = lists.count - 1
    }
    lists[index!].markers[item.level] = item.marker
    listNumbers[item] = index! + 1
  }

  // MARK: - Words

  /// Returns the control words of attributes except links, which are written as fields.
  ///
  /// - Parameter isRightToLeft: whether the text is in a paragraph from right to left.
  func words(_ set: AttributeSet<CharacterAttribute>, isRightToLeft: Bool = false) -> String {
    // Scripts such as Arabic have separate words, which have an effect only after `\rtlch`.
    let complex = set.values.reduce(into: "") { $0 += complexWords($1) }
    let words = set.values.reduce(into: "") { $0 += self.words($1) }
    if complex.isEmpty { return words }
    return isRightToLeft
      ? "\\ltrch\(words)\\rtlch\(complex)" : "\\rtlch\(complex)\\ltrch\(words)"
  }

  private func complexWords(_ attribute: CharacterAttribute) -> String {
    switch attribute {
    case .bold(let flag): flag ? "\\ab" : "\\ab0"
    case .italic(let flag): flag ? "\\ai" : "\\ai0"
    case .size(let size): "\\afs\(size)"
    // The Latin fonts of texts have no Arabic letters, apart from monospaced ones.
    case .family(let name): "\\af\(Self.isMonospaced(name) ? number(ofFont: name) : complexFont)"
    default: ""
    }
  }

  private func number(ofFont name: String) -> Int { fontNumbers[name] ?? 0 }

  private func words(_ attribute: CharacterAttribute) -> String {
    switch attribute {
    case .bold(let flag): return flag ? "\\b" : "\\b0"
    case .italic(let flag): return flag ? "\\i" : "\\i0"
    case .underline(let style):
      return switch style {
      case .none: "\\ulnone"
      case .single: "\\ul"
      case .double: "\\uldb"
      case .words: "\\ulw"
      case .dotted: "\\uld"
      case .dashed: "\\uldash"
      case .dashDot: "\\uldashd"
      case .dashDotDot: "\\uldashdd"
      case .thick: "\\ulth"
      case .wave: "\\ulwave"
      }
    case .strikethrough(.none): return "\\strike0"
    case .strikethrough(.single): return "\\strike"
    case .strikethrough(.double): return "\\striked1"
    case .family(let name): return "\\f\(number(ofFont: name))"
    case .size(let size): return "\\fs\(size)"
    case .capitals(.normal): return "\\scaps0\\caps0"
    case .capitals(.small): return "\\scaps"
    case .capitals(.all): return "\\caps"
    case .position(.normal): return "\\nosupersub"
    case .position(.superscript): return "\\super"
    case .position(.subscript): return "\\sub"
    case .color(let color): return "\\cf\(number(color))"
    // LibreOffice reads the first word, TextEdit the second.
    case .background(let color):
      return "\\chcbpat\(number(color))\\cb\(number(color))"
    case .link: return ""
    }
  }

  /// Whether all letters of a font are equally wide, by its name.
  static func isMonospaced(_ name: String) -> Bool {
    ["mono", "menlo", "monaco", "courier", "consolas", "code", "typewriter"].contains {
      name.lowercased().contains($0)
    }
  }

  func number(_ color: TextColor) -> Int {
    if case .rgb(let value) = color { colorNumbers[value] ?? 0 } else { 0 }
  }

  /// Returns the control words of attributes except the style.
  func words(_ set: AttributeSet<ParagraphAttribute>) -> String {
    // The item's own indents must follow those of its list.
    let item = set[.list].map(words) ?? ""
    return set.values.reduce(into: item) { words, attribute in
      if attribute.kind != .list { words += self.words(attribute) }
    }
  }

  private func words(_ attribute: ParagraphAttribute) -> String {
    switch attribute {
    case .alignment(.left): return "\\ql"
    case .alignment(.center): return "\\qc"
    case .alignment(.right): return "\\qr"
    case .alignment(.justified): return "\\qj"
    case .firstLineIndent(let length): return "\\fi\(length.count)"
    case .headIndent(let length): return "\\li\(length.count)"
    case .tailIndent(let length): return "\\ri\(-length.count)"
    case .lineHeight(.multiple(let count)): return "\\sl\(count)\\slmult1"
    case .lineHeight(.atLeast(let length)): return "\\sl\(length.count)\\slmult0"
    case .lineHeight(.exactly(let length)): return "\\sl\(-length.count)\\slmult0"
    case .lineSpacing(let length): return "\\slleading\(length.count)"
    case .spaceBefore(let length): return "\\sb\(length.count)"
    case .spaceAfter(let length): return "\\sa\(length.count)"
    case .tabStops(let stops): return stops.isEmpty ? "\\dplnotabs" : stops.map(words).joined()
    case .list(let item): return "\\ls\(listNumbers[item] ?? 0)\\ilvl\(item.level)"
    case .style: return ""
    }
  }

  private func words(_ stop: TabStop) -> String {
    let kind =
      switch stop.kind {
      case .left: ""
      case .center: "\\tqc"
      case .right: "\\tqr"
      case .decimal: "\\tqdec"
      }
    let leader =
      switch stop.leader {
      case .none: ""
      case .dots: "\\tldot"
      case .middleDots: "\\tlmdot"
      case .hyphens: "\\tlhyph"
      case .underline: "\\tlul"
      case .thickLine: "\\tlth"
      case .equals: "\\tleq"
      }
    return "\(kind)\(leader)\\tx\(stop.position.count)"
  }

  /// Returns a name as RTF on one line.
  ///
  /// - Parameter quoting: whether the text is in a field's instruction, in which quotation marks
  ///   and backslashes are escaped once more.
  static func escaped(_ text: String, quoting: Bool = false) -> String {
    text.utf16.reduce(into: "") { result, unit in
      switch unit {
      case 0x5C: result += quoting ? "\\\\\\\\" : "\\\\"
      case 0x22 where quoting: result += "\\\\\""
      case 0x7B: result += "\\{"
      case 0x7D: result += "\\}"
      case 0x20...0x7E where unit != 0x3B: result.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
      default: result += "\\u\(Int16(bitPattern: unit))\\'3f"
      }
    }
  }
}

extension RTFWriter {
  mutating func writeHeader() {
    write("{\\rtf1\\dplrtf1\\ansi\\ansicpg1252\\uc1\\deff0\n{\\fonttbl")
    let fonts = tables.fonts.isEmpty ? ["Palatino"] : tables.fonts
    for (number, name) in fonts.enumerated() {
      let isMonospaced = RTFWriterTables.isMonospaced(name)
      // A font of Windows, for which LibreOffice has another one, replaces those of macOS.
      let isOfMacOS = ["Menlo", "Monaco", "SF Mono"].contains(name)
      let shown = options.isForOffice && isOfMacOS ? "Consolas" : name
      let other = isMonospaced ? "Courier New" : name == "Palatino" ? "Palatino Linotype" : ""
      write("{\\f\(number)" + (isMonospaced ? "\\fmodern\\fprq1 " : "\\fnil "))
      write(RTFWriterTables.escaped(shown) + (other.isEmpty ? "" : "{\\*\\falt \(other)}") + ";}")
    }
    // The font of Arabic and Hebrew letters.
    let complex = options.isForPaper ? "Noto Naskh Arabic" : "Times New Roman"
    write("{\\f\(tables.complexFont)\\froman \(complex);}")
    write("}\n{\\colortbl;")
    for color in tables.colors {
      write("\\red\(color >> 16)\\green\(color >> 8 & 0xFF)\\blue\(color & 0xFF);")
    }
    write("}\n{\\stylesheet")
    let sheet = document.text.styles
    for (number, id) in tables.styles.enumerated() {
      let id8 = RTFWriterTables.escaped(id.name)
      guard let style = sheet[id] else {
        write("\n{\\s\(number)\\dplmissing{\\*\\dplid \(id8)} \(id8);}")
        continue
      }
      let resolved = sheet.resolved(id)
      let base = style.basedOn.flatMap { tables.styleNumbers[$0] }
      write("\n{\\s\(number)")
      write(
        tables.words(
          resolved.paragraphs.inheriting(
            document.text.defaults.paragraphs.inheriting(application.paragraphs))))
      write(
        tables.words(
          resolved.characters.inheriting(
            document.text.defaults.characters.inheriting(application.characters))))
      write("\\dplown" + tables.words(style.paragraphs) + tables.words(style.characters))
      if let base { write("\\sbasedon\(base)") }
      write("{\\*\\dplid \(id8)} \(RTFWriterTables.escaped(style.title));}")
    }
    let linkColor = options.isForPaper ? "\\cf\(tables.number(.rgb(RTFWriter.linkColor)))" : ""
    write("\n{\\*\\cs\(tables.linkStyle)\(linkColor) Hyperlink;}")
    if options.isForPaper { write("{\\*\\cs\(tables.passageStyle) Diple Highlight;}") }
    writeNoteStyle()
    write("}\n")
    writeLists()
    if let margins = document.margins {
      write("\\margl\(margins.left.count)\\margr\(margins.right.count)")
      write("\\margt\(margins.top.count)\\margb\(margins.bottom.count)\n")
    }
    writeProperties()
    write("{\\*\\generator Diple}\n{\\*\\dpldefaults")
    write(tables.words(document.text.defaults.paragraphs))
    write(tables.words(document.text.defaults.characters) + " }\n")
  }

  /// Writes the style of footnotes, whose font and direction LibreOffice does not read elsewhere.
  private mutating func writeNoteStyle() {
    guard let note = document.notes.first else { return }
    let isRightToLeft = TextDirection.isRightToLeft(note.text.string.unicodeScalars)
    let inherited = document.text.defaults.characters.inheriting(application.characters)
    let small: AttributeSet<CharacterAttribute> = [.size(20)]
    write("{\\s\(tables.passageStyle + 1)\\dplmissing")
    if isRightToLeft { write("\\rtlpar\\qr") }
    write(tables.words(small.inheriting(inherited)) + "{\\*\\dplid footnote} footnote text;}")
  }

  /// Writes the title and the author, and the number of each page below its text.
  private mutating func writeProperties() {
    write("{\\info")
    for (name, value) in [("title", options.title), ("author", options.author)]
    where !value.isEmpty {
      write("{\\\(name) \(RTFWriterTables.escaped(value))}")
    }
    write("}\n{\\footer\\pard\\plain\\qc\\fs20\\chpgn\\par}\n")
  }

  private mutating func writeLists() {
    if tables.lists.isEmpty { return }
    write("{\\*\\listtable")
    for (index, list) in tables.lists.enumerated() {
      write("\n{\\list\\listtemplateid\(list.list)")
      for (level, marker) in list.markers.enumerated() {
        write((marker ?? .bullet).level(level))
      }
      write("\\listid\(index + 1)}")
    }
    write("}\n{\\*\\listoverridetable")
    for index in tables.lists.indices {
      write("{\\listoverride\\listid\(index + 1)\\listoverridecount0\\ls\(index + 1)}")
    }
    write("}\n")
  }
}

extension ListItem.Marker {
  /// Returns the definition of a list level with this marker.
  fileprivate func level(_ level: Int) -> String {
    let kind =
      switch self {
      case .decimal: 0
      case .upperRoman: 1
      case .lowerRoman: 2
      case .upperLetter: 3
      case .lowerLetter: 4
      case .bullet: 23
      }
    // The first byte of the text is its length. A number in it is represented by the index of its
    // level.
    let text =
      self == .bullet
      ? "{\\leveltext\\'01\\u8226\\'3f;}{\\levelnumbers;}"
      : "{\\leveltext\\'02\\'0\(level).;}{\\levelnumbers\\'01;}"
    return "{\\listlevel\\levelnfc\(kind)\\levelnfcn\(kind)\\leveljc0\\levelstartat1\\levelfollow0"
      + "\(text)\\fi-360\\li\(720 * (level + 1))}"
  }
}
