import Editing
import MarkdownParse
import Model

extension Reader {
  /// The position and history in a text, to return to.
  package struct Places {
    var head: TextOffset
    var past: [TextOffset]
    var future: [TextOffset]
  }

  /// The current position and the history.
  package var places: Places { Places(head: selection.head, past: past, future: future) }

  /// The current position and history, without the forward history, for when the user opens another
  /// text.
  package var positionForLeaving: Places { Places(head: selection.head, past: past, future: []) }

  /// Restores a position and history. Offsets beyond the end of the text are dropped or clamped.
  package mutating func restore(_ places: Places) {
    let end = text.document.text.count
    func inside(_ all: [TextOffset]) -> [TextOffset] { all.filter { $0.utf16 <= end } }
    (past, future) = (inside(places.past), inside(places.future))
    let head = TextOffset(utf16: min(places.head.utf16, end))
    put(caretAt: head)
    scroll(to: head)
  }
}
