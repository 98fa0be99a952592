import Editing
import MarkdownParse
import Model

extension Reader {
  /// Where somebody was and had been in a text, to come back to.
  package struct Places {
    var head: TextOffset
    var past: [TextOffset]
    var future: [TextOffset]
  }

  /// Where the caret is, with the places before and after.
  package var places: Places { Places(head: selection.head, past: past, future: future) }

  /// The same for whoever goes on to another text, after which there is nothing ahead here.
  package var placesBehind: Places { Places(head: selection.head, past: past, future: []) }

  /// Goes where somebody was in this text, which may be shorter now.
  package mutating func restore(_ places: Places) {
    let end = text.document.text.count
    func inside(_ all: [TextOffset]) -> [TextOffset] { all.filter { $0.utf16 <= end } }
    (past, future) = (inside(places.past), inside(places.future))
    let head = TextOffset(utf16: min(places.head.utf16, end))
    put(caretAt: head)
    scroll(to: head)
  }
}
