import MarkdownParse
import Model
import RichText

/// The text of a leaf, with the inline styles and links of each unit.
struct ConversionLeaf {
  /// The inline styles that Markdown can express.
  struct Marks: OptionSet, Hashable {
    let rawValue: UInt8
    static let strong = Marks(rawValue: 1)
    static let emphasis = Marks(rawValue: 2)
    static let strike = Marks(rawValue: 4)
    static let mark = Marks(rawValue: 8)
    static let code = Marks(rawValue: 16)
    static let underline = Marks(rawValue: 32)
    /// The styles written with delimiters, or with tags, which need a word at each end.
    static let delimited: [Marks] = [.strong, .emphasis, .strike, .mark, .underline]
  }

  /// A part with its own Markdown, such as a footnote reference or an image.
  struct Raw {
    var units: Range<Int>
    var markdown: String
  }

  /// The index of the text that the leaf is from: 0 for the document's text, then the notes.
  var source: Int
  /// The rendered UTF-16 units. A line feed is a line break.
  var units: [UInt16] = []
  /// The offset of each unit in the original text.
  var origins: [Int32] = []
  /// The styles of each unit.
  var marks: [Marks] = []
  /// The index of the link of each unit, or -1.
  var links: [Int32] = []
  var raws: [Raw] = []
  /// The offset of the paragraph's terminator, or the length of the text if there is none.
  var terminator = 0

  var isEmpty: Bool { units.isEmpty }

  /// Removes empty lines at the start and returns their number. Only for leaves without `raws`.
  mutating func trimStartingLines() -> Int {
    let start = units.firstIndex { !$0.isBlank } ?? units.count
    guard let end = units[..<start].lastIndex(of: 0x0A) else { return 0 }
    let count = units[...end].count { $0 == 0x0A }
    keep(end + 1..<units.count)
    return count
  }

  /// Removes empty lines at the end and returns their number. Only for leaves without `raws`.
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

  /// Returns whether a part is a footnote reference.
  static func isNote(_ raw: Raw) -> Bool { raw.markdown.hasPrefix("[^") }
}

/// Creates leaves from ranges of a text.
struct LeafReader {
  let text: AttributedText
  let source: Int
  /// The rendered text and the Markdown for each mark (U+FFFC), by offset.
  let shown: [Int: (text: String, markdown: String)]
  /// The offsets of marks to remove.
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

  /// Returns the leaf for a range without its terminator. Removes spaces at the ends of its lines,
  /// except in code.
  mutating func leaf(_ range: Range<Int>, isCode: Bool) -> ConversionLeaf {
    var leaf = ConversionLeaf(source: source)
    leaf.terminator = range.upperBound
    leaf.reserveCapacity(range.count)
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
      leaf.origins.append(Int32(offset))
      leaf.marks.append(marks)
      leaf.links.append(Int32(link))
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
      // Style both halves of a surrogate pair like the first one.
      append(isPair ? unit : 0xFFFD, isPair ? leaf.marks.last ?? marks : marks, link)
      if !isPair { losses.add(.controls, at: offset) }
    default: append(unit, marks, link)
    }
  }

  private mutating func trimBlanks(_ leaf: inout ConversionLeaf) {
    while let last = leaf.units.last, last == 0x20 || last == 0x09 {
      losses.add(.blanks, at: Int(leaf.origins.last ?? 0))
      leaf.removeLast()
    }
  }

  private mutating func trimEnd(_ leaf: inout ConversionLeaf) {
    trimBlanks(&leaf)
    while leaf.units.last == 0x0A {
      losses.add(.lineBreaks, at: Int(leaf.origins.last ?? 0))
      leaf.removeLast()
      trimBlanks(&leaf)
    }
  }

  /// Returns the styles that Markdown can express and that the paragraph's style doesn't already
  /// set.
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
    if has(.background(.rgb(HighlightColor.yellow.onPaper))), options.dialect.mark {
      marks.insert(.mark)
    }
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

  /// Removes the code style from a paragraph that is entirely monospaced, unless its font is that
  /// of code.
  private func settleCode(_ leaf: inout ConversionLeaf) {
    let isAll = leaf.units.indices.allSatisfy {
      leaf.marks[$0].contains(.code) || leaf.units[$0].isSpaceUnit
    }
    guard isAll else { return }
    for index in leaf.units.indices where leaf.marks[index].contains(.code) {
      if case .family(let name)? = text.characters[Int(leaf.origins[index])][.family],
        name == MonospacedFonts.code
      {
        continue
      }
      leaf.marks[index].remove(.code)
    }
  }
}

extension ConversionLeaf {
  fileprivate mutating func reserveCapacity(_ count: Int) {
    units.reserveCapacity(count)
    origins.reserveCapacity(count)
    marks.reserveCapacity(count)
    links.reserveCapacity(count)
  }

  fileprivate mutating func removeLast() {
    units.removeLast()
    origins.removeLast()
    marks.removeLast()
    links.removeLast()
  }
}

extension AttributedText {
  /// Returns the character attributes that a paragraph inherits from its style and the text's
  /// defaults.
  func inheritedCharacters(at offset: Int) -> AttributeSet<CharacterAttribute> {
    styles.resolved(style(at: offset)).characters.inheriting(defaults.characters)
  }
}

/// Determines which fonts indicate code.
struct MonospacedFonts {
  /// The font in which Diple displays code.
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

  /// Whether most of the text is monospaced. Then it is a typewriter-style manuscript, and only
  /// Diple's own code font indicates code.
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
  /// Whether the unit is a space, a tab or a line feed, which Markdown strips at the ends of lines.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A }
}
