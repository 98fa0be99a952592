package import Model

/// A text whose characters and paragraphs have attributes. All offsets are UTF-16 units.
///
/// What is shown of an attribute is the first of: its own value, what the source of the text says
/// (`FormatContext.semantics`), the paragraph's style with all that it inherits, the text's defaults, the
/// application's defaults.
///
/// A paragraph ends after LF, CR, CR LF or U+2029; U+2028 stands inside of one.
package struct AttributedText: Sendable, Equatable {
  /// The text's units.
  package private(set) var units: [UInt16]
  /// The attributes that characters have of their own.
  package internal(set) var characters = FormatRuns<CharacterAttribute>()
  /// The attributes that paragraphs have of their own; each run covers whole paragraphs.
  package internal(set) var paragraphs = FormatRuns<ParagraphAttribute>()
  /// The styles of the text.
  package var styles = StyleSheet()
  /// The defaults of the text.
  package var defaults = FormatDefaults()
  /// What a newer version stored here; kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Makes a text without attributes.
  package init(_ text: String = "") { units = Array(text.utf16) }

  /// Makes a text of its parts. Runs beyond the end are cut, and a paragraph has what its first unit
  /// has. O(units + runs).
  package init(
    units: [UInt16], layer: FormatLayer = FormatLayer(), styles: StyleSheet = StyleSheet(),
    defaults: FormatDefaults = FormatDefaults()
  ) {
    self.units = units
    (self.styles, self.defaults) = (styles, defaults)
    characters =
      layer.characters.end <= units.count
      ? layer.characters : layer.characters.slice(0..<units.count)
    paragraphs =
      layer.paragraphs.end <= units.count
      ? layer.paragraphs : layer.paragraphs.slice(0..<units.count)
    settleParagraphs(0..<units.count)
  }

  /// The text; half a surrogate pair is U+FFFD. O(units).
  package var string: String { String(decoding: units, as: UTF16.self) }

  /// The attributes that characters and paragraphs have of their own.
  package var layer: FormatLayer { FormatLayer(characters: characters, paragraphs: paragraphs) }

  // MARK: - Paragraphs

  /// Whether a unit ends a paragraph or is a part of what ends it.
  package static func isTerminator(_ unit: UInt16) -> Bool {
    unit == 0x0A || unit == 0x0D || unit == 0x2029
  }

  /// Whether a paragraph begins at an offset.
  package func isParagraphStart(_ offset: Int) -> Bool {
    guard offset > 0 else { return true }
    guard offset <= units.count, Self.isTerminator(units[offset - 1]) else { return false }
    return !(units[offset - 1] == 0x0D && offset < units.count && units[offset] == 0x0A)
  }

  /// The paragraphs that a range touches, as one range with their terminators; an empty range touches
  /// the paragraph around it. The paragraph after the last terminator is empty. O(paragraphs' length).
  package func paragraphRange(around range: Range<Int>) -> Range<Int> {
    var start = min(range.lowerBound, units.count)
    while !isParagraphStart(start) { start -= 1 }
    // The last unit of a selection that ends with a terminator belongs to the paragraph before.
    var end = min(max(range.upperBound, start), units.count)
    if end > start, isParagraphStart(end), !range.isEmpty { return start..<end }
    repeat { end += 1 } while end < units.count && !isParagraphStart(end)
    return start..<min(end, units.count)
  }

  /// Whether a range contains the end of a paragraph. O(range).
  package func spansTerminator(_ range: Range<Int>) -> Bool {
    units[range].contains(where: Self.isTerminator)
  }

  /// Gives each paragraph in a range of whole ones what its first unit has. O(range + runs there).
  mutating func settleParagraphs(_ range: Range<Int>) {
    if range.isEmpty || paragraphs.count == 0 { return }
    // Only where a run begins or ends inside of a paragraph is there anything to do.
    var wrong: [(Range<Int>, FormatRuns<ParagraphAttribute>.Set)] = []
    var settled = range.lowerBound
    paragraphs.forEach(in: range) { part, _ in
      guard part.lowerBound >= settled, !isParagraphStart(part.lowerBound) else { return }
      let paragraph = paragraphRange(around: part.lowerBound..<part.lowerBound)
      wrong.append((paragraph, paragraphs[paragraph.lowerBound]))
      settled = paragraph.upperBound
    }
    for (paragraph, set) in wrong { paragraphs.set(paragraph, to: set) }
  }

  // MARK: - Edits

  /// Replaces parts of the text. What comes has the attributes of `typing`, or, without it, of the
  /// character before; at the start of a paragraph, of the character after. A paragraph that comes
  /// has the attributes of the one it is written into; paragraphs that become one have those of its
  /// first unit. O(units + runs + edits).
  ///
  /// - Precondition: the ranges are sorted, disjoint and inside of the text.
  package mutating func apply(
    _ edits: [TextEdit], typing: AttributeSet<CharacterAttribute>? = nil
  ) {
    typealias CharacterEdit = FormatRuns<CharacterAttribute>.Replacement
    typealias ParagraphEdit = FormatRuns<ParagraphAttribute>.Replacement
    var characterEdits: [CharacterEdit] = []
    var paragraphEdits: [ParagraphEdit] = []
    var changed: [Range<Int>] = []
    var shift = 0
    for edit in edits {
      let range = edit.range.utf16
      let count = edit.replacement.utf16.count
      characterEdits.append(
        CharacterEdit(
          range: range, count: count,
          set: count == 0 ? [] : typing ?? typingAttributes(replacing: range)))
      paragraphEdits.append(
        ParagraphEdit(
          range: range, count: count,
          set: count == 0 ? [] : paragraphAttributes(at: range.lowerBound)))
      changed.append(range.lowerBound + shift..<range.lowerBound + shift + count)
      shift += count - range.count
    }
    units = units.applying(edits)
    characters.replace(characterEdits)
    paragraphs.replace(paragraphEdits)
    var settled = 0
    for range in changed where range.upperBound >= settled {
      let around = paragraphRange(around: range.lowerBound..<range.lowerBound).lowerBound
      let end = paragraphRange(around: range.upperBound..<range.upperBound).upperBound
      settleParagraphs(max(around, settled)..<max(around, settled, end))
      settled = max(settled, end)
    }
  }

  /// The paragraph attributes at an offset; after the last terminator, those of the paragraph before.
  func paragraphAttributes(at offset: Int) -> AttributeSet<ParagraphAttribute> {
    offset < units.count || offset == 0 ? paragraphs[offset] : paragraphs[offset - 1]
  }

  /// What typed text has: the attributes of the character before the range, at the start of a
  /// paragraph of the one after it. A link goes on only inside of it. O(log runs).
  package func typingAttributes(replacing range: Range<Int>) -> AttributeSet<CharacterAttribute> {
    let start = range.lowerBound
    let after = range.isEmpty ? start : range.lowerBound
    let hasNext = after < units.count
    if isParagraphStart(start) {
      let set =
        hasNext && !Self.isTerminator(units[after]) || start == 0
        ? characters[after] : hasNext ? characters[after] : characters[start - 1]
      return range.isEmpty ? set.removing([.link]) : set
    }
    let set = characters[start - 1]
    guard let link = set[.link] else { return set }
    let next = range.upperBound < units.count ? characters[range.upperBound][.link] : nil
    return next == link ? set : set.removing([.link])
  }

  /// A part of the text with its attributes, the same styles and defaults. O(part).
  package func slice(_ range: Range<Int>) -> AttributedText {
    AttributedText(
      units: Array(units[range]),
      layer: FormatLayer(
        characters: characters.slice(range), paragraphs: paragraphs.slice(range)),
      styles: styles, defaults: defaults)
  }
}
