import MarkdownParse
import Model
import RichText

/// The classes of a document's format, and the rules that they stand for.
struct HTMLFormatWriter {
  let format: ShownFormat
  private let colors: HTMLPageColors
  private(set) var sheet = HTMLFormatSheet()
  /// The class of what is around the blocks, whose rules are the defaults; empty for none.
  private(set) var bodyClass = ""
  private var familyNames: [String: String] = [:]
  /// What CSS does not let text inherit, of the defaults.
  private let lowest: AttributeSet<CharacterAttribute>

  init(_ format: ShownFormat, _ colors: HTMLPageColors) {
    (self.format, self.colors) = (format, colors)
    lowest = AttributeSet(
      format.defaults.characters.values.filter { HTMLFormatValues.inherited($0) == nil })
    writeDefaults()
  }

  // MARK: - Characters

  /// The classes of a stretch of text.
  struct Classes {
    /// Of the element around the text, and of the one that has its place.
    var outer: [String] = []
    var inner: [String] = []
    /// Of the element that strikes it out or marks it as the Markdown says.
    var struck = ""
    var marked = ""
    /// Whether it says what line is below, so that a link has none of its own.
    var hasUnderline = false
    /// Whether blanks have no line below them.
    var skipsBlanks = false
    /// Where it leads by its format; nil as the Markdown says.
    var link: String?
  }

  /// The classes of text to which its Markdown gives a style.
  ///
  /// - Parameters:
  ///   - own: what it has of its own.
  ///   - style: what the style of its paragraph says.
  mutating func classes(
    _ own: AttributeSet<CharacterAttribute>, _ style: AttributeSet<CharacterAttribute>,
    over said: TextStyle
  ) -> Classes {
    var classes = Classes()
    var (color, background): (TextColor?, TextColor?)
    var (position, strike): (BaselinePosition?, StrikethroughStyle?)
    var hasSize = false
    func take(_ attribute: CharacterAttribute) {
      switch attribute {
      case .color(let value): color = value
      case .background(let value): background = value
      case .position(let value): position = value
      case .strikethrough(let value): strike = value
      case .underline(let value):
        classes.hasUnderline = true
        classes.skipsBlanks = value == .words
        if value == .dashDot || value == .dashDotDot { sheet.add(.dashes) }
        classes.outer.removeAll { $0.hasPrefix("f-u-") }
        classes.outer.append(
          rule("f-u-\(value.rawValue)", HTMLFormatValues.underline(value)))
      case .link(let address): classes.link = address
      case .size, .family, .bold, .italic, .capitals:
        if case .size = attribute { hasSize = true }
        guard let css = HTMLFormatValues.inherited(attribute) else { return }
        classes.outer.append(rule(name(attribute), css))
      }
    }
    let style = lowest.isEmpty ? style : style.inheriting(lowest)
    for attribute in style.values where HTMLFormatValues.inherited(attribute) == nil {
      switch attribute {
      case .strikethrough where said.contains(.strikethrough): break
      case .background where said.contains(.mark): break
      default: take(attribute)
      }
    }
    for attribute in own.values { take(attribute) }
    classes.outer += self.colors(color, background)
    if background == .automatic, said.contains(.mark) {
      classes.marked = rule("f-g-automatic", "background:none")
    }
    // Lines below and through letters have looks of their own, and so need an element each; so do the
    // size of letters and that of raised ones.
    if let strike {
      let name = rule("f-s-\(strike.rawValue)", HTMLFormatValues.strikethrough(strike))
      if said.contains(.strikethrough) { classes.struck = name }
      if classes.hasUnderline { classes.inner.append(name) } else { classes.outer.append(name) }
    }
    if let position {
      let name = rule("f-p-\(position.rawValue)", HTMLFormatValues.position(position))
      if hasSize || classes.hasUnderline {
        classes.inner.append(name)
      } else {
        classes.outer.append(name)
      }
    }
    if classes.inner.isEmpty { (classes.outer, classes.inner) = ([], classes.outer) }
    return classes
  }

  /// The class of a link whose text says what line is below it.
  mutating func noLineClass() -> String {
    rule("f-u-none", HTMLFormatValues.underline(.none))
  }

  /// The class of blanks that have no line below them.
  mutating func gapClass() -> String { rule("f-u-words-gap", "text-decoration:none") }

  private mutating func name(_ attribute: CharacterAttribute) -> String {
    switch attribute {
    case .bold(let isOn): return isOn ? "f-b-on" : "f-b-off"
    case .italic(let isOn): return isOn ? "f-i-on" : "f-i-off"
    case .capitals(let value): return "f-k-\(value.rawValue)"
    case .size(let size): return "f-z-\(size)"
    case .family(let family): return familyName(family)
    case .underline, .strikethrough, .position, .color, .background, .link: return ""
    }
  }

  private mutating func familyName(_ family: String) -> String {
    if let name = familyNames[family] { return name }
    let name = "f-f-\(HTMLFormatSheet.name(for: family))"
    familyNames[family] = name
    return name
  }

  private mutating func rule(_ name: String, _ css: String) -> String {
    sheet.add(name, .own, ".\(name){\(css)}")
    return name
  }

  // MARK: - Colours

  /// A person's colours are kept. Where text cannot be read on the page, it gets a background on which it
  /// can; text on a person's background without a colour of its own is black or white.
  private mutating func colors(_ color: TextColor?, _ background: TextColor?) -> [String] {
    var names: [String] = []
    if case .rgb(let behind)? = background {
      let paper = RGB(Int(behind))
      var text = RGB.strongest(on: paper)
      var name = "f-g-" + Self.hex(behind)
      var kept = ""
      if case .rgb(let value)? = color {
        text = RGB(Int(value))
        if text.contrast(with: paper) < RGB.readable {
          text = text.strengthened(toward: .strongest(on: paper), on: paper)
          kept = "--color:\(HTMLFormatValues.color(value));"
          sheet.add(.contrast)
        }
        name += "-" + Self.hex(value)
      }
      sheet.add(
        name, .own,
        ".\(name){\(kept)color:\(text.css);background:\(HTMLFormatValues.color(behind));\(Self.exact)}"
      )
      addOnHighlights(name, text)
      names.append(name)
      return names
    }
    if background == .automatic { names.append(rule("f-g-automatic", "background:none")) }
    switch color {
    case .rgb(let value):
      let name = "f-c-" + Self.hex(value)
      if !sheet.has(name, .own) {
        let rules = colorRules(name, RGB(Int(value)))
        sheet.add(name, .own, rules)
        addOnHighlights(name, RGB(Int(value)))
      }
      names.append(name)
    case .automatic: names.append(rule("f-c-automatic", "color:var(--ink,currentColor)"))
    case nil: break
    }
    return names
  }

  /// So that what is behind text is printed.
  private static let exact = "print-color-adjust:exact;-webkit-print-color-adjust:exact"

  private static func hex(_ value: UInt32) -> String {
    String(HTMLFormatValues.color(value).dropFirst())
  }

  private func colorRules(_ name: String, _ color: RGB) -> String {
    func behind(_ scheme: HTMLPageColors.Scheme) -> String? {
      let isReadable = scheme.papers.allSatisfy { color.contrast(with: $0) >= RGB.readable }
      return isReadable ? nil : RGB.strongest(on: color).css
    }
    let (light, dark) = (behind(colors.light), behind(colors.dark))
    var rules = ".\(name){color:\(color.css)"
    if let light { rules += ";background:\(light);\(Self.exact)" }
    rules += "}"
    if light != dark {
      rules += "@media (prefers-color-scheme:dark){.\(name){background:\(dark ?? "none")}}"
    }
    return rules
  }

  /// A highlight is above a background; the text on it is as near to its colour as can be read.
  private mutating func addOnHighlights(_ name: String, _ color: RGB) {
    func text(_ scheme: HTMLPageColors.Scheme) -> RGB {
      scheme.highlights.reduce(color) { color, paper in
        color.strengthened(toward: .strongest(on: paper), on: paper)
      }
    }
    let (light, dark) = (text(colors.light), text(colors.dark))
    var rules = "mark[data-h] .\(name){background:none;color:\(light.css)}"
    rules += "@media (prefers-color-scheme:dark){mark[data-h] .\(name){color:\(dark.css)}}"
    sheet.add(name, .onHighlight, rules)
  }

  // MARK: - Paragraphs

  /// The classes of the paragraph at an offset: of the style that it was given, and of what it has of its
  /// own; with a blank between them, empty for none.
  mutating func paragraph(at offset: Int) -> String {
    var names: [String] = []
    for attribute in format.layer.paragraphs[offset].values {
      switch attribute {
      case .style(let id): names.insert(style(id, isShaped: true), at: 0)
      case .tabStops: sheet.add(.tabStops)
      case .list: sheet.add(.lists)
      default:
        guard let css = HTMLFormatValues.paragraph(attribute) else { continue }
        names.append(rule("f-" + Self.name(attribute), css))
      }
    }
    names += lineClasses(at: offset)
    return names.joined(separator: " ")
  }

  /// Further classes where a paragraph and its style say different things of the distance of lines, which
  /// is one property in CSS.
  private mutating func lineClasses(at offset: Int) -> [String] {
    let own = format.layer.paragraphs[offset]
    guard own[.lineHeight] != nil || own[.lineSpacing] != nil else { return [] }
    let all = format.paragraph(at: offset)
    func name(_ kind: ParagraphAttribute.Kind) -> [String] {
      guard let attribute = all[kind], let css = HTMLFormatValues.paragraph(attribute) else {
        return []
      }
      return [rule("f-" + Self.name(attribute), css)]
    }
    if own[.lineSpacing] == nil { return name(.lineSpacing) }
    guard own[.lineSpacing] == .lineSpacing(Twips(0)) else { return [] }
    // It comes before all rules that say how high lines are.
    let flat = rule("f-0-flat", "line-height:1.2")
    return [flat] + (own[.lineHeight] == nil ? name(.lineHeight) : [])
  }

  private static func name(_ attribute: ParagraphAttribute) -> String {
    func name(_ short: String, _ count: Int) -> String {
      "\(short)-\(count < 0 ? "m" : "")\(abs(count))"
    }
    return switch attribute {
    case .alignment(let side): "a-\(side.rawValue)"
    case .firstLineIndent(let length): name("first", length.count)
    case .headIndent(let length): name("head", length.count)
    case .tailIndent(let length): name("tail", length.count)
    case .lineHeight(.multiple(let count)): name("lines", count)
    case .lineHeight(.atLeast(let length)): name("least", length.count)
    case .lineHeight(.exactly(let length)): name("exact", length.count)
    case .lineSpacing(let length): name("more", length.count)
    case .spaceBefore(let length): name("before", length.count)
    case .spaceAfter(let length): name("after", length.count)
    case .tabStops, .list, .style: ""
    }
  }

  /// The class of a block that is a part of a leaf.
  mutating func partClass() -> String {
    sheet.add("f-part", .style, ".f-part{display:block}")
    return "f-part"
  }

  /// The class of the letters of a style, for leaves whose paragraphs have no shape.
  mutating func letters(_ id: StyleID) -> String { style(id, isShaped: false) }

  /// The class of a style. What text does not inherit in CSS stands in the classes of its parts.
  private mutating func style(_ id: StyleID, isShaped: Bool) -> String {
    // An id has letters of all scripts.
    let isPlain = id.name.utf8.allSatisfy { $0 < 0x80 }
    let name =
      (isShaped ? "f-style-" : "f-letters-")
      + (isPlain ? id.name : HTMLFormatSheet.name(for: id.name))
    let (characters, paragraphs) = format.styles.resolved(id)
    if isShaped, paragraphs[.tabStops] != nil { sheet.add(.tabStops) }
    let declarations = Self.declarations(characters, isShaped ? paragraphs : [])
    // Documents of one page may have different styles of one name.
    let own = name + "-" + HTMLFormatSheet.name(for: declarations).prefix(8)
    sheet.add(own, .style, ".\(own){\(declarations)}")
    return own
  }

  private static func declarations(
    _ characters: AttributeSet<CharacterAttribute>, _ paragraphs: AttributeSet<ParagraphAttribute>
  ) -> String {
    (characters.values.compactMap(HTMLFormatValues.inherited)
      + paragraphs.values.compactMap(HTMLFormatValues.paragraph)).joined(separator: ";")
  }

  // MARK: - Defaults

  /// What holds for text of which nothing else says anything: all rules of the page are above them, so
  /// that headings keep their sizes and code its font.
  private mutating func writeDefaults() {
    let (characters, paragraphs) = (format.defaults.characters, format.defaults.paragraphs)
    var rules: [String] = []
    func add(_ selector: String, _ declarations: String) {
      if !declarations.isEmpty { rules.append("\(selector){\(declarations)}") }
    }
    add(":where(.NAME) :where([data-b])", Self.declarations(characters, []))
    add(
      ":where(.NAME,.NAME .text)>p:where([data-b])",
      Self.declarations([], paragraphs))
    let elements: [(StyleID, String)] = [
      (.heading(1), "h1"), (.heading(2), "h2"), (.heading(3), "h3"),
      (.blockQuote, "blockquote>p"), (.code, "pre"),
    ]
    for (id, element) in elements {
      let changed = format.styles[id]
      guard let changed, changed != StyleSheet.builtIn.first(where: { $0.id == id }) else {
        continue
      }
      let (characters, paragraphs) = format.styles.resolved(id)
      add(
        ":where(.NAME) \(element):where([data-b])", Self.declarations(characters, paragraphs))
    }
    guard !rules.isEmpty else { return }
    bodyClass = "f-body-" + HTMLFormatSheet.name(for: rules.joined())
    let text = rules.map { $0.replacing("NAME", with: bodyClass) }.joined(separator: "\n")
    sheet.add(bodyClass, .defaults, text)
    if paragraphs[.tabStops] != nil { sheet.add(.tabStops) }
  }
}

extension RGB {
  /// The colour as CSS has it.
  fileprivate var css: String {
    HTMLFormatValues.color(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
  }
}
