package import Model

/// An action on a passage.
package enum MenuItem: Hashable, Sendable {
  /// Highlight the passage, or set the highlight's colour.
  case color(HighlightColor)
  /// Edit a note on the passage.
  case note
  case tag
  /// Add the text to the library and highlight the passage.
  case addAndMark
  /// Add the text to the library, so that it can be highlighted.
  case add
  case copy
  case copyMarkdown
  /// Copy the text as a quotation with its source.
  case copyCited
  /// Draw a card of the text with its source.
  case share
  /// Select the whole text.
  case selectAll
  /// Delete the highlight.
  case delete

  /// The key that chooses the item: the same as without the menu.
  package var key: Character {
    switch self {
    case .color(let color):
      Character("\((HighlightColor.allCases.firstIndex(of: color) ?? 0) + 1)")
    case .note: "n"
    case .tag: "t"
    case .addAndMark: "h"
    case .add: "l"
    case .copy: "y"
    case .copyMarkdown: "m"
    case .copyCited: "C"
    case .share: "s"
    case .selectAll: "a"
    case .delete: "x"
    }
  }

  /// The displayed name.
  ///
  /// - Parameter isHighlight: whether the passage is a highlight already.
  package func title(isHighlight: Bool) -> String {
    switch self {
    case .color(let color): (isHighlight ? "Change to " : "Highlight ") + color.rawValue
    case .note: "Note"
    case .tag: "Tag"
    case .addAndMark: "Highlight, and add to the library"
    case .add: "Add to the library"
    case .copy: "Copy"
    case .copyMarkdown: "Copy as Markdown"
    case .copyCited: "Copy with its citation"
    case .share: "Share as a card"
    case .selectAll: "Select all"
    case .delete: "Delete highlight"
    }
  }

  /// Returns the available actions.
  ///
  /// - Parameters:
  ///   - hasSelection: whether the passage contains text. If false, the result is empty.
  ///   - isAll: whether the passage is the whole text.
  ///   - highlight: the colour of the highlight at the passage, or nil if there is none.
  ///   - canMark: whether highlights can be created and changed.
  ///   - canAdd: whether the text can be added to the library.
  package static func items(
    hasSelection: Bool, isAll: Bool, highlight: HighlightColor?, canMark: Bool, canAdd: Bool
  ) -> [MenuItem] {
    guard hasSelection else { return [] }
    let colors = HighlightColor.allCases.filter { $0 != highlight }.map(MenuItem.color)
    let marking = canMark ? colors + [.note, .tag] : canAdd ? [.addAndMark, .add] : []
    return marking + [.copy, .copyMarkdown, .copyCited, .share] + (isAll ? [] : [.selectAll])
      + (canMark && highlight != nil ? [.delete] : [])
  }
}
