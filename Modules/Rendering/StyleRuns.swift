import MarkdownParse
import Model

/// The style runs of a document. The cost of finding the style of a part depends on the part, even
/// in a very long block.
struct StyleRuns: Sendable {
  private let document: ParsedDocument
  /// The cached runs of blocks with very many spans.
  private let known: [Int: [StyleRun]]
  /// The ends of the texts of each link. A link with a separate definition may have several texts.
  private let linkEnds: Set<LinkEnd>

  private struct LinkEnd: Hashable {
    var link: Int
    var end: Int
  }

  /// The number of spans from which the runs of a block are cached.
  private static let manySpans = 1_024

  /// Finds the ends of all links and caches the runs of large blocks. O(n log n) in the number of
  /// spans.
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

  /// Returns the runs of a leaf block that overlap a part of its text, and the run before them.
  /// Runs may extend beyond the part. O(log runs + result).
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

  /// Returns the links that end with a run and whose number is displayed. An image precedes the
  /// link around it. Links that continue after the run, and links whose text is their address, are
  /// omitted.
  func links(endingWith run: StyleRun) -> [Link] {
    allLinks(endingWith: run).filter { link in
      if link.isNote { return true }
      let text = document.text.substring(run.text)
      // An image may show its file name, which isn't its address.
      let schemes = run.style.contains(.image) ? [""] : ["", "mailto:", "http://", "https://"]
      return !schemes.contains { link.destination == $0 + text }
    }
  }

  /// Returns the links that end with a run, including links whose text is their address. Links
  /// without a destination are omitted.
  func allLinks(endingWith run: StyleRun) -> [Link] {
    [run.link, run.linkAroundImage].compactMap { index in
      guard let index,
        linkEnds.contains(LinkEnd(link: index, end: run.text.utf16.upperBound))
      else { return nil }
      let link = document.links[index]
      return link.isNote || !link.destination.isEmpty ? link : nil
    }
  }
}
