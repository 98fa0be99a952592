import Model
import Rendering
import Workspace

extension Session {
  /// Says on the error stream what looks at files showed, where it was something.
  func notify(_ reports: [RefreshReport]) {
    for report in reports {
      guard let summary = report.summary else { continue }
      errors.line(summary.neutralized)
      for outcome in report.outcomes where outcome.after.state == .orphaned {
        errors.line("  orphaned \(outcome.highlight.dot.sequence): “\(outcome.quote.shortened)”")
      }
      for outcome in report.outcomes where outcome.after.state == .doubtful {
        errors.line("  doubtful \(outcome.highlight.dot.sequence): “\(outcome.quote.shortened)”")
      }
    }
  }

  /// How pages are drawn here.
  func pageOptions(_ options: DrawOptions) -> PageOptions {
    let choice: ColorMode.Choice =
      options.noColor ? .never : ColorMode.Choice(rawValue: options.choice.rawValue) ?? .auto
    let color = ColorMode.detect(
      environment: environment, isTerminal: output.isTerminal, choice: choice)
    return PageOptions(
      width: width(options.width), color: color,
      theme: Rendering.Theme(rawValue: options.theme.rawValue) ?? .light,
      hyperlinks: output.isTerminal && color != .none)
  }

  /// The document that a command's DOC means; in a REPL the current one when it is left out.
  func document(_ name: String?, in library: Library) async throws -> Document {
    guard let name else {
      guard let document else {
        throw LibraryError(
          .usage, "no document is named",
          hint: isInteractive ? "`show DOC` makes one the current document" : "name it: DOC")
      }
      return try await library.document(document.id.description)
    }
    let found = try await library.document(name)
    if isInteractive { document = found }
    return found
  }
}

extension Highlight {
  /// The short name by which a person calls it.
  var shortID: String { String(id.dot.sequence) }
}

extension String {
  /// The text on one line, without what steers a terminal, and not longer than about a line.
  var shortened: String {
    // Nearly every quote is plain ASCII with single blanks: that needs no more than a look.
    if isShortAndPlain { return self }
    let line = split(whereSeparator: \.isWhitespace).joined(separator: " ").neutralized
    return line.count > 72 ? line.prefix(71) + "…" : line
  }
  private var isShortAndPlain: Bool {
    guard utf8.count <= 72 else { return false }
    var previous = UInt8(ascii: " ")
    for byte in utf8 {
      guard byte >= 32, byte < 127, byte != 32 || previous != 32 else { return false }
      previous = byte
    }
    return previous != 32
  }
}
