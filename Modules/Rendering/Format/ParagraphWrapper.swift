import MarkdownParse
import Model
import RichText

/// Wraps the text of a block incrementally. If the format contains attributes for paragraphs of the
/// block, each paragraph between two line feeds of the block has a separate layout. Otherwise the
/// block is one paragraph, to which the default attributes may apply.
struct ParagraphWrapper {
  /// A line without the spaces before it.
  struct Line {
    var cells: [Cell]
    var shape: ParagraphShape
    var isFirst: Bool
    /// Whether the line is the last of its paragraph.
    var isLast: Bool
  }

  /// The format; nil if the block has no layout.
  private let format: ShownFormat?
  /// Whether the default attributes apply to the block.
  private let hasDefaults: Bool
  /// Whether the whole block is one paragraph, in which a line feed is a line break.
  private let isOne: Bool
  private let width: Int
  private let range: Range<Int>
  /// Whether the last paragraph continues after the range.
  private let continues: Bool
  private var wrapper: LineWrapper
  /// The layout of the current paragraph.
  private(set) var shape: ParagraphShape
  /// Whether the next line is the first of its paragraph.
  private(set) var isFirst: Bool
  private var endsWithFeed = false

  /// Whether the last paragraph ends with the range.
  var endsParagraph: Bool { !continues }

  /// Creates a wrapper for a chunk of a block.
  ///
  /// - Parameter width: the number of columns between the edges of the page.
  init(_ block: Block, _ chunk: PageBlocks.Chunk, of page: Page, width: Int) {
    let units = page.document.text.utf16
    range = chunk.range
    self.width = width
    let isDivided = page.format?.hasParagraphs(in: block.text.utf16) ?? false
    hasDefaults = block.kind == .paragraph && block.parent == 0
    isOne =
      !isDivided && hasDefaults && page.format.map { !$0.defaults.paragraphs.isEmpty } ?? false
    format = isDivided || isOne ? page.format : nil
    let isInside = range.upperBound < block.text.utf16.upperBound
    continues =
      isInside && (isOne || range.upperBound > 0 && units[range.upperBound - 1] != 10)
    isFirst =
      range.lowerBound <= block.text.utf16.lowerBound
      || !isOne && units[range.lowerBound - 1] == 10
    shape = Self.shape(format, range.lowerBound, hasDefaults, width)
    wrapper = LineWrapper(shape, isFirst: isFirst)
  }

  private static func shape(
    _ format: ShownFormat?, _ offset: Int, _ hasDefaults: Bool, _ width: Int
  ) -> ParagraphShape {
    format.map {
      ParagraphShape($0.paragraph(at: offset, withDefaults: hasDefaults), width: width)
    } ?? ParagraphShape(width: width)
  }

  /// Adds cells, and appends the lines that they complete. O(cells).
  mutating func take(_ cells: [Cell], _ lines: inout [Line]) {
    guard format != nil else {
      var wrapped: [[Cell]] = []
      wrapper.take(cells, &wrapped)
      return append(wrapped, endsParagraph: false, &lines)
    }
    var start = 0
    while start < cells.count {
      let feed = cells[start...].firstIndex { $0.isLineFeed && $0.range != nil }
      var wrapped: [[Cell]] = []
      wrapper.take(Array(cells[start..<(feed ?? cells.count)]), &wrapped)
      append(wrapped, endsParagraph: false, &lines)
      guard let feed, let place = cells[feed].range?.upperBound else { return }
      finishParagraph(isLast: true, &lines)
      endsWithFeed = place == range.upperBound
      if !endsWithFeed, !isOne { shape = Self.shape(format, place, hasDefaults, width) }
      isFirst = !isOne
      wrapper = LineWrapper(shape, isFirst: isFirst)
      start = feed + 1
    }
  }

  /// Appends the last line.
  mutating func finish(_ lines: inout [Line]) {
    // If the range ends with a line feed, no further paragraph begins.
    if endsWithFeed, format != nil { return }
    finishParagraph(isLast: endsParagraph, &lines)
  }

  private mutating func finishParagraph(isLast: Bool, _ lines: inout [Line]) {
    var wrapped: [[Cell]] = []
    wrapper.finish(&wrapped)
    append(wrapped, endsParagraph: isLast, &lines)
  }

  private mutating func append(
    _ wrapped: [[Cell]], endsParagraph: Bool, _ lines: inout [Line]
  ) {
    for (index, cells) in wrapped.enumerated() {
      let isLast = endsParagraph && index == wrapped.count - 1
      lines.append(Line(cells: cells, shape: shape, isFirst: isFirst, isLast: isLast))
      isFirst = false
    }
  }
}
