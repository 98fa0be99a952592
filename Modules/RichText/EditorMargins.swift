/// The margins around a text in an editor. They are a setting of the view, not an attribute of the
/// text.
package struct EditorMargins: Hashable, Sendable {
  /// The margin on the left and on the right.
  package var sides: Twips
  /// The margin above and below.
  package var ends: Twips

  package init(sides: Twips, ends: Twips) { (self.sides, self.ends) = (sides, ends) }

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
}
