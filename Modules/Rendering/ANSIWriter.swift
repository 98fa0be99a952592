import MarkdownParse
import Model

/// Writes laid-out lines with the escape sequences of a terminal.
public struct ANSIWriter {
  private let palette: Palette
  private let isColored: Bool

  /// Writes for a page's colours.
  public init(_ options: PageOptions) {
    palette = Palette(mode: options.color, theme: options.theme)
    isColored = options.color != .none
  }

  /// Writes a line with its line feed. Each line stands for itself: it ends with all styles off, so
  /// that no background runs over the edge and a pager can begin anywhere.
  public func write(_ line: Line, to output: inout some TextOutputStream) {
    var sequence = ""
    var destination: String?
    for span in line.spans {
      if span.look.destination != destination {
        if destination != nil { output.write("\u{1B}]8;;\u{1B}\\") }
        destination = span.look.destination
        if let destination { output.write("\u{1B}]8;;\(Self.safe(destination))\u{1B}\\") }
      }
      let wanted = parameters(of: span.look)
      if wanted != sequence {
        output.write(wanted.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(wanted)m")
        sequence = wanted
      }
      output.write(span.text)
    }
    if destination != nil { output.write("\u{1B}]8;;\u{1B}\\") }
    if !sequence.isEmpty { output.write("\u{1B}[0m") }
    output.write("\n")
  }

  /// A destination that can end no escape sequence.
  private static func safe(_ destination: String) -> String {
    String(
      destination.unicodeScalars.filter { $0.value > 32 && !(0x7F..<0xA0).contains($0.value) }
        .map(Character.init))
  }

  /// The parameters of the escape sequence (SGR) that paints a look; empty for plain text.
  public func parameters(of look: Look) -> String {
    guard isColored else { return "" }
    var codes: [String] = []
    let isFound = look.decoration == .found
    if look.heading > 0 || look.style.contains(.strong) || isFound { codes.append("1") }
    if look.isFaint { codes.append("2") }
    if look.style.contains(.emphasis) { codes.append("3") }
    let isUnderlined =
      look.style.contains(.link) || look.isOverlap || look.isDoubtful || look.heading == 1
      || isFound
    if isUnderlined { codes.append("4") }
    let isMarked = look.style.contains(.mark) && look.highlight == nil
    if isMarked || look.decoration == .highlighted { codes.append("7") }
    if look.style.contains(.strikethrough) { codes.append("9") }
    if let highlight = look.highlight, let paint = palette.paint(highlight) {
      codes.append(paint)
    } else if look.style.contains(.code) || look.style.contains(.math) {
      codes.append("36")
    }
    return codes.joined(separator: ";")
  }
}
