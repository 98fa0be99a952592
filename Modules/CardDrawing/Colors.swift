import Interchange

/// The colours of a card, with components from 0 to 1.
struct Colors {
  typealias Color = (red: Double, green: Double, blue: Double)

  let background: Color
  let text: Color
  let faint: Color
  let ornament: Color
  let mark: Color

  /// - Throws: `CardError` for an invalid colour, or a theme without the highlight's colour.
  init(_ order: CardOrder) throws(CardError) {
    let theme = order.theme
    background = try Self.color(theme.background)
    text = try Self.color(theme.text)
    faint = try Self.color(theme.faint)
    ornament = try Self.color(theme.ornament)
    guard let mark = theme.marks[order.color] else {
      throw CardError("the theme has no mark for \(order.color)")
    }
    self.mark = try Self.color(mark)
  }

  private static func color(_ text: String) throws(CardError) -> Color {
    guard text.utf8.count == 7, text.hasPrefix("#"), let value = UInt32(text.dropFirst(), radix: 16)
    else { throw CardError("'\(text)' is not a colour such as #fbf7ee") }
    func share(_ shift: UInt32) -> Double { Double(value >> shift & 0xFF) / 255 }
    return (share(16), share(8), share(0))
  }
}
