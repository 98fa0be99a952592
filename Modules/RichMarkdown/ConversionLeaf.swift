import MarkdownParse
import Model
import RichText

/// The text of a leaf as it is to be shown, and what its words are.
struct ConversionLeaf {
  /// What marks can say of words.
  struct Marks: OptionSet, Hashable {
    let rawValue: UInt8
    static let strong = Marks(rawValue: 1)
    static let emphasis = Marks(rawValue: 2)
    static let strike = Marks(rawValue: 4)
    static let mark = Marks(rawValue: 8)
    static let code = Marks(rawValue: 16)
    static let underline = Marks(rawValue: 32)
    /// Those that end and begin with a mark beside a letter.
    static let delimited: [Marks] = [.strong, .emphasis, .strike, .mark, .underline]
  }

  /// A part that is written as it is: a footnote's reference, a picture.
  struct Raw {
    var units: Range<Int>
    var markdown: String
  }

  /// Which text it is from: 0 for the document's, then the notes.
  var source: Int
  /// The units that are shown; a line feed is a line break.
  var units: [UInt16] = []
  /// Where each unit stands in the text.
  var origins: [Int] = []
  /// What is to be said of each unit.
  var marks: [Marks] = []
  /// Which link each unit has; -1 for none.
  var links: [Int] = []
  var raws: [Raw] = []
  /// The attributes of the paragraph's end; the text's length without one.
  var terminator = 0

  var isEmpty: Bool { units.isEmpty }

  /// The part that a unit belongs to.
  func raw(at offset: Int) -> Raw? { raws.first { $0.units.contains(offset) } }

  /// Takes away empty lines at the start, whose number is returned. Only for leaves without other parts.
  mutating func trimStartingLines() -> Int {
    let start = units.firstIndex { !$0.isBlank } ?? units.count
    guard let end = units[..<start].lastIndex(of: 0x0A) else { return 0 }
    let count = units[...end].count { $0 == 0x0A }
    keep(end + 1..<units.count)
    return count
  }

  /// Takes away empty lines at the end, whose number is returned. Only for leaves without other parts.
  mutating func trimEndingLines() -> Int {
    let end = units.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0
    guard let start = units[end...].firstIndex(of: 0x0A) else { return 0 }
    let count = units[start...].count { $0 == 0x0A }
    keep(0..<start)
    return count
  }

  private mutating func keep(_ range: Range<Int>) {
    units = Array(units[range])
    origins = Array(origins[range])
    marks = Array(marks[range])
    links = Array(links[range])
  }

  /// Whether the part is a reference to a footnote.
  static func isNote(_ raw: Raw) -> Bool { raw.markdown.hasPrefix("[^") }
}

/// Takes leaves from a text.
struct LeafReader {
  let text: AttributedText
  let source: Int
  /// What stands at a mark.
  let shown: [Int: (text: String, markdown: String)]
  /// The offsets whose marks are taken out.
  let removed: Set<Int>
  let options: MarkdownConversion.Options
  let monospaced: MonospacedFonts
  var links: [String]
  private var linkNumbers: [String: Int] = [:]
  var losses = LossCounter()

  init(
    _ text: AttributedText, source: Int, shown: [Int: (text: String, markdown: String)],
    removed: Set<Int>, options: MarkdownConversion.Options, monospaced: MonospacedFonts,
    links: [String]
  ) {
    (self.text, self.source, self.shown) = (text, source, shown)
    (self.removed, self.options, self.monospaced) = (removed, options, monospaced)
    self.links = links
  }

  /// A leaf's text without its terminator. Blanks at the ends of its lines go, but in code.
  mutating func leaf(_ range: Range<Int>, isCode: Bool) -> ConversionLeaf {
    var leaf = ConversionLeaf(source: source)
    leaf.terminator = range.upperBound
    let inherited = text.inheritedCharacters(at: range.lowerBound)
    var runs: [(Range<Int>, AttributeSet<CharacterAttribute>)] = []
    text.characters.forEach(in: range) { runs.append(($0, $1)) }
    for (part, set) in runs {
      let marks = isCode ? [] : marks(set, inherited)
      let link = isCode ? -1 : link(set)
      for offset in part { add(offset, marks, link, isCode, part: range, to: &leaf) }
    }
    if !isCode { trimEnd(&leaf) }
    if leaf.marks.contains(where: { $0.contains(.code) }) { settleCode(&leaf) }
    return leaf
  }

  private mutating func add(
    _ offset: Int, _ marks: ConversionLeaf.Marks, _ link: Int, _ isCode: Bool, part: Range<Int>,
    to leaf: inout ConversionLeaf
  ) {
    func append(_ unit: UInt16, _ marks: ConversionLeaf.Marks, _ link: Int) {
      leaf.units.append(unit)
      leaf.origins.append(offset)
      leaf.marks.append(marks)
      leaf.links.append(link)
    }
    let unit = text.units[offset]
    switch unit {
    case 0x20 where !isCode, 0x09 where !isCode:
      if leaf.units.last.map({ $0 == 0x0A }) ?? true {
        losses.add(.blanks, at: offset)
      } else {
        append(unit, marks, link)
      }
    case 0x2028, 0x0B, 0x0C, 0x85:
      if isCode { return append(0x0A, [], -1) }
      trimBlanks(&leaf)
      if leaf.units.isEmpty || leaf.units.last == 0x0A {
        losses.add(.lineBreaks, at: offset)
      } else {
        append(0x0A, marks.subtracting(.code), link)
      }
    case 0xFFFC:
      if removed.contains(offset) { return }
      guard let (shown, markdown) = shown[offset], !isCode else { return append(unit, marks, link) }
      let start = leaf.units.count
      for unit in shown.utf16 { append(unit, marks.subtracting(.code), link) }
      leaf.raws.append(ConversionLeaf.Raw(units: start..<leaf.units.count, markdown: markdown))
    case 0x09: append(unit, marks, link)
    case 0...0x1F, 0x7F...0x9F: losses.add(.controls, at: offset)
    case 0xFEFF where leaf.units.isEmpty && !isCode: losses.add(.controls, at: offset)
    case 0xD800...0xDBFF:
      let isPair = offset + 1 < part.upperBound && 0xDC00...0xDFFF ~= text.units[offset + 1]
      append(isPair ? unit : 0xFFFD, marks, link)
      if !isPair { losses.add(.controls, at: offset) }
    case 0xDC00...0xDFFF:
      let isPair = offset > part.lowerBound && 0xD800...0xDBFF ~= text.units[offset - 1]
      // Both halves of a character are styled as the first one.
      append(isPair ? unit : 0xFFFD, isPair ? leaf.marks.last ?? marks : marks, link)
      if !isPair { losses.add(.controls, at: offset) }
    default: append(unit, marks, link)
    }
  }

  private mutating func trimBlanks(_ leaf: inout ConversionLeaf) {
    while let last = leaf.units.last, last == 0x20 || last == 0x09 {
      losses.add(.blanks, at: leaf.origins.last ?? 0)
      leaf.removeLast()
    }
  }

  private mutating func trimEnd(_ leaf: inout ConversionLeaf) {
    trimBlanks(&leaf)
    while leaf.units.last == 0x0A {
      losses.add(.lineBreaks, at: leaf.origins.last ?? 0)
      leaf.removeLast()
      trimBlanks(&leaf)
    }
  }

  /// What marks can say of characters with a set, where the paragraph's style does not say it.
  private func marks(
    _ set: AttributeSet<CharacterAttribute>, _ inherited: AttributeSet<CharacterAttribute>
  ) -> ConversionLeaf.Marks {
    func has(_ attribute: CharacterAttribute) -> Bool {
      set[attribute.kind] == attribute && inherited[attribute.kind] != attribute
    }
    var marks: ConversionLeaf.Marks = []
    if has(.bold(true)) { marks.insert(.strong) }
    if has(.italic(true)) { marks.insert(.emphasis) }
    if has(.strikethrough(.single)), options.dialect.strikethrough { marks.insert(.strike) }
    if has(.background(.rgb(0xFFF36D))), options.dialect.mark { marks.insert(.mark) }
    if options.underlineAsHTML, case .underline(let style)? = set[.underline], style != .none {
      marks.insert(.underline)
    }
    if case .family(let name)? = set[.family], monospaced.isCode(name) { marks.insert(.code) }
    return marks
  }

  private mutating func link(_ set: AttributeSet<CharacterAttribute>) -> Int {
    guard case .link(let address)? = set[.link] else { return -1 }
    if let number = linkNumbers[address] { return number }
    links.append(address)
    linkNumbers[address] = links.count - 1
    return links.count - 1
  }

  /// A paragraph that is all of a typewriter's letters is no code, unless they are those of code.
  private func settleCode(_ leaf: inout ConversionLeaf) {
    let isAll = leaf.units.indices.allSatisfy {
      leaf.marks[$0].contains(.code) || leaf.units[$0].isSpaceUnit
    }
    guard isAll else { return }
    for index in leaf.units.indices where leaf.marks[index].contains(.code) {
      if case .family(let name)? = text.characters[leaf.origins[index]][.family],
        name == MonospacedFonts.code
      {
        continue
      }
      leaf.marks[index].remove(.code)
    }
  }
}

extension ConversionLeaf {
  fileprivate mutating func removeLast() {
    units.removeLast()
    origins.removeLast()
    marks.removeLast()
    links.removeLast()
  }
}

extension AttributedText {
  /// The style of the paragraph at an offset.
  func style(at offset: Int) -> StyleID {
    if case .style(let id)? = paragraphs[offset][.style] { id } else { .body }
  }

  /// What the characters of a paragraph inherit within the text.
  func inheritedCharacters(at offset: Int) -> AttributeSet<CharacterAttribute> {
    styles.resolved(style(at: offset)).characters.inheriting(defaults.characters)
  }
}

/// Which fonts mean code.
struct MonospacedFonts {
  /// The font of code that Diple itself shows.
  static let code: String = {
    guard case .family(let name)? = StyleSheet()[.code]?.characters[.family] else { return "" }
    return name
  }()

  private static let known: Set<String> = [
    "andale mono", "cascadia code", "cascadia mono", "consolas", "courier", "courier new",
    "dejavu sans mono", "fira code", "fira mono", "jetbrains mono", "liberation mono",
    "lucida console", "menlo", "monaco", "noto sans mono", "roboto mono", "sf mono",
    "source code pro", "ubuntu mono",
  ]

  /// Whether most of the text has such a font: then it is a manuscript as typewriters write them.
  private let isUsual: Bool

  init(_ text: AttributedText) {
    var count = 0
    for (range, set) in text.characters.runs {
      if case .family(let name)? = set[.family], Self.known.contains(name.lowercased()) {
        count += range.count
      }
    }
    var isDefault = false
    if case .family(let name)? = text.inheritedCharacters(at: text.units.count)[.family] {
      isDefault = Self.known.contains(name.lowercased())
    }
    isUsual = isDefault || count * 2 > text.units.count
  }

  func isCode(_ name: String) -> Bool {
    name == Self.code || !isUsual && Self.known.contains(name.lowercased())
  }
}

extension UInt16 {
  /// A blank, a tab or a line break: what Markdown takes away at the ends of lines.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A }
}
