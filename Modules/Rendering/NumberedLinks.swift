package import MarkdownParse
import Model

/// The link numbers of a page.
///
/// Each destination has one number, in the order of the first appearance. Links whose text is the
/// address itself are numbered after all others, and the page doesn't display their numbers. Numbers
/// that are labels of footnotes are not used.
package struct NumberedLinks: Sendable {
  /// A destination with its number.
  package struct Entry: Hashable, Sendable {
    /// The number, from 1.
    package var number: Int
    /// The destination of the link.
    package var destination: String
  }

  /// The destinations in the order of their numbers.
  package private(set) var entries: [Entry] = []
  /// The number of leading entries whose numbers the page displays.
  private(set) var displayedCount = 0
  private var indices: [String: Int] = [:]
  /// The numeric labels of footnotes, which are skipped.
  private var footnotes: Set<Int> = []

  /// Creates an empty list for a page whose links are numbered while it is laid out.
  init(for document: ParsedDocument) {
    for block in document.blocks {
      guard case .footnoteDefinition(let label) = block.kind,
        let number = Int(document.source.text(in: label))
      else { continue }
      footnotes.insert(number)
    }
  }

  /// Numbers the links of a whole document. O(n log n) in the number of spans.
  package init(of document: ParsedDocument) { self.init(of: document, StyleRuns(document)) }

  init(of document: ParsedDocument, _ runs: StyleRuns) {
    self.init(for: document)
    var all: [Link] = []
    for (index, block) in document.blocks.enumerated() where document.hasLinks(block) {
      for run in runs.of(index, in: block.text.utf16) {
        for link in runs.links(endingWith: run) { _ = number(of: link) }
        all += runs.allLinks(endingWith: run)
      }
    }
    displayedCount = entries.count
    for link in all { _ = number(of: link) }
  }

  /// Returns the number of a link's destination. A new destination gets the next number.
  mutating func number(of link: Link) -> Int {
    if let index = indices[link.target] { return entries[index].number }
    var number = (entries.last?.number ?? 0) + 1
    while footnotes.contains(number) { number += 1 }
    indices[link.target] = entries.count
    entries.append(Entry(number: number, destination: link.target))
    return number
  }

  /// Returns the number of a destination; nil if it has none.
  package func number(of destination: String) -> Int? {
    indices[destination].map { entries[$0].number }
  }

  /// Returns the destination with a number; nil if not found. O(log links).
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
