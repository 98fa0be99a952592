/// What is painted behind text that is selected.
package struct SelectionPaint: Hashable, Sendable {
  /// The parameters of the escape sequence (SGR).
  package let parameters: String

  /// The colours of the text and its background change places, which every terminal can do.
  package static let reverse = SelectionPaint(parameters: "7")

  private init(parameters: String) { self.parameters = parameters }

  /// A colour as `#RRGGBB`, with text in black or white, whichever has more contrast with it; where
  /// the terminal has not enough colours, and for all other texts, `reverse`.
  package init(_ color: String, mode: ColorMode) {
    guard color.hasPrefix("#"), color.utf8.count == 7,
      let number = Int(color.dropFirst(), radix: 16)
    else {
      self = .reverse
      return
    }
    let color = RGB(number)
    let text = RGB.strongest(on: color)
    switch mode {
    case .none, .ansi16: self = .reverse
    case .xterm256:
      let index = color.nearest(in: 16...255, on: text, atLeast: RGB.readable) ?? 16
      parameters = "38;5;\(text == .black ? 16 : 231);48;5;\(index)"
    case .trueColor:
      parameters = "38;2;\(text.channels);48;2;\(color.channels)"
    }
  }
}
