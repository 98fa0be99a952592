package import Model

/// Something that can be done with a passage.
package enum MenuItem: Hashable, Sendable {
  /// Highlight it, or give the highlight this colour.
  case color(HighlightColor)
  /// Write something about it.
  case note
  /// Give it tags.
  case tag
  /// Bring the text into the library and highlight it.
  case addAndMark
  /// Bring the text into the library, so that it can be highlighted.
  case add
  /// Copy its text.
  case copy
  /// Copy it as Markdown.
  case copyMarkdown
  /// Copy it as a quotation with its source, to be handed on.
  case share
  /// Select the whole text.
  case selectAll
  /// Take the highlight away.
  case delete

  /// The key that chooses it.
  package var key: Character {
    switch self {
    case .color(let color): Character(color.letter.lowercased())
    case .note: "n"
    case .tag: "t"
    case .addAndMark: "h"
    case .add: "l"
    case .copy: "c"
    case .copyMarkdown: "m"
    case .share: "s"
    case .selectAll: "a"
    case .delete: "d"
    }
  }

  /// What it is called; the colours in words.
  package var title: String {
    switch self {
    case .color(let color): "Highlight \(color)"
    case .note: "Note"
    case .tag: "Tag"
    case .addAndMark: "Highlight, and add to the library"
    case .add: "Add to the library"
    case .copy: "Copy"
    case .copyMarkdown: "Copy as Markdown"
    case .share: "Share with its source"
    case .selectAll: "Select all"
    case .delete: "Delete highlight"
    }
  }

  /// What can be done; nothing that cannot.
  ///
  /// - Parameters:
  ///   - hasSelection: whether there is any text in the passage.
  ///   - isAll: whether the passage is the whole text.
  ///   - highlight: the colour of the highlight that it is; nil when it is none.
  ///   - canMark: whether highlights can be made and changed here.
  ///   - canAdd: whether they can be made as soon as the text is in the library.
  package static func items(
    hasSelection: Bool, isAll: Bool, highlight: HighlightColor?, canMark: Bool, canAdd: Bool
  ) -> [MenuItem] {
    guard hasSelection else { return [] }
    let colors = HighlightColor.allCases.filter { $0 != highlight }.map(MenuItem.color)
    let marking = canMark ? colors + [.note, .tag] : canAdd ? [.addAndMark, .add] : []
    return marking + [.copy, .copyMarkdown, .share] + (isAll ? [] : [.selectAll])
      + (canMark && highlight != nil ? [.delete] : [])
  }
}
