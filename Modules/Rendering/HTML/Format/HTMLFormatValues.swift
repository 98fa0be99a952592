import Model
import RichText

/// Converts the values of formats to CSS. The CSS is written only from numbers, from cases of
/// enumerations, and from names in which everything except ASCII letters and digits is escaped.
enum HTMLFormatValues {
  /// Returns a length in points.
  static func points(_ twips: Int) -> String {
    let hundredths = abs(twips) * 5
    let digits = "\(100 + hundredths % 100)".dropFirst()
    let rest = digits.last == "0" ? digits.dropLast() : digits
    let fraction = hundredths % 100 == 0 ? "" : "." + rest
    return (twips < 0 ? "-" : "") + "\(hundredths / 100)\(fraction)pt"
  }

  /// The maximum indent, as a part of the line, so that room remains for text on a narrow screen.
  private static let room = "40%"

  static func size(_ halfPoints: Int) -> String { "font-size:\(points(halfPoints * 10))" }

  static func color(_ value: UInt32) -> String {
    "#" + String(value & 0xFF_FFFF | 0x100_0000, radix: 16).dropFirst()
  }

  // MARK: - Characters

  /// Returns the declarations for an attribute that CSS elements inherit; nil for other attributes.
  static func inherited(_ attribute: CharacterAttribute) -> String? {
    switch attribute {
    case .bold(let isOn): "font-weight:\(isOn ? "bold" : "normal")"
    case .italic(let isOn): "font-style:\(isOn ? "italic" : "normal")"
    case .family(let name): "font-family:" + families(name)
    case .size(let size): Self.size(size)
    case .capitals(.normal): "font-variant-caps:normal;text-transform:none"
    case .capitals(.small): "font-variant-caps:small-caps;text-transform:none"
    case .capitals(.all): "font-variant-caps:normal;text-transform:uppercase"
    case .underline, .strikethrough, .position, .color, .background, .link: nil
    }
  }

  static func underline(_ style: UnderlineStyle) -> String {
    switch style {
    case .none: "text-decoration:none"
    case .single, .words: "text-decoration:underline"
    case .double: "text-decoration:underline double"
    case .dotted: "text-decoration:underline dotted"
    case .dashed, .dashDot, .dashDotDot: "text-decoration:underline dashed"
    case .thick: "text-decoration:underline 0.14em"
    case .wave: "text-decoration:underline wavy"
    }
  }

  static func strikethrough(_ style: StrikethroughStyle) -> String {
    switch style {
    case .none: "text-decoration:none"
    case .single: "text-decoration:line-through"
    case .double: "text-decoration:line-through double"
    }
  }

  static func position(_ position: BaselinePosition) -> String {
    switch position {
    case .normal: "vertical-align:baseline"
    case .superscript: "vertical-align:super;font-size:0.7em;line-height:0"
    case .subscript: "vertical-align:sub;font-size:0.7em;line-height:0"
    }
  }

  /// Returns a font family, its substitutes and its generic family.
  static func families(_ name: String) -> String {
    let known = standIns.first { $0.name == name.lowercased() }
    let kind = known?.kind ?? (isMonospaced(name) ? "monospace" : "serif")
    return ([name] + (known?.others ?? [])).map(quoted).joined(separator: ",") + "," + kind
  }

  private static func isMonospaced(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["mono", "courier", "code", "consol", "typewriter"].contains { name.contains($0) }
  }

  private static let standIns: [(name: String, others: [String], kind: String)] = [
    ("palatino", ["TeX Gyre Pagella", "Palatino Linotype"], "serif"),
    ("garamond", ["EB Garamond"], "serif"), ("baskerville", ["Libre Baskerville"], "serif"),
    ("georgia", ["Gelasio"], "serif"), ("hoefler text", [], "serif"),
    ("times", ["Times New Roman", "Liberation Serif"], "serif"),
    ("times new roman", ["Times", "Liberation Serif"], "serif"),
    ("cambria", ["Caladea"], "serif"), ("calibri", ["Carlito"], "sans-serif"),
    ("helvetica", ["Arial", "Liberation Sans"], "sans-serif"),
    ("helvetica neue", ["Helvetica", "Arial", "Liberation Sans"], "sans-serif"),
    ("arial", ["Helvetica", "Liberation Sans"], "sans-serif"), ("gill sans", [], "sans-serif"),
    ("optima", [], "sans-serif"), ("avenir", [], "sans-serif"), ("futura", [], "sans-serif"),
    ("verdana", ["DejaVu Sans"], "sans-serif"), ("tahoma", [], "sans-serif"),
    ("menlo", ["DejaVu Sans Mono"], "monospace"), ("monaco", ["DejaVu Sans Mono"], "monospace"),
    ("courier", ["Courier New", "Liberation Mono"], "monospace"),
    ("courier new", ["Courier", "Liberation Mono"], "monospace"),
  ]

  /// Returns a CSS string literal. Its content cannot end the string, the rule or the style
  /// element.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let isPlain =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == " ")
      if isPlain {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\" + String(scalar.value, radix: 16) + " "
      }
    }
    return result + "\""
  }

  // MARK: - Paragraphs

  /// Returns the declarations for an attribute of a paragraph; nil if CSS cannot represent it.
  static func paragraph(_ attribute: ParagraphAttribute) -> String? {
    switch attribute {
    case .alignment(.justified): "text-align:justify"
    case .alignment(let side): "text-align:\(side.rawValue)"
    case .firstLineIndent(let length): "text-indent:\(indent(length))"
    case .headIndent(let length): edge("start", length)
    case .tailIndent(let length): edge("end", Twips(-length.count))
    // The line height is a multiple of the font's normal line height, which is about 1.2 of its
    // size. A number without a unit also applies to larger letters in the line.
    case .lineHeight(.multiple(let count)): lines(number(count, by: 200), "em")
    case .lineHeight(.atLeast(let length)): lines("max(1.2em,\(points(length.count)))")
    case .lineHeight(.exactly(let length)): lines(points(length.count))
    case .lineSpacing(Twips(0)): "--more:0pt"
    case .lineSpacing(let length):
      "--more:\(points(length.count));"
        + "line-height:calc(var(--lines,1.2em) + \(points(length.count)))"
    case .spaceBefore(let length): "padding-top:\(points(length.count))"
    case .spaceAfter(let length): "margin-bottom:\(points(length.count))"
    case .tabStops, .list, .style: nil
    }
  }

  /// Returns the declarations for a distance from an edge. They override those of any other rule.
  private static func edge(_ side: String, _ length: Twips) -> String {
    length.count < 0
      ? "padding-inline-\(side):0;margin-inline-\(side):\(indent(length))"
      : "padding-inline-\(side):\(indent(length));margin-inline-\(side):0"
  }

  private static func indent(_ length: Twips) -> String {
    length.count < 0
      ? "max(\(points(length.count)),-1.25rem)" : "min(\(points(length.count)),\(room))"
  }

  // MARK: - Margins

  /// Returns the declarations that put the margins around an element. They have a low precedence: a
  /// page with other distances of its own adds the variables of `variables(of:)` to them.
  static func padding(_ margins: EditorMargins) -> String {
    "box-sizing:border-box;padding:" + sides(margins).map(\.value).joined(separator: " ")
  }

  /// Returns the margins as CSS variables: `--page-top`, `--page-right`, `--page-bottom` and
  /// `--page-left`.
  static func variables(of margins: EditorMargins) -> String {
    sides(margins).map { "--page-\($0.name):\($0.value)" }.joined(separator: ";")
  }

  /// The margins in the order of CSS. On a narrow screen, those at the left and right are reduced.
  private static func sides(_ margins: EditorMargins) -> [(name: String, value: String)] {
    [
      ("top", points(margins.top.count)), ("right", "min(\(points(margins.right.count)),10vw)"),
      ("bottom", points(margins.bottom.count)), ("left", "min(\(points(margins.left.count)),10vw)"),
    ]
  }

  private static func lines(_ value: String, _ unit: String = "") -> String {
    "--lines:\(value)\(unit);line-height:\(value)"
  }

  /// Returns a quotient with at most four decimals, without trailing zeros.
  private static func number(_ count: Int, by divisor: Int) -> String {
    let parts = (count * 10_000 + divisor / 2) / divisor
    if parts % 10_000 == 0 { return "\(parts / 10_000)" }
    var digits = "\(10_000 + parts % 10_000)".dropFirst()
    while digits.last == "0" { digits = digits.dropLast() }
    return "\(parts / 10_000).\(digits)"
  }
}
