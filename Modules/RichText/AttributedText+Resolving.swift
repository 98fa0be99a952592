/// How much of a selection has an attribute, as shown in a palette.
package enum FormatState: String, Hashable, Sendable {
  /// No part has the attribute.
  case off
  /// All of the selection has the attribute.
  case on
  /// A part of the selection has the attribute.
  case mixed
}

/// The value of an attribute in a selection.
package enum CommonValue<Attribute: FormatAttribute>: Hashable, Sendable {
  /// The whole selection has the same value, or nil if no layer sets one.
  case same(Attribute?)
  /// Parts of the selection have different values.
  case mixed
}

extension AttributedText {
  /// A range and its resolved value, or nil if no layer sets one.
  package typealias Resolved<Attribute: FormatAttribute> = (range: Range<Int>, value: Attribute?)

  /// Returns the inherited values of a character attribute, which apply where characters have no
  /// direct value. The ranges are in order and adjacent ones differ. O(runs in the range).
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

  /// Calls `body` with the parts of a range and the style of their paragraphs, in order. Adjacent
  /// parts may have the same style. O(paragraph runs in the range).
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

  /// Returns the resolved values of a character attribute in a range. The ranges are in order and
  /// adjacent ones differ. O(runs in the range).
  package func resolved(
    _ kind: CharacterAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> [Resolved<CharacterAttribute>] {
    var directValues = [CharacterAttribute??](repeating: nil, count: characters.sets.count)
    var result: [Resolved<CharacterAttribute>] = []
    for (range, inherited) in inherited(kind, in: range, context) {
      characters.forEachNumber(in: range) { part, set in
        let value: CharacterAttribute?
        if let known = directValues[Int(set)] {
          value = known
        } else {
          value = characters.sets[Int(set)][kind]
          directValues[Int(set)] = .some(value)
        }
        Self.append((part, value ?? inherited), to: &result)
      }
    }
    return result
  }

  /// Returns the resolved values of a paragraph attribute in a range. The ranges are in order and
  /// adjacent ones differ. O(runs in the range).
  package func resolved(
    _ kind: ParagraphAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> [Resolved<ParagraphAttribute>] {
    let lowest = defaults.paragraphs[kind] ?? context.application.paragraphs[kind]
    var result: [Resolved<ParagraphAttribute>] = []
    forEachStyle(in: range, context) { part, style in
      if kind == .style { return Self.append((part, .style(style)), to: &result) }
      var inherited: ParagraphAttribute?? = nil
      paragraphs.forEach(in: part) { part, set in
        if let value = set[kind] { return Self.append((part, value), to: &result) }
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

  /// Returns all resolved attributes of the character at an offset and of its paragraph. O(log runs
  /// + styles).
  package func resolved(at offset: Int, _ context: FormatContext) -> FormatDefaults {
    let direct = paragraphAttributes(at: offset)
    let semantic = context.semantics
    let combined = direct.inheriting(semantic.paragraphs[offset])
    let style: StyleID = if case .style(let id)? = combined[.style] { id } else { .body }
    let base = styles.resolved(style)
    let paragraphs = combined.inheriting(
      base.paragraphs.inheriting(defaults.paragraphs.inheriting(context.application.paragraphs)))
    let characters = self.characters[offset].inheriting(semantic.characters[offset]).inheriting(
      base.characters.inheriting(defaults.characters.inheriting(context.application.characters)))
    return FormatDefaults(
      characters: characters, paragraphs: paragraphs.applying([.set(.style(style))]))
  }

  /// Returns the parts that contain more than terminators. States ignore terminators.
  private func asked<Attribute>(_ parts: [Resolved<Attribute>]) -> some Sequence<
    Resolved<Attribute>
  > {
    parts.lazy.filter { part in
      units[part.range].contains { !Self.isTerminator($0) }
    }
  }

  /// Returns how much of a selection has an attribute with exactly this value, ignoring
  /// terminators. Returns `off` if the range contains nothing else. O(runs in the range +
  /// terminators).
  package func state(
    of attribute: CharacterAttribute, in range: Range<Int>, _ context: FormatContext
  ) -> FormatState {
    var (on, off) = (false, false)
    // The state of each set: 0 unknown, 1 has the value, 2 has another value, 3 inherits.
    var known = [UInt8](repeating: 0, count: characters.sets.count)
    for (range, inherited) in inherited(attribute.kind, in: range, context) {
      let isInherited = inherited == attribute
      characters.forEachNumber(in: range) { part, set in
        if known[Int(set)] == 0 {
          let value = characters.sets[Int(set)][attribute.kind]
          known[Int(set)] = value == nil ? 3 : value == attribute ? 1 : 2
        }
        let has = known[Int(set)] == 3 ? isInherited : known[Int(set)] == 1
        // Search for terminators only if the result depends on them.
        guard has ? !on : !off, units[part].contains(where: { !Self.isTerminator($0) }) else {
          return
        }
        if has { on = true } else { off = true }
      }
      if on, off { return .mixed }
    }
    return on ? .on : .off
  }

  /// Returns the value of a character attribute in a selection, ignoring terminators. If the range
  /// contains nothing else, returns the value for typed text. O(runs in the range + terminators).
  package func commonValue(
    of kind: CharacterAttribute.Kind, in range: Range<Int>, _ context: FormatContext
  ) -> CommonValue<CharacterAttribute> {
    var found: CharacterAttribute??
    for part in asked(resolved(kind, in: range, context)) {
      if let found, found != part.value { return .mixed }
      found = .some(part.value)
    }
    if let found { return .same(found) }
    let typed = typingAttributes(replacing: range)[kind]
    return .same(typed ?? inheritedWhileTyping(kind, at: range.lowerBound, context))
  }

  /// Returns the value of an attribute that typed text inherits.
  func inheritedWhileTyping(
    _ kind: CharacterAttribute.Kind, at offset: Int, _ context: FormatContext
  ) -> CharacterAttribute? {
    let place = offset < units.count ? offset : offset - 1
    if place >= 0 { return inherited(kind, in: place..<place + 1, context).first?.value }
    return styles.resolved(.body).characters[kind] ?? defaults.characters[kind]
      ?? context.application.characters[kind]
  }

  /// Returns the value of an attribute in the paragraphs that a selection touches. O(runs in the
  /// range).
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
