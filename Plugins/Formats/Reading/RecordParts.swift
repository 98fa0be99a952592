import FoundationEssentials
import Interchange
import Model

extension AnnotationRecord {
  /// Sets the dates. If one of them is nil, the other is used for both.
  mutating func setDates(_ created: WrittenDate?, _ updated: WrittenDate? = nil) {
    self.created = created?.date ?? updated?.date
    self.updated = updated?.date ?? created?.date
    hasLocalDates = (created ?? updated)?.isLocal ?? false
  }

  /// Sets the colour from another program's name or from `#rrggbb`, converted to the nearest of
  /// Diple's four colours.
  mutating func setColor(_ name: String) {
    sourceColor = name
    color = HighlightColor(nearest: name)
  }
}

extension HighlightColor {
  /// Creates the nearest of the four colours to a name or to `#rrggbb`; yellow if the name is
  /// unknown.
  init(nearest name: String) {
    let name = name.lowercased()
    if name.hasPrefix("#"), let value = UInt32(name.dropFirst().prefix(6), radix: 16),
      name.utf8.count >= 7
    {
      self = Self(nearest: value)
      return
    }
    self =
      switch name {
      case "green", "lime", "olive", "teal", "mint": .green
      case "blue", "cyan", "aqua", "navy", "gray", "grey": .blue
      case "pink", "red", "magenta", "purple", "violet", "rose": .pink
      default: .yellow
      }
  }
}

/// Joins the non-empty parts of a location: "page 12 · location 340".
func location(_ parts: String?...) -> String {
  parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
}
