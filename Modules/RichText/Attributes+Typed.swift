extension RawRepresentable<String> {
  /// The name in command syntax: `dash-dot` for `dashDot`.
  package var word: String {
    rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }
}

extension UnderlineStyle {
  /// Parses the command syntax, and CSS's `wavy`. Returns nil for an unknown style.
  package init?(word: String) {
    let word = word == "wavy" ? UnderlineStyle.wave.word : word
    guard let style = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = style
  }
}

extension Twips {
  /// The number of points without the unit, as in commands: `36`, `12.5`.
  package var typed: String {
    let text = description
    return text.hasSuffix(" pt") ? String(text.dropLast(3)) : text
  }
}

extension CharacterAttribute.Kind {
  /// The attribute's name in commands, which lists of attributes show too.
  package var typed: String {
    switch self {
    case .strikethrough: "strike"
    case .family: "font"
    case .capitals: "caps"
    default: rawValue
    }
  }
}

extension ParagraphAttribute.Kind {
  /// The attribute's name in commands, which lists of attributes show too.
  package var typed: String {
    switch self {
    case .alignment: "align"
    case .firstLineIndent: "indent first"
    case .headIndent: "indent head"
    case .tailIndent: "indent tail"
    case .lineHeight: "spacing line"
    case .lineSpacing: "spacing extra"
    case .spaceBefore: "spacing before"
    case .spaceAfter: "spacing after"
    case .tabStops: "tabs"
    case .list, .style: rawValue
    }
  }
}

extension CharacterAttribute {
  /// The value in command syntax.
  package var typed: String {
    switch self {
    case .bold(let flag), .italic(let flag): flag ? "on" : "off"
    case .underline(let style): style == .none ? "off" : style == .single ? "on" : style.word
    case .strikethrough(let style): style == .none ? "off" : style == .single ? "on" : style.word
    case .family(let name), .link(let name): name
    case .size(let size): size % 2 == 0 ? "\(size / 2)" : "\(size / 2).5"
    case .capitals(let capitals): capitals == .normal ? "off" : capitals.rawValue
    case .position(let position): position == .normal ? "normal" : position.rawValue
    case .color(let color), .background(let color): "\(color)"
    }
  }
}

extension CharacterAttribute {
  /// The value with its unit, for display.
  package var shown: String { if case .size = self { "\(typed) pt" } else { typed } }
}

extension ParagraphAttribute {
  /// Returns the value for display, with lengths in a unit.
  package func shown(in unit: LengthUnit) -> String {
    switch self {
    case .firstLineIndent(let length), .headIndent(let length), .tailIndent(let length),
      .lineSpacing(let length), .spaceBefore(let length), .spaceAfter(let length):
      unit.text(length)
    case .lineHeight(.atLeast(let length)): "at least \(unit.text(length))"
    case .lineHeight(.exactly(let length)): "exactly \(unit.text(length))"
    default: typed
    }
  }

  /// The value in command syntax.
  package var typed: String {
    switch self {
    case .alignment(let alignment): alignment.rawValue
    case .firstLineIndent(let length), .headIndent(let length), .tailIndent(let length),
      .lineSpacing(let length), .spaceBefore(let length), .spaceAfter(let length):
      length.typed
    case .lineHeight(.multiple(let count)): Self.multiple(count)
    case .lineHeight(.atLeast(let length)): "at least \(length.typed)"
    case .lineHeight(.exactly(let length)): "exactly \(length.typed)"
    case .tabStops(let stops):
      stops.isEmpty
        ? "none"
        : stops.map { stop in
          stop.position.typed
            + (stop.kind == .left && stop.leader == .none ? "" : ":\(stop.kind.rawValue)")
            + (stop.leader == .none ? "" : ":\(stop.leader.word)")
        }.joined(separator: ",")
    case .list(let item): "level \(item.level + 1), \(item.marker.rawValue)"
    case .style(let id): id.name
    }
  }

  /// Converts 240ths to a decimal of up to two places: 288 is `1.2`.
  private static func multiple(_ count: Int) -> String {
    let hundredths = (count * 100 + 120) / 240
    let rest = hundredths % 100
    return "\(hundredths / 100)"
      + (rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)")
  }
}

extension FormatChange {
  /// The change in command syntax, for the history and messages.
  package var typed: String {
    let characters = characters.map { change in
      if case .set(let attribute) = change { return "\(change.kind.typed) \(attribute.typed)" }
      return "\(change.kind.typed) none"
    }
    let paragraphs = paragraphs.map { change in
      if case .set(let attribute) = change { return "\(change.kind.typed) \(attribute.typed)" }
      return "\(change.kind.typed) none"
    }
    return (characters + paragraphs).joined(separator: ", ")
  }
}
