import FoundationEssentials
import Interchange
import Model

extension AnnotationRecord {
  /// Takes the dates that were read.
  mutating func setDates(_ created: WrittenDate?, _ updated: WrittenDate? = nil) {
    self.created = created?.date ?? updated?.date
    self.updated = updated?.date ?? created?.date
    hasLocalDates = (created ?? updated)?.isLocal ?? false
  }

  /// Takes a colour that another program names, or writes as `#rrggbb`: the nearest of the four.
  mutating func setColor(_ name: String) {
    sourceColor = name
    color = HighlightColor(nearest: name)
  }
}

extension HighlightColor {
  /// The nearest of the four to a name or to `#rrggbb`; yellow for what says nothing.
  init(nearest name: String) {
    let name = name.lowercased()
    if name.hasPrefix("#"), let value = Int(name.dropFirst().prefix(6), radix: 16),
      name.utf8.count >= 7
    {
      self = Self(red: value >> 16, green: value >> 8 & 255, blue: value & 255)
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

  /// By the hue.
  private init(red: Int, green: Int, blue: Int) {
    let (most, least) = (max(red, green, blue), min(red, green, blue))
    guard most - least > 24 else {
      self = .blue
      return
    }
    let range = Double(most - least)
    let hue: Double =
      if most == red {
        Double(green - blue) / range * 60
      } else if most == green {
        Double(blue - red) / range * 60 + 120
      } else {
        Double(red - green) / range * 60 + 240
      }
    self =
      switch hue < 0 ? hue + 360 : hue {
      case 22..<72: .yellow
      case 72..<172: .green
      case 172..<258: .blue
      default: .pink
      }
  }
}

/// Joins the parts of a location that say something: "page 12 · location 340".
func location(_ parts: String?...) -> String {
  parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
}

extension StringProtocol {
  /// Without blanks and line ends around it.
  var trimmed: String {
    let body = drop(while: \.isWhitespace)
    guard let last = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(body[...last])
  }
}
