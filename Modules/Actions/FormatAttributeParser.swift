import Model
package import RichText
package import SystemSupport

/// Converts the names and values of attributes to changes of a format, such as `size` and `12.5`.
///
/// ```swift
/// let change = try FormatAttributeParser.change("indent first", "36")
/// ```
package enum FormatAttributeParser {
  /// The attributes that can be set, in alphabetical order. In names of two words, the second is
  /// the kind of indent or spacing.
  package static let names: [String] =
    (CharacterAttribute.Kind.allCases.filter { $0 != .link && $0 != .position }.map(\.typed)
    + ParagraphAttribute.Kind.allCases.filter { $0 != .list && $0 != .style }.map(\.typed)
    + ["spacing at-least", "spacing exactly"]).sorted()

  /// Returns the change that sets an attribute, or clears it if the value is `none`.
  ///
  /// - Throws: `usage`, with the valid names or values, if the name or the value is invalid.
  package static func change(_ name: String, _ value: String) throws(UserError) -> FormatChange {
    let isClearing = value == "none"
    if let kind = characterKind(name) {
      return FormatChange(
        characters: [isClearing ? .clear(kind) : .set(try character(kind, value))])
    }
    let kind = try paragraphKind(name)
    return FormatChange(
      paragraphs: [
        isClearing ? .clear(kind) : .set(try paragraph(kind, value, part(of: name)))
      ])
  }

  /// Checks the name of an attribute.
  ///
  /// - Throws: `usage`, with the valid names, if it is invalid.
  package static func check(_ name: String) throws(UserError) {
    if characterKind(name) == nil { _ = try paragraphKind(name) }
  }

  private static func characterKind(_ name: String) -> CharacterAttribute.Kind? {
    CharacterAttribute.Kind.allCases.first {
      $0.typed == name && $0 != .link && $0 != .position
    }
  }

  /// Returns the kind of indent or spacing in a name; empty for other attributes.
  private static func part(of name: String) -> String {
    String(name.drop { $0 != " " }.dropFirst())
  }

  private static func character(_ kind: CharacterAttribute.Kind, _ value: String)
    throws(UserError) -> CharacterAttribute
  {
    let name = kind.typed
    let isOff = value == "off"
    switch kind {
    case .bold, .italic:
      guard isOff || value == "on" else { throw wrong(value, name, ["on", "off", "none"]) }
      return kind == .bold ? .bold(!isOff) : .italic(!isOff)
    case .strikethrough:
      if isOff { return .strikethrough(.none) }
      guard let style = StrikethroughStyle(rawValue: value == "on" ? "single" : value) else {
        throw wrong(value, name, ["on", "off", "double", "none"])
      }
      return .strikethrough(style)
    case .underline:
      if isOff { return .underline(.none) }
      guard let style = UnderlineStyle(word: value == "on" ? "single" : value) else {
        throw wrong(value, name, ["on", "off"] + UnderlineStyle.allCases.map(\.word))
      }
      return .underline(style)
    case .size:
      let points = try number(value, name, "pt")
      guard (points * 2).rounded() == points * 2 else {
        throw UserError(.usage, "size \(value) is not a multiple of 0.5 pt")
      }
      return .size(Int(points * 2))
    case .color, .background:
      guard let color = TextColor(value.lowercased()) ?? named[value.lowercased()] else {
        let names = named.keys.sorted()
        let all =
          "rite #RRGGBB, automatic, none, "
          + "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        let near = Spelling.suggestion(for: value.lowercased(), among: names)
        throw UserError(
          .usage, "'\(value.oneLine)' is not a colour",
          hint: Hint(near.map { "\($0) W\(all)" } ?? "w\(all)"))
      }
      return kind == .color ? .color(color) : .background(color)
    case .capitals:
      guard let capitals = Capitals(rawValue: isOff ? "normal" : value) else {
        throw wrong(value, name, ["small", "all", "off", "none"])
      }
      return .capitals(capitals)
    case .position:
      guard let position = BaselinePosition(rawValue: value) else {
        throw wrong(value, name, BaselinePosition.allCases.map(\.rawValue))
      }
      return .position(position)
    case .family: return .family(value)
    case .link: return .link(value)
    }
  }

  private static func paragraphKind(_ name: String) throws(UserError) -> ParagraphAttribute.Kind {
    let (group, part) = (String(name.prefix { $0 != " " }), part(of: name))
    switch (group, part) {
    case ("align", ""): return .alignment
    case ("tabs", ""): return .tabStops
    case ("indent", "first"): return .firstLineIndent
    case ("indent", "head"): return .headIndent
    case ("indent", "tail"): return .tailIndent
    case ("spacing", "line"), ("spacing", "at-least"), ("spacing", "exactly"): return .lineHeight
    case ("spacing", "extra"): return .lineSpacing
    case ("spacing", "before"): return .spaceBefore
    case ("spacing", "after"): return .spaceAfter
    case ("indent", _): throw wrong(part, group, ["first", "head", "tail"])
    case ("spacing", _):
      throw wrong(part, group, ["line", "extra", "before", "after", "at-least", "exactly"])
    default: throw UserError(.usage, "'\(name.oneLine)' cannot be set")
    }
  }

  /// Parses the value of a paragraph attribute.
  ///
  /// - Parameter part: the kind of indent or spacing as typed; empty for other attributes.
  /// - Throws: `usage`, with the valid values, if the value is invalid.
  private static func paragraph(_ kind: ParagraphAttribute.Kind, _ value: String, _ part: String)
    throws(UserError) -> ParagraphAttribute
  {
    switch kind {
    case .alignment:
      guard let alignment = TextAlignment(rawValue: value == "justify" ? "justified" : value) else {
        throw wrong(value, kind.typed, TextAlignment.allCases.map(\.rawValue) + ["none"])
      }
      return .alignment(alignment)
    case .tabStops: return .tabStops(try stops(value))
    case .lineHeight where part == "line":
      return .lineHeight(.times(try number(value, "spacing line", "x")))
    default: break
    }
    let length = try length(value, kind == .lineHeight ? "spacing \(part)" : kind.typed)
    switch kind {
    case .lineHeight: return .lineHeight(part == "exactly" ? .exactly(length) : .atLeast(length))
    case .firstLineIndent:
      let step = ParagraphAttribute.firstLineIndentStep
      if length.count % (step * 20) != 0, (0...144 * 20).contains(length.count) {
        throw UserError(
          .usage, "first-line indent \(value) is not a multiple of \(step) pt",
          hint: "0, 9, 18 … 144; common ones are 18, 36, 54 and 72")
      }
      return .firstLineIndent(length)
    case .headIndent: return .headIndent(length)
    case .tailIndent: return .tailIndent(length)
    case .lineSpacing: return .lineSpacing(length)
    case .spaceBefore: return .spaceBefore(length)
    default: return .spaceAfter(length)
    }
  }

  private static func wrong(_ value: String, _ name: String, _ allowed: [String]) -> UserError {
    UserError(
      .usage, "'\(value.oneLine)' is not a value of \(name)",
      hint: Spelling.suggestion(for: value, among: allowed).map { Hint($0) }
        ?? Hint("one of \(allowed.joined(separator: ", "))"))
  }

  /// Parses a number with at most five digits before and after the decimal point, with or without
  /// its unit. Throws `usage` for other texts.
  private static func number(_ word: String, _ name: String, _ unit: String) throws(UserError)
    -> Double
  {
    let digits = word.hasSuffix(unit) ? word.dropLast(unit.count) : Substring(word)
    let parts = digits.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    let isNumber =
      (1...2).contains(parts.count) && digits.count - digits.drop { $0 == "-" }.count < 2
      && parts.allSatisfy { (1...5).contains($0.count) && $0.utf8.allSatisfy { 48...57 ~= $0 } }
    guard isNumber, let value = Double(digits) else {
      throw UserError(
        .usage, "\(name) '\(word.oneLine)' is not a number",
        hint: "for example: \(name) 12, or \(name) 12.5")
    }
    return value
  }

  /// Parses a length in points, or in inches, centimetres or millimetres if it has that unit.
  /// Throws `usage` if it is not a number.
  static func length(_ word: String, _ name: String) throws(UserError) -> Twips {
    for (unit, points) in [("in", 72.0), ("cm", 72 / 2.54), ("mm", 72 / 25.4)]
    where word.hasSuffix(unit) {
      return Twips(Int((try number(word, name, unit) * points * 20).rounded()))
    }
    return Twips(Int((try number(word, name, "pt") * 20).rounded()))
  }

  /// Parses tab stops, `POSITION[:KIND[:LEADER]],…`, and sorts them by position. Throws `usage` if
  /// one is invalid.
  private static func stops(_ text: String) throws(UserError) -> [TabStop] {
    var stops: [TabStop] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let fields = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard (1...3).contains(fields.count) else {
        throw UserError(
          .usage, "tab stop '\(part.prefix(40))' is not POSITION[:KIND[:LEADER]]",
          hint: "tabs 72,144:right:dots")
      }
      var stop = TabStop(position: try length(fields[0], "tab stop"))
      if fields.count > 1 {
        guard let kind = TabStop.Kind(rawValue: fields[1]) else {
          throw wrong(fields[1], "tabs", TabStop.Kind.allCases.map(\.rawValue))
        }
        stop.kind = kind
      }
      if fields.count > 2 {
        guard let leader = TabStop.Leader.allCases.first(where: { $0.word == fields[2] }) else {
          throw wrong(fields[2], "tabs", TabStop.Leader.allCases.map(\.word))
        }
        stop.leader = leader
      }
      stops.append(stop)
    }
    return stops.sorted { $0.position < $1.position }
  }

  /// The colours that have names.
  private static let named: [String: TextColor] = [
    "black": .rgb(0x000000), "white": .rgb(0xFFFFFF), "gray": .rgb(0x808080),
    "red": .rgb(0xCC0000), "orange": .rgb(0xCC6600), "yellow": .rgb(0xFFE066),
    "green": .rgb(0x007A33), "blue": .rgb(0x0B57D0), "purple": .rgb(0x7B1FA2),
    "brown": .rgb(0x795548), "pink": .rgb(0xD81B60),
  ]
}
