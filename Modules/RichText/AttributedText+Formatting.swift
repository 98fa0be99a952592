import Model

/// The format of a place, to be given to other places.
package struct CopiedFormat: Hashable, Sendable {
  /// What counts of characters, without a link.
  package var characters: AttributeSet<CharacterAttribute>
  /// What counts of paragraphs, with their style.
  package var paragraphs: AttributeSet<ParagraphAttribute>

  /// Makes a format of its parts.
  package init(
    characters: AttributeSet<CharacterAttribute>, paragraphs: AttributeSet<ParagraphAttribute>
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}

extension AttributedText {
  /// Changes attributes of the characters of a range. O(log runs + runs there and after it).
  ///
  /// - Throws: `FormatValueError` for a value out of its limits; nothing is changed then.
  package mutating func change(
    _ range: Range<Int>, _ changes: [AttributeChange<CharacterAttribute>],
    limits: FormatLimits = .commands
  ) throws(FormatValueError) {
    try Self.check(changes, limits)
    characters.update(range) { $0.applying(changes) }
  }

  /// Changes attributes of all paragraphs that a range touches, as wholes. A text that is empty or ends
  /// with a terminator has an empty paragraph at its end, which has no units and keeps nothing.
  /// O(paragraphs + runs).
  ///
  /// - Throws: `FormatValueError` for a value out of its limits; nothing is changed then.
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

  /// Removes an attribute where the whole selection has it, terminators ignored, and else gives it to
  /// all of the selection. What counts is asked, so that taking bold from a heading stores that it is
  /// not bold; where what is inherited is as wished, nothing is stored. O(runs in the range and after).
  ///
  /// - Parameter attribute: the value that counts as on. One without an off value is removed by clearing.
  /// - Returns: whether the selection has the attribute now.
  /// - Throws: `FormatValueError` for a value out of its limits; nothing is changed then.
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
    // Another value, as a terminator may have, is not what is taken away.
    if let own = set[attribute.kind], own != attribute { return set }
    guard isInherited, let off = attribute.off else {
      return set.applying([.clear(attribute.kind)])
    }
    return set.applying([.set(off)])
  }

  /// What is typed at an offset after an attribute was toggled without a selection.
  ///
  /// - Parameter typing: what would have been typed; nil for what the text gives there.
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

  /// Removes what characters have of their own, but not links; and of the paragraphs that the range
  /// touches when it spans the end of one, or when asked. O(range + runs).
  ///
  /// - Parameter withParagraphs: nil decides by the range.
  package mutating func clear(_ range: Range<Int>, withParagraphs: Bool? = nil) {
    characters.update(range) { set in AttributeSet(set[.link].map { [$0] } ?? []) }
    guard withParagraphs ?? spansTerminator(range) else { return }
    paragraphs.update(paragraphRange(around: range)) { _ in AttributeSet() }
  }

  /// The format that counts at the start of a selection: of its first character and its first
  /// paragraph. O(log runs).
  package func copyFormat(of range: Range<Int>, _ context: FormatContext) -> CopiedFormat {
    let start = range.isEmpty ? max(0, range.lowerBound - 1) : range.lowerBound
    var resolved = resolved(at: start, context)
    resolved.characters = resolved.characters.removing([.link])
    resolved.characters.other = [:]
    resolved.paragraphs = resolved.paragraphs.removing([.list])
    resolved.paragraphs.other = [:]
    return CopiedFormat(characters: resolved.characters, paragraphs: resolved.paragraphs)
  }

  /// Gives a selection a format in place of its own; links stay. The paragraphs get theirs when the
  /// range spans the end of one, or when asked. O(range + runs).
  ///
  /// - Parameter withParagraphs: nil decides by the range.
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

  /// Stores the attributes that a place has of its own as a style that inherits from the paragraph's.
  ///
  /// - Returns: the style; the text itself keeps what it has.
  /// - Throws: `StyleError` for a title without letters, and as `StyleSheet.store`.
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
    // A style that is saved again from text that has it stays where it was.
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
