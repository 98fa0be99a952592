import MarkdownParse
import Model

/// How the parts of a document's text look, also of blocks that are very long: what it takes to tell
/// the look of a part is a matter of the part, not of its block.
struct StyleRuns: Sendable {
  private let document: ParsedDocument
  /// The runs of blocks with very many spans, which are found once.
  private let known: [Int: [StyleRun]]
  /// Where the text of each link ends; one that is defined apart may have several texts.
  private let linkEnds: Set<LinkEnd>

  private struct LinkEnd: Hashable {
    var link: Int
    var end: Int
  }

  /// The spans beyond which the runs of a block are kept.
  private static let manySpans = 1_024

  /// O(n log n) in the spans.
  init(_ document: ParsedDocument) {
    self.document = document
    var ends: Set<LinkEnd> = []
    ends.reserveCapacity(document.links.count)
    for inline in document.inlines {
      switch inline.kind {
      case .link(let link), .image(let link):
        ends.insert(LinkEnd(link: link, end: inline.text.utf16.upperBound))
      default: break
      }
    }
    linkEnds = ends
    var known: [Int: [StyleRun]] = [:]
    for (index, block) in document.blocks.enumerated()
    where block.firstChild < 0 && block.inlines.count > Self.manySpans {
      known[index] = document.styleRuns(in: block)
    }
    self.known = known
  }

  /// The runs of a leaf block that touch a part of its text, and the one before; they may reach over
  /// its edges.
  /// O(log runs + those there).
  func of(_ block: Int, in part: Range<Int>) -> ArraySlice<StyleRun> {
    guard let runs = known[block] else {
      return document.styleRuns(in: document.blocks[block])[...]
    }
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].text.utf16.upperBound <= part.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    let end = runs[low...].firstIndex { $0.text.utf16.lowerBound >= part.upperBound }
    return runs[max(0, low - 1)..<(end ?? runs.count)]
  }

  /// The links that end with a run and need a number, an image before the link around it; none that
  /// go on, and none whose address is what stands there.
  func links(endingWith run: StyleRun) -> [Link] {
    [run.link, run.linkAroundImage].compactMap { index in
      guard let index,
        linkEnds.contains(LinkEnd(link: index, end: run.text.utf16.upperBound))
      else { return nil }
      let link = document.links[index]
      if link.isNote { return link }
      let text = document.text.substring(run.text)
      // An image may show its file's name, and that is not where the file is.
      let schemes = run.style.contains(.image) ? [""] : ["", "mailto:", "http://", "https://"]
      let isReadable = schemes.contains { link.destination == $0 + text }
      return !link.destination.isEmpty && !isReadable ? link : nil
    }
  }
}
