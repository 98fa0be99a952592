public import MarkdownParse
import Model

/// The links of a page as they are numbered there: each destination once, in the order of their
/// first appearance, without the addresses that can be read in the text.
public struct NumberedLinks: Sendable {
  /// The destinations; the number of the first is 1.
  public private(set) var destinations: [String] = []
  private var numbers: [String: Int] = [:]

  init() {}

  /// Those of a whole document. O(spans).
  public init(of document: ParsedDocument) {
    for block in document.blocks where document.hasLinks(block) {
      for run in document.styleRuns(in: block) {
        if let link = document.link(endingWith: run, in: block) { _ = number(of: link) }
      }
    }
  }

  /// The number of a destination; a new one gets the next.
  mutating func number(of link: Link) -> Int {
    if let number = numbers[link.destination] { return number }
    destinations.append(link.destination)
    numbers[link.destination] = destinations.count
    return destinations.count
  }

  /// The number of a destination; nil when it has none.
  public func number(of destination: String) -> Int? { numbers[destination] }
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

  /// The link that ends with a run and needs a number; nil where it goes on, and where its address
  /// is what stands there.
  func link(endingWith run: StyleRun, in block: Block) -> Link? {
    guard let index = run.link else { return nil }
    let isEnd = inlines[block.inlines].contains { inline in
      switch inline.kind {
      case .link(let link), .image(let link):
        link == index && inline.text.upperBound == run.text.upperBound
      default: false
      }
    }
    let link = links[index]
    let isReadable = link.destination.hasSuffix(text.substring(run.text))
    return isEnd && !link.destination.isEmpty && !isReadable ? link : nil
  }
}
