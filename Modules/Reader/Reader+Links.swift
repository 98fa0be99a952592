import Editing
import MarkdownParse
import Model
import Rendering
import RichText

extension Reader {
  /// The number of the link at the caret, or the label of the footnote, or nil.
  var linkNumberAtCaret: String? {
    let number = link(at: selection.head).flatMap { plan.links.number(of: $0) }
    return number.map(String.init) ?? text.document.footnote(at: selection.head)?.label
  }

  /// Returns the destination of the link that contains a unit of the text, or nil. O(blocks).
  func link(at offset: TextOffset) -> String? {
    if case .link(let address)? = text.format?.layer.characters[offset.utf16][.link] {
      return address
    }
    let document = text.document
    guard
      let block = document.blocks.last(where: { $0.firstChild < 0 && $0.text.contains(offset) })
    else { return nil }
    let run = document.styleRuns(in: block).first { $0.text.contains(offset) }
    if let target = run?.target { return document.links[target].target }
    // A footnote reference leads to its note. A click in the note's text places the caret.
    guard let note = document.footnote(at: offset), !note.isText else { return nil }
    return "#fn:\(note.label)"
  }

  mutating func follow(_ number: String) -> [Effect] {
    if let destination = Int(number).flatMap({ plan.links.destination(numbered: $0) }) {
      return [.follow(destination)]
    }
    let document = text.document
    guard document.footnote(labelled: number) != nil else {
      message =
        plan.links.entries.isEmpty
        ? "there are no links"
        : number.isEmpty ? "type the number of a link" : "there is no link [\(number)]"
      return []
    }
    // From the note go back to its reference, from elsewhere to the note.
    let here = document.footnote(at: selection.head)
    return [
      .follow(here?.isText == true && here?.label == number ? "#fnref:\(number)" : "#fn:\(number)")
    ]
  }
}
