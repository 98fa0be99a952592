package import Model
package import RichText

/// What a selection looks like: what a palette shows. Values are those that count, wherever they come
/// from; white space has no say where there are words.
package struct FormatSummary: Sendable {
  /// The values of its characters.
  package private(set) var characters: [CharacterAttribute.Kind: CommonValue<CharacterAttribute>] =
    [:]
  /// The values of its paragraphs.
  package private(set) var paragraphs: [ParagraphAttribute.Kind: CommonValue<ParagraphAttribute>] =
    [:]
  private let states: [CharacterAttribute: FormatState]

  /// What can be toggled.
  package static let toggles: [CharacterAttribute] = [
    .bold(true), .italic(true), .underline(.single), .strikethrough(.single),
    .position(.superscript), .position(.subscript),
  ]

  init(of range: Range<Int>, in format: DocumentFormat) {
    let text = format.text
    var states: [CharacterAttribute: FormatState] = [:]
    for kind in CharacterAttribute.Kind.allCases {
      let parts = text.resolved(kind, in: range, format.context).filter {
        format.hasWords(in: $0.range)
      }
      guard let first = parts.first else {
        characters[kind] = text.commonValue(of: kind, in: range, format.context)
        for toggle in Self.toggles where toggle.kind == kind {
          states[toggle] = text.state(of: toggle, in: range, format.context)
        }
        continue
      }
      characters[kind] = parts.allSatisfy { $0.value == first.value } ? .same(first.value) : .mixed
      for toggle in Self.toggles where toggle.kind == kind {
        let count = parts.count { $0.value == toggle }
        states[toggle] = count == 0 ? .off : count == parts.count ? .on : .mixed
      }
    }
    for kind in ParagraphAttribute.Kind.allCases {
      paragraphs[kind] = text.commonValue(of: kind, in: range, format.context)
    }
    self.states = states
  }

  /// How much of the selection has an attribute of `toggles`.
  package func state(of attribute: CharacterAttribute) -> FormatState { states[attribute] ?? .off }
}

extension DocumentFormat {
  /// What a part of the text looks like. O(runs in it).
  package func summary(of range: TextRange) -> FormatSummary {
    FormatSummary(of: range.utf16, in: self)
  }
}
