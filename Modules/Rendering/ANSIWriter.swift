import MarkdownParse
import Model
import Synchronization

/// Writes laid-out lines with terminal escape sequences.
///
/// ```swift
/// let page = Page(document: ParsedDocument(parsing: MarkdownSource("# Walden")))
/// let writer = ANSIWriter(page.options)
/// var output = ""
/// for line in PageLayout.lines(of: page) { writer.write(line, to: &output) }
/// ```
public struct ANSIWriter: Sendable {
  private let palette: Palette
  private let isColored: Bool
  private let hasUnderlineStyles: Bool
  private let pictures: PictureShow?
  private let known = Known()

  /// A cache of escape sequences. A page has few different styles.
  private final class Known: Sendable {
    let sequences = Mutex<[SpanStyle: String]>([:])
  }

  /// Creates a writer for the colours and capabilities in a page's options.
  public init(_ options: PageOptions) {
    palette = Palette(mode: options.color, theme: options.theme)
    isColored = options.color != .none
    hasUnderlineStyles = options.hasUnderlineStyles
    pictures = options.pictures
  }

  /// The parameters for the background of a match and its text; nil without colours.
  package var matchParameters: String? { palette.match }

  /// Writes a line and a line feed, unless the next row continues the line. All styles are reset at
  /// the end, so that no background extends to the terminal's edge and a pager can start at any
  /// line.
  public func write(_ line: Line, to output: inout some TextOutputStream) {
    var sequence = ""
    var destination: String?
    if let pictures { output.write(pictures.takePending()) }
    for span in line.spans {
      let wantedTarget = span.spanStyle.destination.flatMap { LinkSafety.isSafe($0) ? $0 : nil }
      if wantedTarget != destination {
        if destination != nil { output.write("\u{1B}]8;;\u{1B}\\") }
        destination = wantedTarget
        if let destination { output.write("\u{1B}]8;;\(Self.safe(destination))\u{1B}\\") }
      }
      let wanted = parameters(of: span.spanStyle)
      if wanted != sequence {
        output.write(wanted.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(wanted)m")
        sequence = wanted
      }
      // Text written over an image would erase that part of it.
      output.write(pictures?.drawing(of: span.spanStyle.picture) ?? span.text)
    }
    if destination != nil { output.write("\u{1B}]8;;\u{1B}\\") }
    if !sequence.isEmpty { output.write("\u{1B}[0m") }
    if !line.isContinued { output.write("\n") }
  }

  /// Returns a destination that cannot end the escape sequence: visible ASCII, with all other bytes
  /// percent-encoded.
  private static func safe(_ destination: String) -> String {
    PercentEncoding.encoded(destination) { (0x21..<0x7F).contains($0) }
  }

  /// Returns the parameters of the escape sequence (SGR) for a span's style; empty for plain text.
  package func parameters(of spanStyle: SpanStyle) -> String {
    if spanStyle.picture != 0 { return pictures?.parameters(of: spanStyle.picture) ?? "" }
    guard isColored else { return "" }
    var look = spanStyle
    look.destination = nil
    return known.sequences.withLock { sequences in
      if let sequence = sequences[look] { return sequence }
      let sequence = sequence(of: look)
      sequences[look] = sequence
      return sequence
    }
  }

  private func sequence(of spanStyle: SpanStyle) -> String {
    var codes: [String] = []
    let format = spanStyle.format
    let isFound = spanStyle.decoration == .found
    let isHeading = spanStyle.heading > 0 && spanStyle.heading < 6
    let isBold = format.bold.value(or: isHeading || spanStyle.style.contains(.strong))
    if isBold || isFound { codes.append("1") }
    if format.isFaint, spanStyle.highlight == nil { codes.append("2") }
    let isItalic =
      spanStyle.style.contains(.emphasis) || spanStyle.code == .comment || spanStyle.heading == 6
    if format.italic.value(or: isItalic) { codes.append("3") }
    if let line = underline(of: spanStyle, isFound: isFound) { codes.append(line) }
    let isMarked =
      spanStyle.style.contains(.mark) && spanStyle.highlight == nil
      && format.background == .inherited
    if isMarked || spanStyle.decoration == .currentMatch { codes.append("7") }
    if format.strikethrough.value(or: spanStyle.style.contains(.strikethrough)) {
      codes.append("9")
    }
    codes += colors(of: spanStyle)
    if let accent = spanStyle.accent { codes.append(parameters(of: accent)) }
    return codes.joined(separator: ";")
  }

  /// Returns the parameter for the underline; nil if the text isn't underlined. The underline in
  /// the user's format precedes that of links, doubtful highlights and matches.
  private func underline(of spanStyle: SpanStyle, isFound: Bool) -> String? {
    let style = spanStyle.format.underline
    if let parameter = style.parameter(hasStyles: hasUnderlineStyles) { return parameter }
    let isLink = spanStyle.style.contains(.link) && style == .inherited
    return isLink || spanStyle.isOverlap || spanStyle.isDoubtful || isFound ? "4" : nil
  }

  /// Returns the parameters for the colours. A highlight is drawn over the background in the user's
  /// format. The user's text colour is kept if it is readable on the highlight and on the
  /// background.
  private func colors(of spanStyle: SpanStyle) -> [String] {
    var codes: [String] = []
    var background: RGB?
    if let highlight = spanStyle.highlight {
      background = palette.background(of: highlight)
      if let paint = palette.highlight(highlight) { codes.append(paint) }
    } else if let color = spanStyle.format.background.rgb,
      let paint = palette.background(color)
    {
      background = paint.shown
      codes.append(paint.parameters)
    }
    if let color = spanStyle.format.color.rgb {
      if let paint = palette.text(color, background: background) { codes.append(paint) }
    } else if spanStyle.format.color == .inherited, let key = spanStyle.key,
      let paint = palette.text(key, background: background)
    {
      codes.append(paint)
    }
    return codes
  }

  /// Returns the parameters for a part of a list's line. For parts that ripgrep also prints, they
  /// are ripgrep's.
  private func parameters(of accent: ListAccent) -> String {
    switch accent {
    case .path: "35"
    case .position: "32"
    case .match: "1;31"
    // Yellow isn't readable on a light background. `show` also underlines doubtful highlights.
    case .warning: palette.theme.background == .dark ? "4;33" : "4"
    case .problem: "31"
    case .tag: "36"
    case .swatch(let color): palette.highlight(color) ?? "0"
    }
  }
}
