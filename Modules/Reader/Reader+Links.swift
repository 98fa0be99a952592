import Editing
import MarkdownParse
import Model
import Rendering
import RichText

extension Reader {
  /// The number of the link that the caret stands in, or the label of the footnote.
  var linkNumberAtCaret: String? {
    let number = link(at: selection.head).flatMap { plan.links.number(of: $0) }
    return number.map(String.init) ?? text.document.footnote(at: selection.head)?.label
  }

  /// Where the link leads that a unit of the text belongs to. O(blocks).
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
    // The mark leads to the note; a click into the note's text is for its words.
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
        plan.links.entries.isEmpty ? "there are no links" : "there is no link [\(number)]"
      return []
    }
    // From the note back to its mark, and from everywhere else to the note.
    let here = document.footnote(at: selection.head)
    return [
      .follow(here?.isText == true && here?.label == number ? "#fnref:\(number)" : "#fn:\(number)")
    ]
  }
}
