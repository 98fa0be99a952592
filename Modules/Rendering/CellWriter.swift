import MarkdownParse
import Model
import RichText

/// Converts ranges of the rendered text into cells with styles, highlights and link numbers.
struct CellWriter {
  let page: Page
  /// The numbers of the link destinations.
  private(set) var links: NumberedLinks
  /// The numbers that were written to the text.
  private(set) var shownLinks: Set<Int> = []
  /// An overlay with its index in the page's list. The greatest index is on top.
  struct Drawn {
    var overlay: Overlay
    var order: Int
    var range: Range<Int> { overlay.range.utf16 }
  }

  /// The overlays in the order of their starts, for binary search.
  private let overlays: [Drawn]
  /// For each overlay, the greatest end of it and of all overlays before it.
  private let reach: [Int]

  private let runs: StyleRuns

  init(_ page: Page, _ runs: StyleRuns, links: NumberedLinks) {
    (self.page, self.runs, self.links) = (page, runs, links)
    let drawn = page.stackedOverlays.enumerated().filter {
      !$0.element.range.isEmpty && $0.element.state != .orphaned
    }
    overlays = drawn.sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }.map { Drawn(overlay: $0.element, order: $0.offset) }
    var end = 0
    reach = overlays.map { overlay in
      end = max(end, overlay.range.upperBound)
      return end
    }
  }

  /// Returns the overlays that overlap a range, in the order of their starts. O(log n + overlays
  /// nearby).
  func overlays(in range: Range<Int>) -> [Drawn] {
    var low = 0
    var high = overlays.count
    while low < high {
      let middle = (low + high) / 2
      if reach[middle] > range.lowerBound { high = middle } else { low = middle + 1 }
    }
    var found: [Drawn] = []
    while low < overlays.count, overlays[low].range.lowerBound < range.upperBound {
      if overlays[low].range.overlaps(range) { found.append(overlays[low]) }
      low += 1
    }
    return found
  }

  /// Returns the decorations that overlap a range. O(log n + result).
  private func decorations(in range: Range<Int>) -> ArraySlice<DecoratedRange> {
    let all = page.decorations
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].range.utf16.upperBound > range.lowerBound {
        high = middle
      } else {
        low = middle + 1
      }
    }
    let end = all[low...].firstIndex { $0.range.utf16.lowerBound >= range.upperBound }
    return all[low..<(end ?? all.count)]
  }

  /// Returns the characters that delimit a match if there are no colours.
  private static func delimiters(of match: DecoratedRange) -> (opening: String, closing: String) {
    match.decoration == .currentMatch ? ("»", "«") : ("›", "‹")
  }

  /// Divides a range into parts of a few thousand units, so that not all cells of a long text are
  /// in memory at the same time. A cell needs a hundred times the memory of its letter.
  func parts(of range: Range<Int>) -> [Range<Int>] {
    let units = page.document.text.utf16
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    while range.upperBound - start > 2 * Self.partUnits {
      let end = Graphemes.border(at: start + Self.partUnits, orAfter: units)
      guard end < range.upperBound else { break }
      parts.append(start..<end)
      start = end
    }
    return parts + [start..<range.upperBound]
  }

  private static let partUnits = 4_096

  /// Returns the cells of a leaf block's text in a range, or all of it if `part` is nil.
  mutating func cells(
    of block: Int, in part: Range<Int>? = nil, heading: Int = 0, adding style: TextStyle = []
  ) -> [Cell] {
    var cells: [Cell] = []
    let part = part ?? page.document.blocks[block].text.utf16
    let covering = overlays(in: part)
    // Without colours, characters delimit the highlights.
    cells.reserveCapacity(part.count + 8 + covering.count * 6)
    var imageEnd = -1
    for run in runs.of(block, in: part) {
      let goesOnWithImage = imageEnd == run.text.utf16.lowerBound
      if run.style.contains(.image) { imageEnd = run.text.utf16.upperBound }
      let range = run.text.utf16.clamped(to: part)
      guard !range.isEmpty else {
        if imageEnd > 0, !runs.links(endingWith: run).isEmpty { imageEnd = -1 }
        continue
      }
      var spanStyle = SpanStyle()
      spanStyle.style = run.style.union(style)
      spanStyle.heading = heading
      let link = run.target.map { page.document.links[$0] }
      if run.style.contains(.image), !goesOnWithImage, range.lowerBound == run.text.utf16.lowerBound
      {
        append(link?.isNote == true ? "embed: " : "image: ", .faint, to: &cells)
      }
      if let link, page.options.hyperlinks, !link.isNote {
        spanStyle.destination = link.destination
      }
      append(range, spanStyle, covering, to: &cells)
      if page.options.numbersLinks, range.upperBound == run.text.utf16.upperBound {
        for link in runs.links(endingWith: run) {
          let number = links.number(of: link)
          shownLinks.insert(number)
          append("[\(number)]", .faint, to: &cells)
          imageEnd = -1
        }
      }
    }
    return cells
  }

  /// Appends the cells of a range in which the Markdown has a single style.
  func append(
    _ range: Range<Int>, _ spanStyle: SpanStyle, _ covering: [Drawn], to cells: inout [Cell]
  ) {
    let first = cells.count
    appendHighlighted(range, spanStyle, covering, to: &cells)
    guard let format = page.format else { return }
    var place = first
    format.forEachStretch(in: range) { part, direct, style in
      var end = place
      while end < cells.count, (cells[end].range?.lowerBound ?? 0) < part.upperBound { end += 1 }
      StretchFormat(direct, style.inheriting(format.cellDefaults), over: spanStyle.style)?.apply(
        to: &cells, place..<end, page.options)
      place = end
    }
  }

  private func appendHighlighted(
    _ range: Range<Int>, _ spanStyle: SpanStyle, _ covering: [Drawn], to cells: inout [Cell]
  ) {
    let decorated = decorations(in: range)
    guard !covering.isEmpty || !decorated.isEmpty else {
      return appendText(range, spanStyle, to: &cells)
    }
    // The range is divided at the boundaries of highlights and matches.
    var borders = [range.lowerBound, range.upperBound]
    for overlay in covering {
      borders.append(overlay.range.lowerBound)
      borders.append(overlay.range.upperBound)
    }
    for place in decorated {
      borders.append(place.range.utf16.lowerBound)
      borders.append(place.range.utf16.upperBound)
    }
    let places = Set(borders.filter { range.lowerBound...range.upperBound ~= $0 }).sorted()
    for (start, end) in zip(places, places.dropFirst()) {
      let here = covering.filter { $0.range.contains(start) }
      if page.options.color == .none {
        for drawn in here where drawn.range.lowerBound == start {
          append(Self.opening(drawn.overlay), .faint, to: &cells)
        }
      }
      var spanStyle = spanStyle
      if let top = here.max(by: { $0.order < $1.order })?.overlay {
        spanStyle.highlight = top.color
        spanStyle.isDoubtful = top.state == .doubtful
        spanStyle.isOverlap = here.count > 1
      }
      let match = decorated.first { $0.range.utf16.contains(start) }
      spanStyle.decoration = match?.decoration ?? .normal
      let delimiters = page.options.color == .none ? match.map(Self.delimiters(of:)) : nil
      if let delimiters, match?.range.utf16.lowerBound == start {
        append(delimiters.opening, .faint, to: &cells)
      }
      appendText(start..<end, spanStyle, to: &cells)
      if let delimiters, match?.range.utf16.upperBound == end {
        append(delimiters.closing, .faint, to: &cells)
      }
      if page.options.color == .none {
        for drawn in here.reversed() where drawn.range.upperBound == end {
          append(Self.closing(drawn, among: overlays(in: drawn.range)), .faint, to: &cells)
        }
      }
    }
  }

  private static func opening(_ overlay: Overlay) -> String {
    "[\(overlay.color.letter)\(overlay.state == .doubtful ? "?" : "")"
      + "\(overlay.hasNote ? "*" : ""):"
  }

  /// Returns the characters that close a highlight without colours. If the highlight overlaps
  /// another one, they include the letter of its colour.
  private static func closing(_ drawn: Drawn, among others: [Drawn]) -> String {
    let crosses = others.contains { $0.order != drawn.order && $0.range.overlaps(drawn.range) }
    return crosses ? ":\(drawn.overlay.color.letter)]" : "]"
  }

  /// Appends the Markdown that was replaced by a range of the text. All cells have this range.
  func append(
    replaced shown: [Character], _ range: Range<Int>, _ spanStyle: SpanStyle,
    to cells: inout [Cell]
  ) {
    let here = overlays(in: range)
    if page.options.color == .none {
      for drawn in here where range.contains(drawn.range.lowerBound) {
        append(Self.opening(drawn.overlay), .faint, to: &cells)
      }
    }
    let spanStyle = highlighted(spanStyle, by: here)
    for character in shown { cells.append(Self.cell(character, spanStyle, range)) }
    if page.options.color == .none {
      for drawn in here.reversed()
      where drawn.range.upperBound > range.lowerBound && drawn.range.upperBound <= range.upperBound
      {
        append(Self.closing(drawn, among: overlays(in: drawn.range)), .faint, to: &cells)
      }
    }
  }

  /// Appends Markdown that isn't text. It is highlighted if the text on both sides is.
  ///
  /// - Parameters:
  ///   - before: the end of the text before it.
  ///   - after: the start of the text after it.
  func append(
    markup shown: [Character], before: Int, after: Int, to cells: inout [Cell]
  ) {
    let covering =
      before > 0
      ? overlays(in: before - 1..<before).filter { $0.range.contains(after) } : []
    let spanStyle = highlighted(.faint, by: covering)
    for character in shown { cells.append(Self.cell(character, spanStyle, nil)) }
  }

  private static func cell(_ character: Character, _ spanStyle: SpanStyle, _ range: Range<Int>?)
    -> Cell
  {
    let isBlank = character == "\n" || character == "\t"
    return Cell(
      text: character, width: isBlank ? 0 : displayWidth(of: character), spanStyle: spanStyle,
      range: range)
  }

  private func highlighted(_ spanStyle: SpanStyle, by covering: [Drawn]) -> SpanStyle {
    guard let top = covering.max(by: { $0.order < $1.order })?.overlay else { return spanStyle }
    var spanStyle = spanStyle
    spanStyle.highlight = top.color
    spanStyle.isDoubtful = top.state == .doubtful
    spanStyle.isOverlap = covering.count > 1
    return spanStyle
  }

  /// Returns the style of a run of text, with the destination of its link.
  func style(of run: StyleRun, heading: Int) -> SpanStyle {
    var spanStyle = SpanStyle()
    (spanStyle.style, spanStyle.heading) = (run.style, heading)
    if page.options.hyperlinks, let link = run.target.map({ page.document.links[$0] }),
      !link.isNote
    {
      spanStyle.destination = link.destination
    }
    return spanStyle
  }

  private func appendText(_ range: Range<Int>, _ spanStyle: SpanStyle, to cells: inout [Cell]) {
    if spanStyle.style.contains(.math) { return appendMath(range, spanStyle, to: &cells) }
    appendPlain(range, spanStyle, to: &cells)
  }

  /// Appends TeX, with symbols instead of the commands that name them.
  private func appendMath(_ range: Range<Int>, _ spanStyle: SpanStyle, to cells: inout [Cell]) {
    var plain = range.lowerBound
    for piece in MathCells(page.document.text.utf16, range).pieces {
      appendPlain(plain..<piece.range.lowerBound, spanStyle, to: &cells)
      let shown = piece.text.sanitizedForTerminal
      cells.append(
        Cell(
          text: shown, width: displayWidth(of: shown), spanStyle: spanStyle, range: piece.range))
      plain = piece.range.upperBound
    }
    appendPlain(plain..<range.upperBound, spanStyle, to: &cells)
  }

  private func appendPlain(_ range: Range<Int>, _ spanStyle: SpanStyle, to cells: inout [Cell]) {
    let units = page.document.text.utf16[range]
    // A carriage return may form a grapheme with a following line feed.
    func isPlain(_ unit: UInt16) -> Bool { unit < 0x80 && unit != 13 }
    var place = range.lowerBound
    while place < range.upperBound {
      var stop = place
      while stop < range.upperBound, isPlain(units[stop]) { stop += 1 }
      let isLast = stop == range.upperBound
      // The letter before units that aren't ASCII may form a grapheme with them, and so may the
      // letter after them.
      let end = isLast ? stop : max(place, stop - 1)
      Cell.append(units[place..<end], spanStyle, to: &cells)
      guard !isLast else { return }
      while stop < range.upperBound, !isPlain(units[stop]) {
        while stop < range.upperBound, !isPlain(units[stop]) { stop += 1 }
        stop = min(range.upperBound, stop + 1)
      }
      appendLetters(end..<stop, spanStyle, to: &cells)
      place = stop
    }
  }

  private func appendLetters(
    _ range: Range<Int>, _ spanStyle: SpanStyle, to cells: inout [Cell]
  ) {
    var position = range.lowerBound
    for character in page.document.text.substring(TextRange(utf16: range)) {
      let end = position + character.utf16.count
      if character == "\n" || character == "\t" {
        cells.append(Cell(text: character, width: 0, spanStyle: spanStyle, range: position..<end))
      } else {
        let shown = character.sanitizedForTerminal
        cells.append(
          Cell(
            text: shown, width: displayWidth(of: shown), spanStyle: spanStyle, range: position..<end
          ))
      }
      position = end
    }
  }

  /// Appends cells that aren't part of the document's text.
  func append(_ text: String, _ spanStyle: SpanStyle, to cells: inout [Cell]) {
    for character in text {
      let shown = character.sanitizedForTerminal
      cells.append(
        Cell(text: shown, width: displayWidth(of: shown), spanStyle: spanStyle, range: nil))
    }
  }
}
