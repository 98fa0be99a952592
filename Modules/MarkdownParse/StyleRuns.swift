package import Model

/// The style of a range of text, as a set of properties.
package struct TextStyle: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  package let rawValue: UInt16
  /// Creates a set from its bits.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Emphasis.
  package static let emphasis = TextStyle(rawValue: 1)
  /// Strong emphasis.
  package static let strong = TextStyle(rawValue: 2)
  /// Struck-through text.
  package static let strikethrough = TextStyle(rawValue: 4)
  /// A code span.
  package static let code = TextStyle(rawValue: 8)
  /// Text that the author highlighted, `==like this==`.
  package static let mark = TextStyle(rawValue: 16)
  /// A formula in TeX.
  package static let math = TextStyle(rawValue: 32)
  /// The text of a link, or a footnote reference.
  package static let link = TextStyle(rawValue: 64)
  /// The description of an image.
  package static let image = TextStyle(rawValue: 128)
}

/// A range of text with the same style.
package struct StyleRun: Hashable, Sendable {
  private var stored: PackedRange
  @Packed private var storedLink: Int
  @Packed private var storedOuter: Int
  /// The style of the text.
  package let style: TextStyle

  init(text: Range<Int>, style: TextStyle, link: Int?, outer: Int? = nil) {
    (stored, self.style) = (PackedRange(text), style)
    (storedLink, storedOuter) = (link ?? -1, outer ?? -1)
  }

  /// The range in the rendered text.
  package var text: TextRange { TextRange(utf16: stored.range) }
  /// The innermost link or image around the text, as an index into `ParsedDocument.links`; nil if
  /// the text is in neither.
  package var link: Int? { storedLink < 0 ? nil : storedLink }
  /// The innermost link around the image `link`, as an index into `ParsedDocument.links`; nil if
  /// the image isn't in a link.
  package var linkAroundImage: Int? { storedOuter < 0 ? nil : storedOuter }
  /// The link to follow from the text: the link around an image, otherwise `link`.
  package var target: Int? { linkAroundImage ?? link }
}

extension ParsedDocument {
  /// Returns the styles of a leaf block's text as runs that are sorted, disjoint and cover all of
  /// it. O(spans of the block).
  package func styleRuns(in block: Block) -> [StyleRun] {
    var runs: [StyleRun] = []
    // The spans around the current position, each with the combined style of the spans around it.
    // Spans are nested and in the order of their starts.
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
  /// The style of the span's text; nil if the span has no styled text.
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
