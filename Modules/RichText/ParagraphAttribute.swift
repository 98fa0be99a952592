/// An attribute of whole paragraphs.
package enum ParagraphAttribute: FormatAttribute {
  /// The alignment of lines.
  case alignment(TextAlignment)
  /// The indentation of the first line relative to the head indent. A negative value is a hanging
  /// indent.
  case firstLineIndent(Twips)
  /// The indentation of all lines from the left edge.
  case headIndent(Twips)
  /// The end of lines relative to the right edge; negative values are inside it.
  case tailIndent(Twips)
  /// The distance from one line to the next.
  case lineHeight(LineHeight)
  /// The additional space between lines.
  case lineSpacing(Twips)
  case spaceBefore(Twips)
  /// The space after the paragraph.
  case spaceAfter(Twips)
  /// The tab stops, sorted by position, at most 64. An empty list overrides the tab stops of the
  /// style.
  case tabStops([TabStop])
  /// The list item that the paragraph is.
  case list(ListItem)
  /// The style that the paragraph inherits from.
  case style(StyleID)

  /// The attribute without its value.
  package enum Kind: String, FormatKind {
    case alignment, firstLineIndent, headIndent, tailIndent, lineHeight, lineSpacing, spaceBefore,
      spaceAfter, tabStops, list, style
  }

  /// The attribute without its value.
  package var kind: Kind {
    switch self {
    case .alignment: .alignment
    case .firstLineIndent: .firstLineIndent
    case .headIndent: .headIndent
    case .tailIndent: .tailIndent
    case .lineHeight: .lineHeight
    case .lineSpacing: .lineSpacing
    case .spaceBefore: .spaceBefore
    case .spaceAfter: .spaceAfter
    case .tabStops: .tabStops
    case .list: .list
    case .style: .style
    }
  }
}

/// The alignment of a paragraph's lines.
package enum TextAlignment: String, Hashable, Sendable, CaseIterable {
  case left, center, right, justified
}

/// The distance from one line to the next.
package enum LineHeight: Hashable, Sendable {
  /// A multiple of the font's line height, in 240ths as in RTF: 288 is 1.2.
  case multiple(Int)
  /// The minimum distance.
  case atLeast(Twips)
  /// The exact distance.
  case exactly(Twips)

  /// Returns a multiple of the font's line height, rounded to the nearest 240th and clamped to 0 …
  /// 1,000.
  package static func times(_ factor: Double) -> LineHeight {
    .multiple(Int((min(max(factor, 0), 1_000) * 240).rounded()))
  }
}

package struct TabStop: Hashable, Sendable {
  /// The alignment of the text at the stop.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case left, center, right, decimal
  }
  /// The characters that fill the space before the stop.
  package enum Leader: String, Hashable, Sendable, CaseIterable {
    case none, dots, middleDots, hyphens, underline, thickLine, equals
  }
  /// The distance from the left edge of the text.
  package var position: Twips
  /// The alignment of the text at the stop.
  package var kind: Kind
  /// The characters that fill the space before the stop.
  package var leader: Leader

  package init(position: Twips, kind: Kind = .left, leader: Leader = .none) {
    (self.position, self.kind, self.leader) = (position, kind, leader)
  }
}

/// The list, level and marker of a paragraph that is a list item.
package struct ListItem: Hashable, Sendable {
  /// The marker before an item.
  package enum Marker: String, Hashable, Sendable, CaseIterable {
    case bullet, decimal, lowerLetter, upperLetter, lowerRoman, upperRoman
  }
  /// The number of the list in the text, from 1. Items of one list are numbered together.
  package var list: Int
  /// The nesting level, from 0 to 8.
  package var level: Int
  /// The marker before the item.
  package var marker: Marker

  package init(list: Int, level: Int, marker: Marker) {
    (self.list, self.level, self.marker) = (list, level, marker)
  }
}

extension ParagraphAttribute {
  /// The first-line indents in the palette.
  package static let firstLineIndents: [Twips] = [0, 18, 36, 54, 72].map { .points($0) }
  /// The step for setting a first-line indent freely, in points.
  package static let firstLineIndentStep = 9
  /// The line heights in the palette: 1, 1.2, 1.5, 2.
  package static let lineHeights: [LineHeight] = [240, 288, 360, 480].map { .multiple($0) }
  /// The maximum number of tab stops in a paragraph.
  package static let tabStopLimit = 64
  /// The longest length in RTF and word processors, in twips: 22 inches.
  private static let longest = 31_680

  /// Returns the error for an invalid value, or nil if it is valid.
  ///
  /// Commands allow a first-line indent of 0 to 144 pt, a head indent of 0 to 288 pt, a tail indent
  /// of -288 to 0 pt, spacing of 0 to 144 pt and a line height of 0.5 to 5. Files allow lengths of
  /// up to 22 inches.
  package func problem(within limits: FormatLimits) -> FormatValueError? {
    func check(_ what: String, _ length: Twips, _ points: ClosedRange<Int>, file: ClosedRange<Int>)
      -> FormatValueError?
    {
      let range = limits == .commands ? points.lowerBound * 20...points.upperBound * 20 : file
      if range.contains(length.count) { return nil }
      return FormatValueError(
        "\(what) \(length) is out of range: \(decimal(hundredths: range.lowerBound * 5))–"
          + "\(decimal(hundredths: range.upperBound * 5)) pt")
    }
    let signed = -Self.longest...Self.longest
    let unsigned = 0...Self.longest
    switch self {
    case .alignment: return nil
    case .firstLineIndent(let length):
      return check("first-line indent", length, 0...144, file: signed)
    case .headIndent(let length): return check("head indent", length, 0...288, file: signed)
    case .tailIndent(let length): return check("tail indent", length, -288...0, file: signed)
    case .lineSpacing(let length): return check("line spacing", length, 0...144, file: unsigned)
    case .spaceBefore(let length):
      return check("space before the paragraph", length, 0...144, file: unsigned)
    case .spaceAfter(let length):
      return check("space after the paragraph", length, 0...144, file: unsigned)
    case .lineHeight(.multiple(let count)):
      let range = limits == .commands ? 120...1_200 : 1...Self.longest
      return range.contains(count)
        ? nil
        : FormatValueError(
          "line height \(decimal(hundredths: count * 100 / 240)) is out of range: "
            + "\(decimal(hundredths: range.lowerBound * 100 / 240))–"
            + "\(decimal(hundredths: range.upperBound * 100 / 240))")
    case .lineHeight(.atLeast(let length)), .lineHeight(.exactly(let length)):
      return check("line height", length, 4...288, file: 1...Self.longest)
    case .tabStops(let stops): return Self.problem(with: stops)
    case .list(let item):
      if !(0...8).contains(item.level) {
        return FormatValueError("list level \(item.level) is out of range: 0–8")
      }
      return (1...1_000_000).contains(item.list)
        ? nil : FormatValueError("list number \(item.list) is out of range: 1–1000000")
    case .style(let style): return style.problem
    }
  }

  private static func problem(with stops: [TabStop]) -> FormatValueError? {
    if stops.count > tabStopLimit {
      return FormatValueError("\(stops.count) tab stops are too many: at most \(tabStopLimit)")
    }
    for (index, stop) in stops.enumerated() {
      if !(0...longest).contains(stop.position.count) {
        return FormatValueError("tab stop at \(stop.position) is out of range: 0–1584 pt")
      }
      if index > 0, stops[index - 1].position >= stop.position {
        return FormatValueError(
          "tab stop at \(stop.position) does not follow the one at \(stops[index - 1].position)")
      }
    }
    return nil
  }
}
