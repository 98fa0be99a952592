import Editing
import MarkdownParse
package import Model
import Rendering

extension Reader {
  /// The part of a text that is on the screen, and what the user sees there. It is stored when the
  /// user stops reading.
  package struct View: Hashable, Sendable {
    /// The offset of the caret.
    package var caret: TextOffset
    /// The row of the screen with the caret; nil if it isn't on the screen.
    package var caretRow: Int?
    /// The first offset on the screen.
    package var top: TextOffset
    /// The heading that is chosen in the outline; nil if the outline is closed.
    package var outline: TextOffset?
    /// The search without options; empty if there is none.
    package var query: String

    package init(
      caret: TextOffset, caretRow: Int?, top: TextOffset, outline: TextOffset? = nil,
      query: String = ""
    ) {
      (self.caret, self.caretRow, self.top) = (caret, caretRow, top)
      (self.outline, self.query) = (outline, query)
    }
  }

  /// The current view.
  package var view: View {
    mutating get {
      View(
        caret: selection.head, caretRow: caretRow, top: topOffset, outline: chosenHeading,
        query: showsMatches ? "" : found.query)
    }
  }

  /// The percentage of the text above the lower edge of the screen.
  package var percentRead: Int { mutating get { percent } }

  /// Shows a view again. The caret returns to its row of the screen, as far as the length of the
  /// text and the size of the screen allow. Offsets are clamped to the text.
  package mutating func resume(_ view: View) {
    let end = text.document.text.count
    func inside(_ offset: TextOffset) -> TextOffset {
      TextOffset(utf16: max(0, min(offset.utf16, end)))
    }
    put(caretAt: inside(view.caret))
    if let row = view.caretRow {
      let place = flow.position(of: selection.head)
      top = flow.position(place, movedBy: -max(0, min(row, height - 1)))
      scroll(by: 0)
    } else {
      scroll(to: inside(view.top))
    }
    if !view.query.isEmpty { find(view.query) }
    if let heading = view.outline { openOutline(at: inside(heading)) }
  }

  /// The row of the screen with the caret, or nil.
  private var caretRow: Int? {
    mutating get {
      let caret = flow.position(of: selection.head)
      var place = top
      for row in 0..<height {
        if place == caret { return row }
        let next = flow.position(place, movedBy: 1)
        if next == place { return nil }
        place = next
      }
      return nil
    }
  }

  /// The heading that is chosen in the open outline, or nil.
  private var chosenHeading: TextOffset? {
    guard case .list(let list) = mode, list.isOutline, list.items.indices.contains(list.index),
      case .go(let offset) = list.items[list.index].action
    else { return nil }
    return offset
  }
}
