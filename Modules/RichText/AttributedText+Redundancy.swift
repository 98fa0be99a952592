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
