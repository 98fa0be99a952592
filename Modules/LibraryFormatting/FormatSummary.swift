package import Model
package import RichText
package import Workspace

/// The effective attributes of a selection, as a formatting palette shows them. White space is
/// ignored if the selection contains other text.
///
/// ```swift
/// let summary = format.summary(of: range)
/// if summary.state(of: .italic(true)) == .mixed { print("partly italic") }
/// ```
package struct FormatSummary: Sendable {
  /// The value of each character attribute; `mixed` if it differs within the selection.
  package private(set) var characters: [CharacterAttribute.Kind: CommonValue<CharacterAttribute>] =
    [:]
  /// The value of each paragraph attribute; `mixed` if it differs within the selection.
  package private(set) var paragraphs: [ParagraphAttribute.Kind: CommonValue<ParagraphAttribute>] =
    [:]
  private let states: [CharacterAttribute: FormatState]

  /// The attributes that can be toggled.
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

  /// Returns whether all, part or none of the selection has an attribute of `toggles`; `off` for
  /// other attributes.
  package func state(of attribute: CharacterAttribute) -> FormatState { states[attribute] ?? .off }
}

extension DocumentFormat {
  /// Returns the effective attributes of a range. O(runs in the range).
  package func summary(of range: TextRange) -> FormatSummary {
    FormatSummary(of: range.utf16, in: self)
  }
}
