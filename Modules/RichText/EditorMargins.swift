package import Model

/// The distances between a text and the edges of its page. They are a property of the document, not
/// an attribute of the text.
package struct EditorMargins: Hashable, Sendable {
  package var left: Twips
  package var right: Twips
  package var top: Twips
  package var bottom: Twips

  package init(left: Twips, right: Twips, top: Twips, bottom: Twips) {
    (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
  }

  /// Creates margins that are equal on the left and right, and above and below.
  package init(sides: Twips, ends: Twips) {
    self.init(left: sides, right: sides, top: ends, bottom: ends)
  }

  /// 20 pt on all sides.
  package static let narrow = EditorMargins(sides: .points(20), ends: .points(20))
  /// 40 pt left and right, 20 pt above and below.
  package static let standard = EditorMargins(sides: .points(40), ends: .points(20))
  /// 80 pt left and right, 30 pt above and below.
  package static let wide = EditorMargins(sides: .points(80), ends: .points(30))
  /// 100 pt left and right, 40 pt above and below.
  package static let manuscript = EditorMargins(sides: .points(100), ends: .points(40))

  /// The names of the predefined margins.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case narrow, standard, wide, manuscript

    /// The margins with this name.
    package var margins: EditorMargins {
      switch self {
      case .narrow: .narrow
      case .standard: .standard
      case .wide: .wide
      case .manuscript: .manuscript
      }
    }
  }

  /// The name of the margins; nil if they aren't predefined ones.
  package var name: Name? { Name.allCases.first { $0.margins == self } }

  /// The longest margin: 288 pt, which is 4 inches.
  private static let longest = Twips.points(288)

  /// Returns the error for a margin out of range, 0 to 288 pt; nil if all are in range.
  package var problem: FormatValueError? {
    for (side, length) in [("left", left), ("right", right), ("top", top), ("bottom", bottom)]
    where !(Twips(0)...Self.longest).contains(length) {
      return FormatValueError("\(side) margin \(length) is out of range: 0–288 pt")
    }
    return nil
  }

  /// The stored form: the name, or the left, right, top and bottom margins in twips with spaces
  /// between them.
  package var stored: String {
    name?.rawValue ?? [left, right, top, bottom].map { "\($0.count)" }.joined(separator: " ")
  }

  /// Parses the stored form; nil if it is invalid or a margin is out of range.
  package init?(stored: String) {
    if let name = Name(rawValue: stored) {
      self = name.margins
      return
    }
    let words = stored.split(separator: " ", omittingEmptySubsequences: false)
    let lengths = words.compactMap { Int($0) }
    guard words.count == 4, lengths.count == 4 else { return nil }
    self.init(
      left: Twips(lengths[0]), right: Twips(lengths[1]), top: Twips(lengths[2]),
      bottom: Twips(lengths[3]))
    if problem != nil { return nil }
  }
}

extension EditorMargins {
  /// The margins as `margins` in `Documentation/attributed-text.schema.json`, in twips.
  package var json: JSONValue {
    .object([
      "left": .number(Double(left.count)), "right": .number(Double(right.count)),
      "top": .number(Double(top.count)), "bottom": .number(Double(bottom.count)),
    ])
  }

  /// Decodes the JSON form; nil if it is invalid or a margin is out of range.
  package init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    func length(_ side: String) -> Twips? {
      guard case .number(let count)? = object[side], let whole = Int(exactly: count) else {
        return nil
      }
      return Twips(whole)
    }
    guard let left = length("left"), let right = length("right"), let top = length("top"),
      let bottom = length("bottom")
    else { return nil }
    self.init(left: left, right: right, top: top, bottom: bottom)
    if problem != nil { return nil }
  }
}
