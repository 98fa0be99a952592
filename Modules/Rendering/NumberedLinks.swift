package import MarkdownParse
import Model

/// The links of a page as they are numbered there: each destination once, in the order of their
/// first appearance, without the addresses that can be read in the text. What a footnote's mark
/// shows is no link's number.
package struct NumberedLinks: Sendable {
  /// A destination with its number.
  package struct Entry: Hashable, Sendable {
    /// From 1.
    package var number: Int
    /// Where it leads.
    package var destination: String
  }

  /// The destinations in the order of their numbers.
  package private(set) var entries: [Entry] = []
  private var indices: [String: Int] = [:]
  /// The numbers that are footnotes' labels.
  private var footnotes: Set<Int> = []

  /// None yet, for a page whose links get their numbers on the way.
  init(for document: ParsedDocument) {
    for block in document.blocks {
      guard case .footnoteDefinition(let label) = block.kind,
        let number = Int(document.source.text(in: label))
      else { continue }
      footnotes.insert(number)
    }
  }

  /// Those of a whole document. O(n log n) in the spans.
  package init(of document: ParsedDocument) { self.init(of: document, StyleRuns(document)) }

  init(of document: ParsedDocument, _ runs: StyleRuns) {
    self.init(for: document)
    for (index, block) in document.blocks.enumerated() where document.hasLinks(block) {
      for run in runs.of(index, in: block.text.utf16) {
        for link in runs.links(endingWith: run) { _ = number(of: link) }
      }
    }
  }

  /// The number of a destination; a new one gets the next.
  mutating func number(of link: Link) -> Int {
    if let index = indices[link.target] { return entries[index].number }
    var number = (entries.last?.number ?? 0) + 1
    while footnotes.contains(number) { number += 1 }
    indices[link.target] = entries.count
    entries.append(Entry(number: number, destination: link.target))
    return number
  }

  /// The number of a destination; nil when it has none.
  package func number(of destination: String) -> Int? {
    indices[destination].map { entries[$0].number }
  }

  /// The destination with a number; nil when there is none. O(log links).
  package func destination(numbered number: Int) -> String? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].number == number ? entries[low].destination : nil
  }
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
