/// A rectangle on a page, in points from its lower left.
struct PageBox {
  var (left, bottom, right, top): (Double, Double, Double, Double)

  func union(_ other: PageBox) -> PageBox {
    PageBox(
      left: min(left, other.left), bottom: min(bottom, other.bottom),
      right: max(right, other.right), top: max(top, other.top))
  }

  /// Whether two boxes are in the same line of text.
  func isBeside(_ other: PageBox) -> Bool {
    min(top, other.top) - max(bottom, other.bottom)
      > min(top - bottom, other.top - other.bottom) / 2
  }

  var center: (x: Double, y: Double) { ((left + right) / 2, (bottom + top) / 2) }

  func contains(_ point: (x: Double, y: Double)) -> Bool {
    left <= point.x && point.x <= right && bottom <= point.y && point.y <= top
  }

  /// The edges in the notation of PDF.
  var words: String {
    [left, bottom, right, top].map(PDFText.number).joined(separator: " ")
  }

  /// The corners in the order that viewers expect: the upper and then the lower ones.
  var corners: String {
    [left, top, right, top, left, bottom, right, bottom].map(PDFText.number)
      .joined(separator: " ")
  }

  /// Returns the boxes of a passage with one box for each line, from the top. Gaps as wide as the
  /// number of a footnote are closed; those between the cells of a table are wider.
  static func lines(of boxes: [PageBox]) -> [PageBox] {
    let byHeight = boxes.sorted { $0.top + $0.bottom > $1.top + $1.bottom }
    var lines: [[PageBox]] = []
    for box in byHeight {
      if let last = lines.last?.last, last.isBeside(box) {
        lines[lines.count - 1].append(box)
      } else {
        lines.append([box])
      }
    }
    return lines.flatMap { line in
      line.sorted { $0.left < $1.left }.reduce(into: [PageBox]()) { joined, box in
        if let last = joined.last, box.left - last.right < 9 {
          joined[joined.count - 1] = last.union(box)
        } else {
          joined.append(box)
        }
      }
    }
  }
}
