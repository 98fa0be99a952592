package import Model

/// A text whose characters and paragraphs have attributes. All offsets are UTF-16 units.
///
/// ```swift
/// var text = AttributedText("A quick fox")
/// try text.change(2..<7, [.set(.bold(true))])
/// text.characters[2][.bold]  // .bold(true)
/// ```
///
/// The resolved value of an attribute is the first of: the direct value, the value from the source
/// of the text (``FormatContext/semantics``), the paragraph's style including inherited styles, the
/// text's defaults, the application's defaults.
///
/// A paragraph ends after LF, CR, CR LF or U+2029. U+2028 is a line break inside a paragraph.
package struct AttributedText: Sendable, Equatable {
  /// The UTF-16 units of the text. Unpaired surrogates are allowed.
  package internal(set) var units: [UInt16]
  /// The direct attributes of characters.
  package internal(set) var characters = FormatRuns<CharacterAttribute>()
  /// The direct attributes of paragraphs. Each run covers whole paragraphs, including terminators.
  package internal(set) var paragraphs = FormatRuns<ParagraphAttribute>()
  /// The text's styles: built-in and custom ones.
  package var styles = StyleSheet()
  /// The text's defaults, which override those of the application.
  package var defaults = FormatDefaults()
  /// Unknown JSON members, which a newer version may have written. They are kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Creates a text without attributes.
  package init(_ text: String = "") { units = Array(text.utf16) }

  /// Creates a text with attributes. Runs are cut at the end of the text, and a paragraph gets the
  /// attributes of its first unit. O(units + runs).
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

  /// The text as a string; an unpaired surrogate becomes U+FFFD. O(units).
  package var string: String { String(units: units) }

  /// The direct attributes of characters and paragraphs.
  package var layer: FormatLayer { FormatLayer(characters: characters, paragraphs: paragraphs) }

  // MARK: - Paragraphs

  /// Returns whether a unit is a paragraph terminator or part of one.
  package static func isTerminator(_ unit: UInt16) -> Bool {
    unit == 0x0A || unit == 0x0D || unit == 0x2029
  }

  /// Returns whether a paragraph begins at an offset.
  package func isParagraphStart(_ offset: Int) -> Bool {
    guard offset > 0 else { return true }
    guard offset <= units.count, Self.isTerminator(units[offset - 1]) else { return false }
    return !(units[offset - 1] == 0x0D && offset < units.count && units[offset] == 0x0A)
  }

  /// Returns the paragraphs that a range touches, as one range including terminators. An empty
  /// range touches the paragraph around it. The paragraph after the last terminator is empty.
  /// O(length of the paragraphs).
  package func paragraphRange(around range: Range<Int>) -> Range<Int> {
    var start = min(range.lowerBound, units.count)
    while !isParagraphStart(start) { start -= 1 }
    // If a selection ends with a terminator, the next paragraph isn't part of it.
    var end = min(max(range.upperBound, start), units.count)
    if end > start, isParagraphStart(end), !range.isEmpty { return start..<end }
    repeat { end += 1 } while end < units.count && !isParagraphStart(end)
    return start..<min(end, units.count)
  }

  /// Returns whether a range contains a paragraph terminator. O(range).
  package func spansTerminator(_ range: Range<Int>) -> Bool {
    units[range].contains(where: Self.isTerminator)
  }

  /// Gives each paragraph in a range the attributes of its first unit. The range must consist of
  /// whole paragraphs. O(range + runs in it).
  mutating func settleParagraphs(_ range: Range<Int>) {
    if range.isEmpty || paragraphs.count == 0 { return }
    // Only paragraphs in which a run begins or ends need a change.
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

  /// Replaces parts of the text. O(units + runs + edits).
  ///
  /// New text gets the attributes in `typing` or, if nil, those of the character before it; at the
  /// start of a paragraph, those of the character after it. New paragraphs get the attributes of
  /// the paragraph that they are inserted into. Joined paragraphs get those of the first unit.
  ///
  /// - Precondition: the ranges are sorted, disjoint and inside the text.
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

  /// Returns the paragraph attributes at an offset. After the last terminator, returns those of the
  /// paragraph before it.
  func paragraphAttributes(at offset: Int) -> AttributeSet<ParagraphAttribute> {
    offset < units.count || offset == 0 ? paragraphs[offset] : paragraphs[offset - 1]
  }

  /// Returns the attributes for text typed in place of a range: those of the character before the
  /// range or, at the start of a paragraph, of the character after it. A link continues only if the
  /// position is inside it. O(log runs).
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

  /// Returns a part of the text with its attributes, and the same styles and defaults. O(part).
  package func slice(_ range: Range<Int>) -> AttributedText {
    AttributedText(
      units: Array(units[range]),
      layer: FormatLayer(
        characters: characters.slice(range), paragraphs: paragraphs.slice(range)),
      styles: styles, defaults: defaults)
  }
}
