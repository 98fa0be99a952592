extension AttributeSet {
  /// The attributes that differ from inherited ones. O(attributes²), of which there are few.
  package func without(_ inherited: Self) -> Self {
    removing(values.filter { inherited[$0.kind] == $0 }.map(\.kind))
  }
}

extension AttributedText {
  /// The text without values that are what its styles and defaults say anyway, and without those that
  /// are off where nothing turns them on. O(runs).
  package func droppingRedundantValues() -> AttributedText {
    var classes: [StyleID: Int] = [:]
    var bases: [FormatDefaults] = []
    func number(_ set: AttributeSet<ParagraphAttribute>) -> Int {
      let id: StyleID = if case .style(let id)? = set[.style] { id } else { .body }
      if let number = classes[id] { return number }
      let style = styles.resolved(id)
      bases.append(
        FormatDefaults(
          characters: style.characters.inheriting(defaults.characters),
          paragraphs: style.paragraphs.inheriting(defaults.paragraphs)))
      classes[id] = bases.count - 1
      return bases.count - 1
    }
    // The style of each set, found once.
    var known: [UInt32: Int] = [:]
    var parts: [(range: Range<Int>, class: Int)] = []
    paragraphs.forEachNumber(in: 0..<units.count) { range, set in
      let style = known[set] ?? number(paragraphs.sets[Int(set)])
      known[set] = style
      if let last = parts.last, last.class == style {
        parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
      } else {
        parts.append((range, style))
      }
    }
    var text = self
    text.characters.update(parts) { set, style in
      let base = bases[style].characters
      let off = set.values.filter { base[$0.kind] == nil && $0.off == $0 }
      return set.without(base).removing(off.map(\.kind))
    }
    text.paragraphs = paragraphs.mapSets { set in
      var own = set.without(bases[number(set)].paragraphs)
      if own[.style] == .style(.body) { own.clear(.style) }
      return own
    }
    return text
  }
}

extension AttributedText {
  /// What of a text can be said once for all of it: fonts, colours of letters, and the shape of
  /// paragraphs.
  private static let shared:
    (characters: [CharacterAttribute.Kind], paragraphs: [ParagraphAttribute.Kind]) = (
      [.family, .size, .color],
      [
        .alignment, .firstLineIndent, .headIndent, .tailIndent, .lineHeight, .lineSpacing,
        .spaceBefore, .spaceAfter,
      ]
    )

  /// The text with what most of it has as its defaults, in place of the same value at every place; what
  /// counts anywhere is as it was. A kind of which some part has no value stays as it is. O(runs).
  package func gatheringDefaults() -> AttributedText {
    guard !units.isEmpty else { return self }
    var text = self
    let none = FormatContext(application: FormatDefaults(), semantics: FormatLayer())
    for kind in Self.shared.characters where defaults.characters[kind] == nil {
      let parts = resolved(kind, in: 0..<units.count, none)
      if let value = Self.common(parts) { text.defaults.characters.set(value) }
    }
    for kind in Self.shared.paragraphs where defaults.paragraphs[kind] == nil {
      let parts = resolved(kind, in: 0..<units.count, none)
      if let value = Self.common(parts) { text.defaults.paragraphs.set(value) }
    }
    return text.droppingRedundantValues()
  }

  /// The value of more than half of the units; nil where there is none, or some have no value.
  private static func common<Attribute>(_ parts: [Resolved<Attribute>]) -> Attribute? {
    var counts: [Attribute: Int] = [:]
    var total = 0
    for part in parts {
      guard let value = part.value else { return nil }
      counts[value, default: 0] += part.range.count
      total += part.range.count
    }
    return counts.first { $0.value * 2 > total }?.key
  }
}
