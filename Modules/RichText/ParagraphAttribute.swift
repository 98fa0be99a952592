/// An attribute of whole paragraphs.
package enum ParagraphAttribute: FormatAttribute {
  /// How lines stand between the edges.
  case alignment(TextAlignment)
  /// How far the first line begins after the head indent; one that is negative hangs before it.
  case firstLineIndent(Twips)
  /// How far all lines begin after the left edge.
  case headIndent(Twips)
  /// Where lines end, counted from the right edge: negative inside of it.
  case tailIndent(Twips)
  /// The distance of the lines.
  case lineHeight(LineHeight)
  /// What is added between the lines.
  case lineSpacing(Twips)
  /// The space before the paragraph.
  case spaceBefore(Twips)
  /// The space after the paragraph.
  case spaceAfter(Twips)
  /// Where tabs lead, sorted by position, at most 64; an empty list has none, also where the style
  /// has some.
  case tabStops([TabStop])
  /// The list whose item the paragraph is.
  case list(ListItem)
  /// The style whose attributes it has.
  case style(StyleID)

  /// Which attribute, without a value.
  package enum Kind: String, FormatKind {
    case alignment, firstLineIndent, headIndent, tailIndent, lineHeight, lineSpacing, spaceBefore,
      spaceAfter, tabStops, list, style
  }

  /// Which attribute this is.
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

/// How the lines of a paragraph stand between the edges.
package enum TextAlignment: String, Hashable, Sendable, CaseIterable {
  case left, center, right, justified
}

/// The distance of lines.
package enum LineHeight: Hashable, Sendable {
  /// A multiple of what the font asks for, in 240ths as RTF counts: 288 is 1.2.
  case multiple(Int)
  /// At least so much.
  case atLeast(Twips)
  /// Exactly so much.
  case exactly(Twips)

  /// A multiple of what the font asks for, to the nearest 240th.
  package static func times(_ factor: Double) -> LineHeight {
    .multiple(Int((min(max(factor, 0), 1_000) * 240).rounded()))
  }
}

/// A place to which a tab leads.
package struct TabStop: Hashable, Sendable {
  /// What stands at the place.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case left, center, right, decimal
  }
  /// What fills the way there.
  package enum Leader: String, Hashable, Sendable, CaseIterable {
    case none, dots, middleDots, hyphens, underline, thickLine, equals
  }
  /// The distance from the left edge of the text.
  package var position: Twips
  /// What stands there.
  package var kind: Kind
  /// What fills the way.
  package var leader: Leader

  /// Makes a stop of its parts.
  package init(position: Twips, kind: Kind = .left, leader: Leader = .none) {
    (self.position, self.kind, self.leader) = (position, kind, leader)
  }
}

/// A paragraph's place in a list.
package struct ListItem: Hashable, Sendable {
  /// What stands before an item.
  package enum Marker: String, Hashable, Sendable, CaseIterable {
    case bullet, decimal, lowerLetter, upperLetter, lowerRoman, upperRoman
  }
  /// Which list of the text, from 1: items of one list are counted together.
  package var list: Int
  /// How deep, from 0 to 8.
  package var level: Int
  /// What stands before the item.
  package var marker: Marker

  /// Makes an item of its parts.
  package init(list: Int, level: Int, marker: Marker) {
    (self.list, self.level, self.marker) = (list, level, marker)
  }
}

extension ParagraphAttribute {
  /// The first-line indents of the palette.
  package static let firstLineIndents: [Twips] = [0, 18, 36, 54, 72].map { .points($0) }
  /// The step of a first-line indent that a person sets freely, in points.
  package static let firstLineIndentStep = 9
  /// The line heights of the palette: 1, 1.2, 1.5, 2.
  package static let lineHeights: [LineHeight] = [240, 288, 360, 480].map { .multiple($0) }
  /// The most tab stops of a paragraph.
  package static let tabStopLimit = 64
  /// What RTF and word processors can hold: 22 inches.
  private static let longest = 31_680

  /// What is wrong with the value. Commands take a first-line indent of 0 to 144 pt, a head indent of
  /// 0 to 288 pt, a tail indent of -288 to 0 pt, spaces of 0 to 144 pt and a line height of 0.5 to 5;
  /// files hold lengths up to 22 inches.
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
