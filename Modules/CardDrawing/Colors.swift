import Interchange

/// The colours of a card, with components from 0 to 1.
struct Colors {
  typealias Color = (red: Double, green: Double, blue: Double)

  let background: Color
  let text: Color
  let faint: Color
  /// The colour of the bar and of the quotation mark.
  let accent: Color
  /// The colour of the lines under the quote: on a light background, halfway between it and the
  /// accent. On a dark background that would be muddy, so the lines have the accent and are thin.
  let underline: Color
  /// Whether the background is dark.
  let isDark: Bool
  let box: Color
  /// The colour behind code: the background with a bit of the text's colour.
  let panel: Color
  /// The colour of the quote on boxes.
  let boxText: Color

  /// - Throws: `CardError` for an invalid colour, or a theme without the highlight's colour.
  init(_ order: CardOrder) throws(CardError) {
    guard let look = order.theme.looks[order.color] else {
      throw CardError("the theme has no colours for \(order.color)")
    }
    background = try Self.color(look.background)
    text = try Self.color(look.text)
    faint = try Self.color(look.faint)
    accent = try Self.color(look.accent)
    box = try Self.color(look.box)
    boxText = try Self.color(look.boxText)
    isDark = background.green < 0.5
    let (accent, background, text) = (accent, background, text)
    let share = isDark ? 0.08 : 0.055
    func mixed(_ part: KeyPath<Color, Double>) -> Double {
      background[keyPath: part] * (1 - share) + text[keyPath: part] * share
    }
    panel = (mixed(\.red), mixed(\.green), mixed(\.blue))
    underline =
      isDark
      ? accent
      : (
        (accent.red + background.red) / 2, (accent.green + background.green) / 2,
        (accent.blue + background.blue) / 2
      )
  }

  private static func color(_ text: String) throws(CardError) -> Color {
    guard text.utf8.count == 7, text.hasPrefix("#"), let value = UInt32(text.dropFirst(), radix: 16)
    else { throw CardError("'\(text)' is not a colour such as #fbf7ee") }
    func share(_ shift: UInt32) -> Double { Double(value >> shift & 0xFF) / 255 }
    return (share(16), share(8), share(0))
  }
}
