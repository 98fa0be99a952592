package import Configuration
import FoundationEssentials
import Glibc
package import Model
package import Rendering
package import SystemSupport
package import Workspace

/// Where a command reads and writes, and what a person can do there.
package final class Terminal: @unchecked Sendable {
  // Confined: a front-end runs one command at a time, and only commands touch it.

  /// The environment's variables.
  package let environment: [String: String]
  /// Where results go.
  package let output: Output
  /// Where notices and errors go.
  package let errors: Output
  /// Whether this is a line editor or reader: DOC may be omitted, and there is a selection.
  package let isInteractive: Bool
  /// Whether every command answers in JSON, also when its line does not say `--json`.
  package var writesJSON = false
  /// A descriptor that becomes readable when a person interrupts the command that is being run;
  /// negative where an interrupt ends the process anyway.
  package var interruption: Int32 = -1
  /// What is read: the standard input.
  package var input: Int32 = 0
  /// Whether a person can be asked on the standard input.
  package var allowsPrompts = true
  /// Gives the terminal to another program while its argument runs; nil where it has it anyway.
  package var suspendingTerminal: ((() -> Void) -> Void)?

  /// Makes a terminal.
  package init(
    environment: [String: String],
    output: Output = .standardOutput, errors: Output = .standardError, isInteractive: Bool = false
  ) {
    self.environment = environment
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
  }

  /// Where the lines are typed that hints name.
  package var typing: Hint.Syntax { isInteractive ? .lineEditor : .shell }

  /// Columns of the terminal, 80 where there is none.
  package var columns: Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    if output.isTerminal, ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }

  /// How many documents are told of one by one.
  static let noticeLimit = 20

  /// Writes a text that is data: exact in a pipe or file, and on a terminal without what steers it.
  package func writeData(_ text: String) {
    output.write(output.isTerminal ? text.linesSanitizedForTerminal : text)
  }

  /// The columns that a page may fill: those of the terminal, but no more than the settings say.
  package func width(_ asked: Int?, _ settings: Settings) -> Int {
    asked ?? min(columns, settings.number(.readerWidth))
  }
}

extension Terminal {
  /// Reports on the error stream what became of highlights, where something did.
  package func notify(_ reports: [RefreshReport]) {
    let lines = RefreshReport.gathered(reports, in: typing)
    for report in lines.prefix(Self.noticeLimit) {
      errors.line(report.summary.sanitizedForTerminal)
      for state in [AnchorState.orphaned, .doubtful] {
        for outcome in report.outcomes where outcome.after.state == state {
          errors.line("  \(state) \(outcome.name): “\(outcome.quote.shortened)”")
        }
      }
    }
    if lines.count > Self.noticeLimit {
      errors.line("and \((lines.count - Self.noticeLimit).counted("further document"))")
    }
    // What a list shows is easier to understand when one knows why: before it, not after.
    errors.flush()
  }

  /// The colours of the standard output.
  package func colorMode(_ choice: ColorMode.Choice) -> ColorMode {
    ColorMode.detect(environment: environment, isTerminal: output.isTerminal, choice: choice)
  }

  /// How pages are drawn here.
  ///
  /// - Throws: `usage` for a theme that cannot be read.
  package func pageOptions(_ options: DrawOptions, _ settings: Settings) throws(UserError)
    -> PageOptions
  {
    let choice: ColorMode.Choice =
      options.noColor ? .never : ColorMode.Choice(rawValue: options.choice.rawValue) ?? .auto
    let color = colorMode(choice)
    var page = PageOptions(
      width: width(options.width, settings), color: color,
      theme: try settings.theme(
        options.theme?.rawValue, on: settings.background(environment), environment: environment),
      hyperlinks: output.isTerminal && color != .none)
    page.isOnScreen = output.isTerminal
    page.ordersText = output.isTerminal && settings.ordersText(environment)
    page.hasUnderlineStyles = output.isTerminal && ANSIWriter.knowsUnderlineStyles(environment)
    return page
  }

  /// How a few lines of a text are drawn, for a command without options for it.
  package func pageOptions(width asked: Int?, _ settings: Settings, around range: TextRange)
    throws(UserError) -> PageOptions
  {
    var options = try pageOptions(DrawOptions.none, settings)
    options.width = max(20, width(asked, settings))
    options.hyperlinks = false
    options.range = range
    return options
  }
}
