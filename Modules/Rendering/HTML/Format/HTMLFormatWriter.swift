import MarkdownParse
import Model
import RichText

/// Writes the classes for a document's format, and collects their rules.
struct HTMLFormatWriter {
  let format: ShownFormat
  private let colors: HTMLPageColors
  private(set) var sheet = HTMLFormatSheet()
  /// The class of the element around the blocks, which has the defaults and the margins; empty if
  /// they need no class.
  private(set) var bodyClass = ""
  private var familyNames: [String: String] = [:]
  /// The default attributes that CSS elements don't inherit.
  private let lowest: AttributeSet<CharacterAttribute>

  init(_ format: ShownFormat, _ colors: HTMLPageColors) {
    (self.format, self.colors) = (format, colors)
    lowest = AttributeSet(
      format.defaults.characters.values.filter { HTMLFormatValues.inherited($0) == nil })
    writeDefaults()
  }

  // MARK: - Characters

  /// The classes for a range of text.
  struct Classes {
    /// The classes of the element around the text, and of the element that has its offset.
    var outer: [String] = []
    var inner: [String] = []
    /// The classes of the elements for struck-through and highlighted text in the Markdown.
    var struck = ""
    var marked = ""
    /// Whether the classes set an underline, so that a link must not add one.
    var hasUnderline = false
    /// Whether spaces are not underlined.
    var skipsBlanks = false
    /// The link in the format; nil to use the link in the Markdown.
    var link: String?
  }

  /// Returns the classes for text with a Markdown style.
  ///
  /// - Parameters:
  ///   - direct: the attributes that take precedence over the Markdown.
  ///   - style: the attributes of the paragraph's style.
  mutating func classes(
    _ direct: AttributeSet<CharacterAttribute>, _ style: AttributeSet<CharacterAttribute>,
    over markup: TextStyle
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
      case .strikethrough where markup.contains(.strikethrough): break
      case .background where markup.contains(.mark): break
      default: take(attribute)
      }
    }
    for attribute in direct.values { take(attribute) }
    classes.outer += self.colors(color, background)
    if background == .automatic, markup.contains(.mark) {
      classes.marked = rule("f-g-automatic", "background:none")
    }
    // Underlines and strikethrough lines have separate styles, so each needs an element. So do the
    // font size and the size of superscript letters.
    if let strike {
      let name = rule("f-s-\(strike.rawValue)", HTMLFormatValues.strikethrough(strike))
      if markup.contains(.strikethrough) { classes.struck = name }
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

  /// Returns the class of a link whose text sets its underline.
  mutating func noLineClass() -> String {
    rule("f-u-none", HTMLFormatValues.underline(.none))
  }

  /// Returns the class of spaces that are not underlined.
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
    sheet.add(name, .direct, ".\(name){\(css)}")
    return name
  }

  // MARK: - Colours

  /// Returns the classes for colours. The user's colours are kept. If a text colour isn't readable
  /// on the page, the text gets a background on which it is readable. If only the background is
  /// set, its text becomes black or white.
  private mutating func colors(_ color: TextColor?, _ background: TextColor?) -> [String] {
    var names: [String] = []
    if case .rgb(let paperValue)? = background {
      let paper = RGB(Int(paperValue))
      var text = RGB.strongest(on: paper)
      var name = "f-g-" + Self.hex(paperValue)
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
        name, .direct,
        ".\(name){\(kept)color:\(text.css);background:\(HTMLFormatValues.color(paperValue));\(Self.exact)}"
      )
      addOnHighlights(name, text)
      names.append(name)
      return names
    }
    if background == .automatic { names.append(rule("f-g-automatic", "background:none")) }
    switch color {
    case .rgb(let value):
      let name = "f-c-" + Self.hex(value)
      if !sheet.has(name, .direct) {
        let rules = colorRules(name, RGB(Int(value)))
        sheet.add(name, .direct, rules)
        addOnHighlights(name, RGB(Int(value)))
      }
      names.append(name)
    case .automatic: names.append(rule("f-c-automatic", "color:var(--ink,currentColor)"))
    case nil: break
    }
    return names
  }

  /// Makes browsers print the background of text.
  private static let exact = "print-color-adjust:exact;-webkit-print-color-adjust:exact"

  private static func hex(_ value: UInt32) -> String {
    String(HTMLFormatValues.color(value).dropFirst())
  }

  private func colorRules(_ name: String, _ color: RGB) -> String {
    func backgroundRule(_ scheme: HTMLPageColors.Scheme) -> String? {
      let isReadable = scheme.papers.allSatisfy { color.contrast(with: $0) >= RGB.readable }
      return isReadable ? nil : RGB.strongest(on: color).css
    }
    let (light, dark) = (backgroundRule(colors.light), backgroundRule(colors.dark))
    var rules = ".\(name){color:\(color.css)"
    if let light { rules += ";background:\(light);\(Self.exact)" }
    rules += "}"
    if light != dark {
      rules += "@media (prefers-color-scheme:dark){.\(name){background:\(dark ?? "none")}}"
    }
    return rules
  }

  /// Adds rules for text in a highlight, whose colour covers the text's own background. The text
  /// gets the readable colour that is nearest to its own.
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

  /// Returns the classes of the paragraph at an offset, separated by spaces: one for its style and
  /// one for its own attributes. Empty if it has neither.
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

  /// Returns the additional classes for a paragraph whose style and own attributes set different
  /// parts of the line height. They are needed because CSS has only one property for it.
  private mutating func lineClasses(at offset: Int) -> [String] {
    let direct = format.layer.paragraphs[offset]
    guard direct[.lineHeight] != nil || direct[.lineSpacing] != nil else { return [] }
    let all = format.paragraph(at: offset)
    func name(_ kind: ParagraphAttribute.Kind) -> [String] {
      guard let attribute = all[kind], let css = HTMLFormatValues.paragraph(attribute) else {
        return []
      }
      return [rule("f-" + Self.name(attribute), css)]
    }
    if direct[.lineSpacing] == nil { return name(.lineSpacing) }
    guard direct[.lineSpacing] == .lineSpacing(Twips(0)) else { return [] }
    // The rule sorts before all rules that set a line height.
    let flat = rule("f-0-flat", "line-height:1.2")
    return [flat] + (direct[.lineHeight] == nil ? name(.lineHeight) : [])
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

  /// Returns the class of a paragraph that shares its leaf with other paragraphs.
  mutating func partClass() -> String {
    sheet.add("f-part", .style, ".f-part{display:block}")
    return "f-part"
  }

  /// Returns the class with a style's character attributes, for leaves whose paragraphs have no
  /// layout.
  mutating func letters(_ id: StyleID) -> String { style(id, isShaped: false) }

  /// Returns the class of a style. Attributes that CSS elements don't inherit are in the classes of
  /// the text.
  private mutating func style(_ id: StyleID, isShaped: Bool) -> String {
    // The id may contain letters of any script.
    let isPlain = id.name.utf8.allSatisfy { $0 < 0x80 }
    let name =
      (isShaped ? "f-style-" : "f-letters-")
      + (isPlain ? id.name : HTMLFormatSheet.name(for: id.name))
    let (characters, paragraphs) = format.styles.resolved(id)
    if isShaped, paragraphs[.tabStops] != nil { sheet.add(.tabStops) }
    let declarations = Self.declarations(characters, isShaped ? paragraphs : [])
    // The documents on a page may have different styles with the same name.
    let className = name + "-" + HTMLFormatSheet.name(for: declarations).prefix(8)
    sheet.add(className, .style, ".\(className){\(declarations)}")
    return className
  }

  private static func declarations(
    _ characters: AttributeSet<CharacterAttribute>, _ paragraphs: AttributeSet<ParagraphAttribute>
  ) -> String {
    (characters.values.compactMap(HTMLFormatValues.inherited)
      + paragraphs.values.compactMap(HTMLFormatValues.paragraph)).joined(separator: ";")
  }

  // MARK: - Defaults

  /// Writes rules for the default attributes. All rules of the page override them, so headings keep
  /// their sizes and code keeps its font.
  private mutating func writeDefaults() {
    let (characters, paragraphs) = (format.defaults.characters, format.defaults.paragraphs)
    var rules: [String] = []
    func add(_ selector: String, _ declarations: String) {
      if !declarations.isEmpty { rules.append("\(selector){\(declarations)}") }
    }
    add(":where(.NAME) :where([data-b])", Self.declarations(characters, []))
    add(
      ":where(.NAME,.NAME .text,.NAME .chunk)>p:where([data-b])",
      Self.declarations([], paragraphs))
    if let margins = format.margins {
      add(".NAME", HTMLFormatValues.variables(of: margins))
      add(":where(.NAME)", HTMLFormatValues.padding(margins))
    }
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
  /// The colour in CSS notation.
  fileprivate var css: String {
    HTMLFormatValues.color(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
  }
}
