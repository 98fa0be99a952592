/// The margins around a text in an editor: a setting of a view, never an attribute of the text.
package struct EditorMargins: Hashable, Sendable {
  /// Left and right of the text.
  package var sides: Twips
  /// Above and below the text.
  package var ends: Twips

  /// Makes margins of their parts.
  package init(sides: Twips, ends: Twips) { (self.sides, self.ends) = (sides, ends) }

  /// 20 pt on all sides.
  package static let narrow = EditorMargins(sides: .points(20), ends: .points(20))
  /// 40 pt beside the text, 20 above and below.
  package static let standard = EditorMargins(sides: .points(40), ends: .points(20))
  /// 80 pt beside the text, 30 above and below.
  package static let wide = EditorMargins(sides: .points(80), ends: .points(30))
  /// 100 pt beside the text, 40 above and below.
  package static let manuscript = EditorMargins(sides: .points(100), ends: .points(40))

  /// What people call them.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case narrow, standard, wide, manuscript

    /// The margins.
    package var margins: EditorMargins {
      switch self {
      case .narrow: .narrow
      case .standard: .standard
      case .wide: .wide
      case .manuscript: .manuscript
      }
    }
  }
}
