package import Model

/// How a stretch of text looks.
package struct TextStyle: OptionSet, Hashable, Sendable {
  /// The bits.
  package let rawValue: UInt16
  /// Takes bits.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Emphasis.
  package static let emphasis = TextStyle(rawValue: 1)
  /// Strong emphasis.
  package static let strong = TextStyle(rawValue: 2)
  /// Struck.
  package static let strikethrough = TextStyle(rawValue: 4)
  /// A code span.
  package static let code = TextStyle(rawValue: 8)
  /// Marked by the author.
  package static let mark = TextStyle(rawValue: 16)
  /// TeX.
  package static let math = TextStyle(rawValue: 32)
  /// A link's text, or a footnote's mark.
  package static let link = TextStyle(rawValue: 64)
  /// An image's description.
  package static let image = TextStyle(rawValue: 128)
}

/// A stretch of text that looks alike.
package struct StyleRun: Hashable, Sendable {
  private var stored: PackedRange
  @Packed private var storedLink: Int
  @Packed private var storedOuter: Int
  /// How it looks.
  package let style: TextStyle

  init(text: Range<Int>, style: TextStyle, link: Int?, outer: Int? = nil) {
    (stored, self.style) = (PackedRange(text), style)
    (storedLink, storedOuter) = (link ?? -1, outer ?? -1)
  }

  /// Which text.
  package var text: TextRange { TextRange(utf16: stored.range) }
  /// The innermost link or image around it, an index into `ParsedDocument.links`.
  package var link: Int? { storedLink < 0 ? nil : storedLink }
  /// The innermost link around the image that `link` is.
  package var linkAroundImage: Int? { storedOuter < 0 ? nil : storedOuter }
  /// Where the text leads: a link's target, also where it shows an image.
  package var target: Int? { linkAroundImage ?? link }
}

extension ParsedDocument {
  /// The stretches of a leaf block's text: sorted, disjoint, covering all of it. O(block's
  /// spans).
  package func styleRuns(in block: Block) -> [StyleRun] {
    var runs: [StyleRun] = []
    // The spans around the place that is reached, each with the looks of all around it: spans nest,
    // and come in the order in which they open.
    var open: [(end: Int, style: TextStyle, link: Int?, outer: Int?)] = []
    var position = block.text.utf16.lowerBound
    func extend(to offset: Int) {
      guard offset > position else { return }
      runs.append(
        StyleRun(
          text: position..<offset, style: open.last?.style ?? [], link: open.last?.link,
          outer: open.last?.outer))
      position = offset
    }
    func close(before offset: Int) {
      while let last = open.last, last.end <= offset {
        extend(to: last.end)
        open.removeLast()
      }
    }
    for inline in inlines[block.inlines] {
      guard let style = inline.style, !inline.text.isEmpty else { continue }
      close(before: inline.text.utf16.lowerBound)
      extend(to: inline.text.utf16.lowerBound)
      let outer = open.last
      let isImage = if case .image = inline.kind { true } else { false }
      let isInImage = outer?.style.contains(.image) == true
      open.append(
        (
          inline.text.utf16.upperBound, style.union(outer?.style ?? []), inline.link ?? outer?.link,
          isImage && !isInImage ? outer?.link : outer?.outer
        ))
    }
    close(before: block.text.utf16.upperBound)
    extend(to: block.text.utf16.upperBound)
    return runs
  }
}

extension Inline {
  /// How the span's text looks; nil for a span that has none.
  fileprivate var style: TextStyle? {
    switch kind {
    case .emphasis: .emphasis
    case .strong: .strong
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    case .math: .math
    case .link: .link
    case .image: .image
    case .footnoteReference: .link
    case .rawHTML, .softBreak, .hardBreak, .hidden: nil
    }
  }

  fileprivate var link: Int? {
    switch kind {
    case .link(let link), .image(let link): link
    default: nil
    }
  }
}
