package import MarkdownParse
import Model

/// The links of a page as they are numbered there: each destination once, in the order of their
/// first appearance, without the addresses that can be read in the text.
package struct NumberedLinks: Sendable {
  /// The destinations; the number of the first is 1.
  package private(set) var destinations: [String] = []
  private var numbers: [String: Int] = [:]

  init() {}

  /// Those of a whole document. O(n log n) in the spans.
  package init(of document: ParsedDocument) { self.init(of: document, StyleRuns(document)) }

  init(of document: ParsedDocument, _ runs: StyleRuns) {
    for (index, block) in document.blocks.enumerated() where document.hasLinks(block) {
      for run in runs.of(index, in: block.text.utf16) {
        if let link = runs.link(endingWith: run) { _ = number(of: link) }
      }
    }
  }

  /// The number of a destination; a new one gets the next.
  mutating func number(of link: Link) -> Int {
    if let number = numbers[link.target] { return number }
    destinations.append(link.target)
    numbers[link.target] = destinations.count
    return destinations.count
  }

  /// The number of a destination; nil when it has none.
  package func number(of destination: String) -> Int? { numbers[destination] }
}

extension ParsedDocument {
  fileprivate func hasLinks(_ block: Block) -> Bool {
    block.firstChild < 0
      && inlines[block.inlines].contains {
        switch $0.kind {
        case .link, .image: true
        default: false
        }
      }
  }
}
