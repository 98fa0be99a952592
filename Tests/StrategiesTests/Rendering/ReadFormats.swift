import Foundation
import RichText

/// Parses the style sheet of an HTML page's formats, and computes the attributes of a part from its
/// classes. Rules that Diple does not write are errors.
struct ReadFormats {
  struct Fault: Error, CustomStringConvertible { var description: String }

  /// The declarations of each class outside media queries, and the index of the rule.
  private var rules: [String: (order: Int, declarations: [(name: String, value: String)])] = [:]

  init(_ css: String) throws {
    guard !css.contains("<"), !css.contains("*/"), !css.contains("url("), !css.contains("@import")
    else { throw Fault(description: "forbidden in a style sheet: \(css)") }
    for (order, line) in css.split(separator: "\n").enumerated() {
      // Each line begins with the rule of one class. The other rules of the line are for the dark
      // scheme or for highlights.
      if line.hasPrefix(":where") || line.hasPrefix("mark[data-h]") { continue }
      guard let match = line.prefixMatch(of: #/\.(f-[A-Za-z0-9-]+)\{([^{}]*)\}/#) else {
        throw Fault(description: "no rule: \(line)")
      }
      var declarations: [(String, String)] = []
      for part in match.2.split(separator: ";") {
        let name = part.prefix { $0 != ":" }
        guard name.count < part.count, name.allSatisfy({ $0.isLetter || $0 == "-" }) else {
          throw Fault(description: "no declaration: \(part)")
        }
        declarations.append((String(name), String(part.dropFirst(name.count + 1))))
      }
      guard rules[String(match.1)] == nil else { throw Fault(description: "\(match.1) twice") }
      rules[String(match.1)] = (order, declarations)
    }
  }

  /// Returns the value of a property for the innermost element that sets it. If several classes of
  /// the element set it, the last rule wins.
  private func value(
    _ property: String, _ classes: [[String]], from prefixes: [String],
    where accepts: (String) -> Bool = { _ in true }
  ) -> String? {
    for element in classes.reversed() {
      let found = element.filter { name in prefixes.contains { name.hasPrefix($0) } }
        .compactMap { rules[$0] }.sorted { $0.order < $1.order }
        .flatMap { $0.declarations.filter { $0.name == property && accepts($0.value) } }
      if let last = found.last { return last.value }
    }
    return nil
  }

  private static let styles = ["f-style-", "f-letters-"]

  /// Returns the character attributes of classes. An underline of words and a single underline have
  /// the same CSS and differ only in their class.
  func characters(_ classes: [[String]]) throws -> AttributeSet<CharacterAttribute> {
    var set: AttributeSet<CharacterAttribute> = []
    switch value("font-weight", classes, from: ["f-b-"] + Self.styles) {
    case "bold": set.set(.bold(true))
    case "normal": set.set(.bold(false))
    case nil: break
    case let other?: throw Fault(description: "font-weight \(other)")
    }
    switch value("font-style", classes, from: ["f-i-"] + Self.styles) {
    case "italic": set.set(.italic(true))
    case "normal": set.set(.italic(false))
    case nil: break
    case let other?: throw Fault(description: "font-style \(other)")
    }
    if let families = value("font-family", classes, from: ["f-f-"] + Self.styles) {
      set.set(.family(try Self.string(families)))
    }
    let size = value("font-size", classes, from: ["f-z-"] + Self.styles) { $0.hasSuffix("pt") }
    if let size { set.set(.size(try Self.twips(size) / 10)) }
    let small = value("font-variant-caps", classes, from: ["f-k-"] + Self.styles)
    let all = value("text-transform", classes, from: ["f-k-"] + Self.styles)
    if small != nil {
      set.set(
        .capitals(small == "small-caps" ? .small : all == "uppercase" ? .all : .normal))
    }
    try addLines(classes, &set)
    switch value("vertical-align", classes, from: ["f-p-"]) {
    case "super": set.set(.position(.superscript))
    case "sub": set.set(.position(.subscript))
    case "baseline": set.set(.position(.normal))
    default: break
    }
    let names = classes.flatMap(\.self)
    if let name = names.last(where: { $0.hasPrefix("f-g-") }) {
      let background = value("background", [[name]], from: ["f-g-"])
      set.set(.background(background == "none" ? .automatic : TextColor(background ?? "")!))
      // Without a text colour, the rule sets black or white. This colour is not an attribute.
      if name.split(separator: "-").count == 4 {
        let kept = value("--color", [[name]], from: ["f-g-"])
        set.set(.color(TextColor(kept ?? value("color", [[name]], from: ["f-g-"]) ?? "")!))
      }
    }
    if let color = value("color", classes, from: ["f-c-"]) {
      set.set(.color(color.hasPrefix("var") ? .automatic : TextColor(color)!))
    }
    return set
  }

  private func addLines(_ classes: [[String]], _ set: inout AttributeSet<CharacterAttribute>)
    throws
  {
    // The class of a link only removes its underline.
    let inner = classes.flatMap(\.self).filter { $0.hasPrefix("f-u-") && !$0.hasSuffix("-gap") }
    if let name = inner.last, let line = value("text-decoration", [[name]], from: ["f-u-"]) {
      let names: [String: UnderlineStyle] = [
        "none": .none, "underline": name == "f-u-words" ? .words : .single,
        "underline double": .double, "underline dotted": .dotted, "underline dashed": .dashed,
        "underline 0.14em": .thick, "underline wavy": .wave,
      ]
      guard let style = names[line] else { throw Fault(description: line) }
      set.set(.underline(style))
    }
    if let line = value("text-decoration", classes, from: ["f-s-"]) {
      let names: [String: StrikethroughStyle] = [
        "none": .none, "line-through": .single, "line-through double": .double,
      ]
      guard let style = names[line] else { throw Fault(description: line) }
      set.set(.strikethrough(style))
    }
  }

  /// Returns the paragraph attributes of the classes of a leaf or a part of it.
  func paragraph(_ classes: [[String]]) throws -> AttributeSet<ParagraphAttribute> {
    let element = classes.last { $0.contains("f-part") } ?? classes[0]
    func value(_ name: String) -> String? {
      let value = self.value(name, [element], from: ["f-"])
      return value == "0" ? nil : value
    }
    var set: AttributeSet<ParagraphAttribute> = []
    if let side = value("text-align") {
      set.set(.alignment(side == "justify" ? .justified : TextAlignment(rawValue: side)!))
    }
    if let length = try value("text-indent").map(Self.twips) {
      set.set(.firstLineIndent(Twips(length)))
    }
    for name in ["padding-inline-start", "margin-inline-start"] {
      if let length = try value(name).map(Self.twips) { set.set(.headIndent(Twips(length))) }
    }
    for name in ["padding-inline-end", "margin-inline-end"] {
      if let length = try value(name).map(Self.twips) { set.set(.tailIndent(Twips(-length))) }
    }
    if let length = try value("padding-top").map(Self.twips) {
      set.set(.spaceBefore(Twips(length)))
    }
    if let length = try value("margin-bottom").map(Self.twips) {
      set.set(.spaceAfter(Twips(length)))
    }
    if let length = try value("--more").map(Self.twips) { set.set(.lineSpacing(Twips(length))) }
    if let lines = value("--lines") {
      if let factor = lines.wholeMatch(of: #/([0-9.]+)em/#).flatMap({ Double($0.1) }) {
        set.set(.lineHeight(.multiple(Int((factor * 200).rounded()))))
      } else {
        let twips = Twips(try Self.twips(lines))
        set.set(.lineHeight(lines.hasPrefix("max(") ? .atLeast(twips) : .exactly(twips)))
      }
    }
    return set
  }

  /// Returns the length in a value: `18pt`, `min(18pt,40%)`.
  private static func twips(_ value: String) throws -> Int {
    guard let match = value.firstMatch(of: #/-?[0-9]+(\.[0-9]+)?pt/#),
      let points = Double(match.0.dropLast(2))
    else { throw Fault(description: "no length: \(value)") }
    return Int((points * 20).rounded())
  }

  /// Returns the first string of a list.
  private static func string(_ value: String) throws -> String {
    guard let match = value.prefixMatch(of: #/"((?:[A-Za-z0-9 ]|\\[0-9a-f]+ )*)",/#) else {
      throw Fault(description: "no string: \(value)")
    }
    return String(match.1).replacing(#/\\([0-9a-f]+) /#) { escape in
      String(Character(Unicode.Scalar(UInt32(escape.1, radix: 16)!)!))
    }
  }
}
