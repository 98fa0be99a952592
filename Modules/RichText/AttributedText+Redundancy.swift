extension AttributeSet {
  /// Returns the attributes that differ from the inherited ones. O(attributes²); sets are small.
  package func without(_ inherited: Self) -> Self {
    removing(values.filter { inherited[$0.kind] == $0 }.map(\.kind))
  }
}

extension AttributedText {
  /// Returns the text without attributes equal to those of its styles and defaults, and without
  /// `off` values where nothing sets the attribute. The resolved format is unchanged. O(runs).
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
    // The index in `bases` for each set, computed once.
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
      var direct = set.without(bases[number(set)].paragraphs)
      if direct[.style] == .style(.body) { direct.clear(.style) }
      return direct
    }
    return text
  }
}

extension AttributedText {
  /// The kinds that can be moved to the text's defaults: fonts, text colours and paragraph layout.
  private static let shared:
    (characters: [CharacterAttribute.Kind], paragraphs: [ParagraphAttribute.Kind]) = (
      [.family, .size, .color],
      [
        .alignment, .firstLineIndent, .headIndent, .tailIndent, .lineHeight, .lineSpacing,
        .spaceBefore, .spaceAfter,
      ]
    )

  /// Returns the text with each value that applies to more than half of it moved to its defaults.
  /// The resolved format is unchanged. If some part of the text has no value of a kind, no value of
  /// this kind is moved. O(runs).
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

  /// Returns the value of more than half of the units, or nil if there is none or some units have
  /// no value.
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
