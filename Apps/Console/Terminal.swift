package import Configuration
import FoundationEssentials
import Glibc
package import Model
package import Rendering
package import SystemSupport
package import Workspace

/// The streams of a command and the abilities of the terminal.
package final class Terminal: @unchecked Sendable {
  // Confined: a front end runs one command at a time, and only commands access it.

  /// The environment variables.
  package let environment: [String: String]
  /// The stream for results.
  package let output: Output
  /// The stream for notices and errors.
  package let errors: Output
  /// Whether this is a REPL or reader, where DOC may be omitted and text can be selected.
  package let isInteractive: Bool
  /// Whether all commands answer in JSON, even without `--json`.
  package var writesJSON = false
  /// A descriptor that becomes readable when the user interrupts the current command. Negative if
  /// an interrupt ends the process.
  package var interruption: Int32 = -1
  /// The descriptor of the input, usually standard input.
  package var input: Int32 = 0
  /// Whether commands may read standard input.
  package var allowsPrompts = true
  /// Whether commands are typed in the full-screen reader.
  package var isReader: Bool { isInteractive && !allowsPrompts }
  /// Whether the notice of a changed document is followed by a line for each highlight that lost its
  /// place. A front-end with room for a single line shows their number only.
  package var listsLostHighlights = true
  /// Releases the terminal to another program while a closure runs. Nil if the terminal needn't be
  /// released.
  package var suspendingTerminal: ((() -> Void) -> Void)?

  package init(
    environment: [String: String],
    output: Output = .standardOutput, errors: Output = .standardError, isInteractive: Bool = false
  ) {
    self.environment = environment
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
  }

  /// The folder of the running command's `--library`, which commands in hints need, too; nil
  /// without the option.
  package var namedLibrary: String?

  /// The syntax in which hints show commands.
  package var typing: Hint.Syntax {
    if isInteractive { return .lineEditor }
    guard let namedLibrary else { return .shell }
    var syntax = Hint.Syntax.shell
    syntax.globalWords = { words in
      words.needLibrary ? ["--library", .word(namedLibrary)] : []
    }
    return syntax
  }

  /// The width of the terminal in columns: `COLUMNS`, the size of the terminal, or else 80.
  package var columns: Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    if output.isTerminal, ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }

  /// The maximum number of documents that are reported separately.
  static let noticeLimit = 20

  /// Prints a text as data: unchanged to a pipe or file, without control characters to a terminal.
  package func writeData(_ text: String) {
    output.write(output.isTerminal ? text.linesSanitizedForTerminal : text)
  }

  /// Returns the width of a page in columns: the requested width, or else that of the terminal,
  /// limited by the settings.
  package func width(_ asked: Int?, _ settings: Settings) -> Int {
    asked ?? min(columns, settings.number(.readerWidth))
  }
}

extension Terminal {
  /// Prints the changes of documents and highlights on standard error. Unchanged ones aren't
  /// printed.
  package func notify(_ reports: [RefreshReport]) {
    let lines = RefreshReport.gathered(reports, in: typing)
    for report in lines.prefix(Self.noticeLimit) {
      errors.line(report.summary.sanitizedForTerminal)
      for state in [AnchorState.orphaned, .doubtful] where listsLostHighlights {
        for outcome in report.outcomes where outcome.isNewlyLost && outcome.after.state == state {
          errors.line("  \(state) \(outcome.name): “\(outcome.quote.shortened)”")
        }
      }
    }
    if lines.count > Self.noticeLimit {
      errors.line("and \((lines.count - Self.noticeLimit).counted("further document"))")
    }
    // Print the notices before the output of the command, because they explain it.
    errors.flush()
  }

  /// Returns the colour mode of the standard output.
  package func colorMode(_ choice: ColorMode.Choice) -> ColorMode {
    ColorMode.detect(environment: environment, isTerminal: output.isTerminal, choice: choice)
  }

  /// Returns the options for rendering pages on this terminal. In a pipe or a file, code and tables
  /// aren't wrapped, unless an option or `COLUMNS` states a width.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the theme is invalid or can't be read.
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
    // A reader that collects the output displays it in few columns.
    page.keepsLines =
      options.width == nil && !output.isTerminal && !output.isCollecting
      && environment["COLUMNS"].flatMap { Int($0) } == nil
    page.ordersText = output.isTerminal && settings.ordersText(environment)
    page.hasUnderlineStyles = output.isTerminal && ANSIWriter.knowsUnderlineStyles(environment)
    return page
  }

  /// Returns the options for rendering a few lines of a text, for a command without rendering
  /// options.
  ///
  /// - Throws: `usage` if the theme is invalid or cannot be read.
  package func pageOptions(width asked: Int?, _ settings: Settings, around range: TextRange)
    throws(UserError) -> PageOptions
  {
    var options = try pageOptions(DrawOptions.none, settings)
    options.width = max(20, width(asked, settings))
    // The lines near a passage would otherwise be as long as the longest line of code.
    options.keepsLines = false
    options.hyperlinks = false
    options.range = range
    return options
  }
}

extension [Hint.Word] {
  /// Whether a suggested command is for the library of the running command. Help needs no library,
  /// and other commands of `sync` are often suggested for another device.
  fileprivate var needLibrary: Bool {
    if first == "help" || last == "-h" { return false }
    guard first == "sync" else { return true }
    return count > 1 && ["conflicts", "passphrase", "init"].contains(self[1])
  }
}
