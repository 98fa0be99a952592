/// How much of a selection has an attribute: what a palette shows.
package enum FormatState: String, Hashable, Sendable {
  /// None of it.
  case off
  /// All of it.
  case on
  /// A part of it.
  case mixed
}

/// The value that a selection has of an attribute.
package enum CommonValue<Attribute: FormatAttribute>: Hashable, Sendable {
  /// All of it the same; nil where nothing says one.
  case same(Attribute?)
  /// Different parts have different ones.
  case mixed
}

extension AttributedText {
  /// A stretch with the value that counts there.
  package typealias Resolved<Attribute: FormatAttribute> = (range: Range<Int>, value: Attribute?)

  /// What counts of a character's attribute where the characters say nothing of their own: the
  /// stretches of a range in order; neighbours differ. O(runs in the range).
  func inherited(
    _ kind: CharacterAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> [Resolved<CharacterAttribute>] {
    let lowest = defaults.characters[kind] ?? context.application.characters[kind]
    var styleValues: [StyleID: CharacterAttribute?] = [:]
    var result: [Resolved<CharacterAttribute>] = []
    forEachStyle(in: range, context) { part, style in
      let value: CharacterAttribute?
      if let known = styleValues[style] {
        value = known
      } else {
        value = styles.resolved(style).characters[kind] ?? lowest
        styleValues[style] = .some(value)
      }
      context.semantics.characters.forEach(in: part) { part, set in
        Self.append((part, set[kind] ?? value), to: &result)
      }
    }
    return result
  }

  private static func append<Attribute>(
    _ part: Resolved<Attribute>, to result: inout [Resolved<Attribute>]
  ) {
    if let last = result.last, last.value == part.value {
      result[result.count - 1].range = last.range.lowerBound..<part.range.upperBound
    } else {
      result.append(part)
    }
  }

  /// Calls with the stretches of a range and the style of their paragraphs. Neighbours may have the
  /// same. O(paragraph runs in the range).
  func forEachStyle(
    in range: Range<Int>, _ context: FormatContext, _ body: (Range<Int>, StyleID) -> Void
  ) {
    func style(_ set: AttributeSet<ParagraphAttribute>) -> StyleID? {
      if case .style(let id)? = set[.style] { id } else { nil }
    }
    let layer = context.semantics.paragraphs
    paragraphs.forEach(in: range) { part, set in
      if let id = style(set) { return body(part, id) }
      layer.forEach(in: part) { body($0, style($1) ?? .body) }
    }
  }

  /// The values of a character's attribute that count in a range, in order; neighbours differ.
  /// O(runs in the range).
  package func resolved(
    _ kind: CharacterAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> [Resolved<CharacterAttribute>] {
    var own = [CharacterAttribute??](repeating: nil, count: characters.sets.count)
    var result: [Resolved<CharacterAttribute>] = []
    for (range, inherited) in inherited(kind, in: range, context) {
      characters.forEachNumber(in: range) { part, set in
        let value: CharacterAttribute?
        if let known = own[Int(set)] {
          value = known
        } else {
          value = characters.sets[Int(set)][kind]
          own[Int(set)] = .some(value)
        }
        Self.append((part, value ?? inherited), to: &result)
      }
    }
    return result
  }

  /// The values of a paragraph's attribute that count in a range, in order; neighbours differ.
  /// O(runs in the range).
  package func resolved(
    _ kind: ParagraphAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> [Resolved<ParagraphAttribute>] {
    let lowest = defaults.paragraphs[kind] ?? context.application.paragraphs[kind]
    var result: [Resolved<ParagraphAttribute>] = []
    forEachStyle(in: range, context) { part, style in
      if kind == .style { return Self.append((part, .style(style)), to: &result) }
      var inherited: ParagraphAttribute?? = nil
      paragraphs.forEach(in: part) { part, own in
        if let value = own[kind] { return Self.append((part, value), to: &result) }
        context.semantics.paragraphs.forEach(in: part) { part, semantic in
          if let value = semantic[kind] { return Self.append((part, value), to: &result) }
          let value = inherited ?? (styles.resolved(style).paragraphs[kind] ?? lowest)
          inherited = .some(value)
          Self.append((part, value), to: &result)
        }
      }
    }
    return result
  }

  /// All attributes of the character at an offset that count, and of its paragraph. O(log runs +
  /// styles).
  package func resolved(at offset: Int, _ context: FormatContext) -> FormatDefaults {
    let own = paragraphAttributes(at: offset)
    let semantic = context.semantics
    let said = own.inheriting(semantic.paragraphs[offset])
    let style: StyleID = if case .style(let id)? = said[.style] { id } else { .body }
    let base = styles.resolved(style)
    let paragraphs = said.inheriting(
      base.paragraphs.inheriting(defaults.paragraphs.inheriting(context.application.paragraphs)))
    let characters = self.characters[offset].inheriting(semantic.characters[offset]).inheriting(
      base.characters.inheriting(defaults.characters.inheriting(context.application.characters)))
    return FormatDefaults(
      characters: characters, paragraphs: paragraphs.applying([.set(.style(style))]))
  }

  /// The stretches of a range that hold more than terminators, which no state asks.
  private func asked<Attribute>(_ parts: [Resolved<Attribute>]) -> some Sequence<
    Resolved<Attribute>
  > {
    parts.lazy.filter { part in
      units[part.range].contains { !Self.isTerminator($0) }
    }
  }

  /// How much of a selection has an attribute with exactly this value; terminators do not count. `off`
  /// where there is nothing else. O(runs in the range + terminators).
  package func state(
    of attribute: CharacterAttribute, in range: Range<Int>, _ context: FormatContext
  ) -> FormatState {
    var (on, off) = (false, false)
    // What each set says: 0 is not known yet, 1 has it, 2 has another value, 3 inherits it.
    var known = [UInt8](repeating: 0, count: characters.sets.count)
    for (range, inherited) in inherited(attribute.kind, in: range, context) {
      let isInherited = inherited == attribute
      characters.forEachNumber(in: range) { part, set in
        if known[Int(set)] == 0 {
          let own = characters.sets[Int(set)][attribute.kind]
          known[Int(set)] = own == nil ? 3 : own == attribute ? 1 : 2
        }
        let has = known[Int(set)] == 3 ? isInherited : known[Int(set)] == 1
        // Terminators are looked for only where they could decide.
        guard has ? !on : !off, units[part].contains(where: { !Self.isTerminator($0) }) else {
          return
        }
        if has { on = true } else { off = true }
      }
      if on, off { return .mixed }
    }
    return on ? .on : .off
  }

  /// The value that a selection has of a character's attribute; terminators do not count. Where there is
  /// nothing else, it is that of what would be typed. O(runs in the range + terminators).
  package func commonValue(
    of kind: CharacterAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> CommonValue<CharacterAttribute> {
    var found: CharacterAttribute??
    for part in asked(resolved(kind, in: range, context)) {
      if let found, found != part.value { return .mixed }
      found = .some(part.value)
    }
    if let found { return .same(found) }
    let own = typingAttributes(replacing: range)[kind]
    return .same(own ?? inheritedWhileTyping(kind, at: range.lowerBound, context))
  }

  /// What typed text inherits of an attribute.
  func inheritedWhileTyping(
    _ kind: CharacterAttribute.Kind, at offset: Int, _ context: FormatContext
  ) -> CharacterAttribute? {
    let place = offset < units.count ? offset : offset - 1
    if place >= 0 { return inherited(kind, in: place..<place + 1, context).first?.value }
    return styles.resolved(.body).characters[kind] ?? defaults.characters[kind]
      ?? context.application.characters[kind]
  }

  /// The value that the paragraphs of a selection have of an attribute. O(runs in the range).
  package func commonValue(
    of kind: ParagraphAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> CommonValue<ParagraphAttribute> {
    let paragraphs = paragraphRange(around: range)
    if paragraphs.isEmpty {
      return .same(resolved(at: paragraphs.lowerBound, context).paragraphs[kind])
    }
    let parts = resolved(kind, in: paragraphs, context)
    return parts.count == 1 ? .same(parts[0].value) : .mixed
  }
}
