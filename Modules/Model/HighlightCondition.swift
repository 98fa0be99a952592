package import FoundationEssentials

/// A condition on a highlight, one word of a filter such as `color:green -#old`.
///
/// ```swift
/// let conditions = try HighlightCondition.parse("color:green -#old", names: names)
/// conditions.allSatisfy { $0.matches(highlight, in: document) }
/// ```
package struct HighlightCondition: Hashable, Sendable {
  /// The property that a condition tests.
  package enum Test: Hashable, Sendable {
    /// The highlight has one of the colours.
    case color(Set<HighlightColor>)
    /// The highlight has one of the tags.
    case tag(Set<String>)
    /// The highlight is in one of the states.
    case state(Set<AnchorState>)
    /// The document's path or title contains one of the texts.
    case document([TextNeedle])
    /// The quote contains one of the texts.
    case quote([TextNeedle])
    /// The note contains one of the texts.
    case note([TextNeedle])
    /// The quote or the note contains one of the texts.
    case text([TextNeedle])
    /// The highlight was created or changed at or after the time.
    case since(Date)
    /// The highlight has one of the properties.
    case has(Set<Property>)
  }

  /// A property that a highlight may lack.
  package enum Property: String, Hashable, Sendable, CaseIterable { case note, tag }

  package var test: Test
  /// Whether only highlights that fail the test match.
  package var isNegated: Bool

  package init(_ test: Test, isNegated: Bool = false) {
    (self.test, self.isNegated) = (test, isNegated)
  }

  /// Returns whether a highlight meets the condition. O(length of its texts).
  package func matches(_ highlight: Highlight, in document: Document) -> Bool {
    passes(highlight, in: document) != isNegated
  }

  private func passes(_ highlight: Highlight, in document: Document) -> Bool {
    switch test {
    case .color(let colors): colors.contains(highlight.color)
    case .tag(let tags): highlight.tags.contains { tags.contains($0) }
    case .state(let states): states.contains(highlight.anchor.state)
    case .document(let needles):
      needles.contains { $0.isIn(document.path.string) || $0.isIn(document.title) }
    case .quote(let needles): needles.contains { $0.isIn(highlight.selector.exact) }
    case .note(let needles): needles.contains { $0.isIn(highlight.note) }
    case .text(let needles):
      needles.contains { $0.isIn(highlight.selector.exact) || $0.isIn(highlight.note) }
    case .since(let date): highlight.updated >= date
    case .has(let properties):
      properties.contains { property in
        switch property {
        case .note: !highlight.note.isEmpty
        case .tag: !highlight.tags.isEmpty
        }
      }
    }
  }
}

/// A text to find in others, ignoring case and the Unicode normal form.
package struct TextNeedle: Hashable, Sendable {
  private let text: String
  private let bytes: [UInt8]
  private let isASCII: Bool

  package init(_ text: String) {
    self.text = text.lowercased()
    bytes = Array(self.text.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
  }

  /// Returns whether a text contains the needle. O(length) if both are ASCII.
  package func isIn(_ other: String) -> Bool {
    if bytes.isEmpty { return true }
    guard isASCII, other.utf8.allSatisfy({ $0 < 0x80 }) else {
      return other.lowercased().contains(text)
    }
    var other = other.lowercased()
    return other.withUTF8 { hay in
      guard hay.count >= bytes.count else { return false }
      return (0...(hay.count - bytes.count)).contains { start in
        hay[start] == bytes[0] && hay[start..<(start + bytes.count)].elementsEqual(bytes)
      }
    }
  }
}
