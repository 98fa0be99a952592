/// The background of selected text.
package struct SelectionPaint: Hashable, Sendable {
  /// The parameters of the escape sequence (SGR).
  package let parameters: String

  /// Swapped text and background colours, which every terminal supports.
  package static let reverse = SelectionPaint(parameters: "7")

  private init(parameters: String) { self.parameters = parameters }

  /// Parses a colour as `#RRGGBB`. The text is black or white, whichever has more contrast with it.
  /// If the terminal has too few colours or the text isn't valid, the result is `reverse`.
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
