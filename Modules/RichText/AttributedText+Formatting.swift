import Model

/// The format at an offset, copied to be applied elsewhere.
package struct CopiedFormat: Hashable, Sendable {
  /// The resolved character attributes, without a link.
  package var characters: AttributeSet<CharacterAttribute>
  /// The resolved paragraph attributes, including the style but not the list item.
  package var paragraphs: AttributeSet<ParagraphAttribute>

  package init(
    characters: AttributeSet<CharacterAttribute>, paragraphs: AttributeSet<ParagraphAttribute>
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}

extension AttributedText {
  /// Changes the character attributes of a range. O(log runs + runs in and after the range).
  ///
  /// - Throws: ``FormatValueError`` if a value is out of its limits. Nothing is changed then.
  package mutating func change(
    _ range: Range<Int>, _ changes: [AttributeChange<CharacterAttribute>],
    limits: FormatLimits = .commands
  ) throws(FormatValueError) {
    try Self.check(changes, limits)
    characters.update(range) { $0.applying(changes) }
  }

  /// Changes the attributes of all paragraphs that a range touches. In a text that is empty or ends
  /// with a terminator, the last paragraph is empty. It has no units and stores no attributes.
  /// O(paragraphs + runs).
  ///
  /// - Throws: ``FormatValueError`` if a value is out of its limits. Nothing is changed then.
  package mutating func changeParagraphs(
    _ range: Range<Int>, _ changes: [AttributeChange<ParagraphAttribute>],
    limits: FormatLimits = .commands
  ) throws(FormatValueError) {
    try Self.check(changes, limits)
    paragraphs.update(paragraphRange(around: range)) { $0.applying(changes) }
  }

  private static func check<Attribute>(
    _ changes: [AttributeChange<Attribute>], _ limits: FormatLimits
  ) throws(FormatValueError) {
    for case .set(let attribute) in changes {
      if let problem = attribute.problem(within: limits) { throw problem }
    }
  }

  /// Removes an attribute if the whole selection has it, ignoring terminators. Otherwise sets it on
  /// the whole selection.
  ///
  /// The resolved values count: removing bold from a heading stores `bold(false)`, and if the
  /// inherited value is already the requested one, nothing is stored. O(runs in and after the
  /// range).
  ///
  /// - Parameter attribute: the value that counts as on. If it has no `off` value, it is removed by
  ///   clearing it.
  /// - Returns: whether the selection has the attribute now.
  /// - Throws: ``FormatValueError`` if the value is out of its limits. Nothing is changed then.
  @discardableResult
  package mutating func toggle(
    _ attribute: CharacterAttribute, in range: Range<Int>, _ context: FormatContext
  ) throws(FormatValueError) -> Bool {
    if let problem = attribute.problem(within: .commands) { throw problem }
    let turnsOn = state(of: attribute, in: range, context) != .on
    let parts = inherited(attribute.kind, in: range, context).map { part in
      (range: part.range, class: part.value == attribute ? 1 : 0)
    }
    characters.update(parts) { set, isInherited in
      Self.toggled(attribute, on: turnsOn, in: set, isInherited: isInherited == 1)
    }
    return turnsOn
  }

  private static func toggled(
    _ attribute: CharacterAttribute, on turnsOn: Bool, in set: AttributeSet<CharacterAttribute>,
    isInherited: Bool
  ) -> AttributeSet<CharacterAttribute> {
    if turnsOn { return set.applying([isInherited ? .clear(attribute.kind) : .set(attribute)]) }
    // Keep any other value, which a terminator may have.
    if let current = set[attribute.kind], current != attribute { return set }
    guard isInherited, let off = attribute.off else {
      return set.applying([.clear(attribute.kind)])
    }
    return set.applying([.set(off)])
  }

  /// Returns the attributes for typed text after an attribute was toggled without a selection.
  ///
  /// - Parameter typing: the typing attributes before, or nil for those of the text at the offset.
  /// - Throws: ``FormatValueError`` if the value is out of its limits.
  package func toggling(
    _ attribute: CharacterAttribute, typing: AttributeSet<CharacterAttribute>? = nil,
    at offset: Int, _ context: FormatContext
  ) throws(FormatValueError) -> AttributeSet<CharacterAttribute> {
    if let problem = attribute.problem(within: .commands) { throw problem }
    let set = typing ?? typingAttributes(replacing: offset..<offset)
    let inherited = inheritedWhileTyping(attribute.kind, at: offset, context)
    let turnsOn = (set[attribute.kind] ?? inherited) != attribute
    return Self.toggled(attribute, on: turnsOn, in: set, isInherited: inherited == attribute)
  }

  /// Removes the direct attributes of characters, except links. Also removes those of the
  /// paragraphs that the range touches if it contains the end of a paragraph. O(range + runs).
  ///
  /// - Parameter withParagraphs: whether to clear paragraph attributes; nil to decide by the range.
  package mutating func clear(_ range: Range<Int>, withParagraphs: Bool? = nil) {
    characters.update(range) { set in AttributeSet(set[.link].map { [$0] } ?? []) }
    guard withParagraphs ?? spansTerminator(range) else { return }
    paragraphs.update(paragraphRange(around: range)) { _ in AttributeSet() }
  }

  /// Returns the resolved format at the start of a selection: that of its first character and its
  /// first paragraph. For an empty range, that of the character before it. O(log runs).
  package func copyFormat(of range: Range<Int>, _ context: FormatContext) -> CopiedFormat {
    let start = range.isEmpty ? max(0, range.lowerBound - 1) : range.lowerBound
    var resolved = resolved(at: start, context)
    resolved.characters = resolved.characters.removing([.link])
    resolved.characters.other = [:]
    resolved.paragraphs = resolved.paragraphs.removing([.list])
    resolved.paragraphs.other = [:]
    return CopiedFormat(characters: resolved.characters, paragraphs: resolved.paragraphs)
  }

  /// Replaces the direct attributes of a selection with a copied format. Links and list items are
  /// kept. The paragraph format is applied if the range contains the end of a paragraph. O(range +
  /// runs).
  ///
  /// - Parameter withParagraphs: whether to apply the paragraph format; nil to decide by the range.
  package mutating func paste(
    _ format: CopiedFormat, in range: Range<Int>, withParagraphs: Bool? = nil
  ) {
    characters.update(range) { set in
      format.characters.applying(set[.link].map { [.set($0)] } ?? [])
    }
    guard withParagraphs ?? spansTerminator(range) else { return }
    paragraphs.update(paragraphRange(around: range)) { set in
      format.paragraphs.applying(set[.list].map { [.set($0)] } ?? [])
    }
  }

  /// Stores the direct attributes at the start of a range as a style that inherits from the
  /// paragraph's style. Replaces an existing style with the same id.
  ///
  /// - Returns: the new style. The text keeps its direct attributes.
  /// - Throws: ``StyleError`` if the title has no letter or digit, or if ``StyleSheet/store(_:)``
  ///   throws.
  @discardableResult
  package mutating func saveStyle(
    title: String, from range: Range<Int>, _ context: FormatContext
  ) throws(StyleError) -> NamedStyle {
    guard let id = StyleID(title: title) else {
      throw StyleError("the title '\(title.prefix(80))' has no letter or digit")
    }
    let start = range.isEmpty ? max(0, range.lowerBound - 1) : range.lowerBound
    var base: StyleID? = nil
    if case .style(let style)? = resolved(at: start, context).paragraphs[.style] { base = style }
    // If the text already has the style, keep the style's base.
    if base == id { base = styles[id]?.basedOn }
    var characters = characters[start].removing([.link])
    var paragraphs = paragraphAttributes(at: start).removing([.style, .list])
    if let old = styles[id], case .style(id)? = paragraphAttributes(at: start)[.style] {
      characters = characters.inheriting(old.characters)
      paragraphs = paragraphs.inheriting(old.paragraphs)
    }
    let style = NamedStyle(
      id: id, title: title.oneLine, basedOn: base.flatMap { styles[$0]?.id },
      characters: characters, paragraphs: paragraphs)
    try styles.store(style)
    return style
  }
}
