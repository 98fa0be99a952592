import CPoppler
import Model

/// The characters of a page with their places, in reading order.
struct PageContent {
  private let characters: [Unicode.Scalar]
  /// The box of each character, from the upper left of the page.
  private let boxes: [PopplerRectangle]
  /// The offsets of words from right to left that directly follow another one in Poppler's text.
  private let joints: Set<Int>
  private let width: Double
  private let height: Double
  /// The clockwise quarter turns by which the page may be shown.
  private let possibleTurns: [Int]

  init(_ page: OpaquePointer) {
    var (width, height) = (0.0, 0.0)
    poppler_page_get_size(page, &width, &height)
    (self.width, self.height) = (width, height)
    // Poppler does not tell the turns of a page, but the box before them.
    var box = PopplerRectangle()
    poppler_page_get_crop_box(page, &box)
    let isUpright = (box.x2 - box.x1 - width).magnitude + (box.y2 - box.y1 - height).magnitude < 1
    let isTurned = (box.x2 - box.x1 - height).magnitude + (box.y2 - box.y1 - width).magnitude < 1
    possibleTurns = isUpright == isTurned ? [0, 1, 2, 3] : isUpright ? [0, 2] : [1, 3]
    let whole = PopplerRectangle(x1: 0, y1: 0, x2: width, y2: height)
    var (all, boxes) = Self.text(of: page, from: whole)
    if all.isEmpty || all.contains(where: \.isRightToLeft) {
      // Poppler selects text, and omits the first line from right to left if the selection begins
      // at the left.
      let other = Self.text(
        of: page, from: PopplerRectangle(x1: width, y1: 0, x2: 0, y2: height))
      if other.boxes.count > boxes.count { (all, boxes) = other }
    }
    let scalars = all.filter { !Self.directions.contains($0) }
    // Both lists are of the same characters.
    let length = min(scalars.count, boxes.count)
    characters = Array(scalars.prefix(length))
    boxes.removeLast(boxes.count - length)
    let turned = Self.reversed(in: all)
    for range in turned.words where range.upperBound <= length {
      for word in range.split(whereSeparator: {
        scalars[$0].properties.isWhitespace
      }) {
        boxes[word].reverse()
      }
    }
    for range in turned.numbers where range.upperBound <= length { boxes[range].reverse() }
    self.boxes = boxes
    joints = Set(
      zip(turned.words, turned.words.dropFirst())
        .filter { $0.upperBound == $1.lowerBound && $1.lowerBound < length }.map(\.1.lowerBound))
  }

  /// Returns the text of a selection, and the boxes of its characters.
  private static func text(of page: OpaquePointer, from selection: PopplerRectangle) -> (
    text: [Unicode.Scalar], boxes: [PopplerRectangle]
  ) {
    var selection = selection
    let written = poppler_page_get_selected_text(page, POPPLER_SELECTION_GLYPH, &selection)
    defer { g_free(written) }
    var layout: UnsafeMutablePointer<PopplerRectangle>?
    var count: UInt32 = 0
    poppler_page_get_text_layout_for_area(page, &selection, &layout, &count)
    defer { g_free(layout) }
    return (
      written.map { Array(String(cString: $0).unicodeScalars) } ?? [],
      Array(UnsafeBufferPointer(start: layout, count: Int(count)))
    )
  }

  /// The characters by which Poppler marks the direction of words. They have no boxes.
  private static let directions: Set<Unicode.Scalar> = ["\u{202A}", "\u{202B}", "\u{202C}"]

  /// Returns the ranges of the text without ``directions`` in which the boxes are in the opposite
  /// order of the characters: words from right to left, and then the numbers in them again. O(text)
  private static func reversed(in text: [Unicode.Scalar]) -> (
    words: [Range<Int>], numbers: [Range<Int>]
  ) {
    var (words, numbers): ([Range<Int>], [Range<Int>]) = ([], [])
    var open: [(isWord: Bool, start: Int)] = []
    var offset = 0
    for scalar in text {
      switch scalar {
      case "\u{202A}": open.append((false, offset))
      case "\u{202B}": open.append((true, offset))
      case "\u{202C}":
        guard let last = open.popLast(), last.start < offset else { continue }
        let isInWord = open.contains { $0.isWord }
        if last.isWord != isInWord {
          if last.isWord {
            words.append(last.start..<offset)
          } else {
            numbers.append(last.start..<offset)
          }
        }
      default: offset += 1
      }
      if open.count > 16 { open.removeFirst() }
    }
    return (words, numbers)
  }

  /// Returns the range from the first to the last character whose centre is in one of some areas;
  /// nil if they contain no character. O(characters × areas).
  ///
  /// - Parameter frame: the rectangle of the annotation on the shown page.
  func range(in areas: [PopplerQuadrilateral], within frame: PopplerRectangle) -> Range<Int>? {
    let lines = areas.prefix(2000).map { [$0.p1, $0.p2, $0.p3, $0.p4] }
    let turns = turns(of: Array(lines.joined()), to: frame)
    var range: Range<Int>?
    for line in lines {
      let points = line.map { turned($0, turns) }
      let (xs, ys) = (points.map(\.x), points.map { height - $0.y })
      let (left, right, top, bottom) = (xs.min()!, xs.max()!, ys.min()!, ys.max()!)
      for index in boxes.indices where isVisible(index) {
        let box = boxes[index]
        let (x, y) = ((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
        guard left <= x, x <= right, top <= y, y <= bottom else { continue }
        range = min(range?.lowerBound ?? index, index)..<max(range?.upperBound ?? 0, index + 1)
      }
    }
    return range
  }

  /// Returns a point of the page before its rotation as a point of the shown page, after
  /// some clockwise quarter turns.
  private func turned(_ point: PopplerPoint, _ turns: Int) -> PopplerPoint {
    switch turns {
    case 1: PopplerPoint(x: point.y, y: height - point.x)
    case 2: PopplerPoint(x: width - point.x, y: height - point.y)
    case 3: PopplerPoint(x: width - point.y, y: point.x)
    default: point
    }
  }

  /// Returns the number of quarter turns that bring points into a rectangle. Poppler turns the
  /// rectangles of annotations with their page, but not the areas of marks. The rectangle may be
  /// wrong, so only turns that the page can have are compared.
  private func turns(of points: [PopplerPoint], to frame: PopplerRectangle) -> Int {
    func distance(_ turns: Int) -> Double {
      points.reduce(0) { sum, point in
        let shown = turned(point, turns)
        return sum + max(frame.x1 - shown.x, shown.x - frame.x2, 0)
          + max(frame.y1 - shown.y, shown.y - frame.y2, 0)
      }
    }
    let best = possibleTurns.min { distance($0) < distance($1) - 1 }!
    // A rectangle that is far from the points is wrong.
    let isFar = distance(best) > 10 * Double(points.count)
    return isFar && possibleTurns.contains(0) ? 0 : best
  }

  /// Returns the line of text whose height is nearest to the centre of an area; nil on a page
  /// without text.
  func line(at area: PopplerRectangle) -> Range<Int>? {
    let middle = height - (area.y1 + area.y2) / 2
    let distance = { (index: Int) in ((boxes[index].y1 + boxes[index].y2) / 2 - middle).magnitude }
    guard let near = boxes.indices.filter(isVisible).min(by: { distance($0) < distance($1) }) else {
      return nil
    }
    var (start, end) = (near, near + 1)
    while start > 0, characters[start - 1] != "\n" { start -= 1 }
    while end < characters.count, characters[end] != "\n" { end += 1 }
    return start..<end
  }

  /// Returns the part of a box that contains visible characters; nil if it contains none.
  /// O(characters).
  ///
  /// - Parameter box: a box from the lower left of the page.
  func tightened(_ box: PageBox) -> PageBox? {
    var found: PageBox?
    for index in boxes.indices where isVisible(index) {
      let other = self.box(index)
      if box.contains(other.center) { found = found?.union(other) ?? other }
    }
    guard let found else { return nil }
    let result = PageBox(
      left: max(box.left, found.left), bottom: max(box.bottom, found.bottom),
      right: min(box.right, found.right), top: min(box.top, found.top))
    return result.left < result.right && result.bottom < result.top ? result : box
  }

  /// Returns the box of a character from the lower left of the page.
  private func box(_ index: Int) -> PageBox {
    let box = boxes[index]
    return PageBox(
      left: min(box.x1, box.x2), bottom: height - max(box.y1, box.y2), right: max(box.x1, box.x2),
      top: height - min(box.y1, box.y2))
  }

  private func isVisible(_ index: Int) -> Bool { !characters[index].properties.isWhitespace }

  /// Returns the text of a range in one line. A word that is hyphenated at the end of a line is
  /// joined.
  func quote(_ range: Range<Int>) -> String {
    var result = String.UnicodeScalarView()
    for index in range {
      let character = characters[index]
      // Poppler omits the space after the first word of some lines.
      if index > range.lowerBound, joints.contains(index),
        boxes[index - 1].x1 - boxes[index].x2 > (boxes[index].y2 - boxes[index].y1) * 0.1
      {
        result.append(" ")
      }
      guard character == "\n" else {
        result.append(character)
        continue
      }
      let isLetter = result.dropLast().last?.properties.isAlphabetic == true
      let next = index + 1 < range.upperBound ? characters[index + 1] : " "
      if let last = result.last, last == "-" || last == "\u{AD}", isLetter,
        next.properties.isLowercase
      {
        result.removeLast()
      } else {
        result.append(" ")
      }
    }
    return String(result).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the text of the part of a range that is on the page, in one line.
  func text(_ range: Range<Int>) -> String {
    quote(range.clamped(to: 0..<characters.count))
  }
}
