import Configuration
import FoundationEssentials
import Glibc
public import Model
import Rendering
import Workspace

/// What the commands of one process, or of one REPL, share: where they write, which library they
/// mean, and which document is current.
///
/// A command finds its session in `Session.current`; the front-end sets it for each line.
public final class Session: @unchecked Sendable {
  // Confined: a front-end runs one command at a time, and only commands touch the session.

  /// The session of the command that is being run.
  @TaskLocal public static var current = Session(environment: [:])

  /// The environment's variables.
  public let environment: [String: String]
  /// Where results go.
  public var output: Output
  /// Where notices and errors go.
  public var errors: Output
  /// Whether this is a REPL: DOC may be left out, and nothing is paged.
  public let isInteractive: Bool
  /// Whether every command answers in JSON, also when its line does not say `--json`.
  public var writesJSON = false
  /// A descriptor that becomes readable when a person interrupts the command that is being run;
  /// negative where an interrupt ends the process anyway.
  public var interruption: Int32 = -1
  /// The document that DOC means when it is left out, in a REPL.
  public var document: Document?
  /// The file that is meant when DOC is left out and no document is current: one in no library.
  var file: String?
  /// What is selected, in a REPL.
  var selected: Selected?
  /// Who is told what is selected.
  var hook = SelectionHook()
  /// Whether a person can be asked on the standard input.
  var canAsk = true
  /// Gives the terminal to another program while its argument runs; nil where it has it anyway.
  var outside: ((() -> Void) -> Void)?
  /// What is being looked for, in a REPL.
  var finding: Finding?

  private var opened: (location: LibraryLocation, opening: Library.Opening, library: Library)?

  /// Makes a session.
  public init(
    environment: [String: String],
    output: Output = .standardOutput, errors: Output = .standardError, isInteractive: Bool = false
  ) {
    self.environment = environment
    self.output = output
    self.errors = errors
    self.isInteractive = isInteractive
  }

  /// What the prompt of a REPL says: the current document's file, without what steers a terminal.
  public var promptName: String { document.map { $0.path.name.neutralized } ?? "" }

  /// The session of a process: its environment and standard streams.
  public static func standard(isInteractive: Bool = false) -> Session {
    Session(environment: ProcessInfo.processInfo.environment, isInteractive: isInteractive)
  }

  /// The library that the options mean, opened once for each session.
  func library(_ options: GlobalOptions, _ opening: Library.Opening) throws -> Library {
    try library(named: options.library, opening)
  }

  /// The library in a folder, or the one that the environment and the current folder mean.
  func library(named folder: String?, _ opening: Library.Opening) throws -> Library {
    let location = try LibraryLocation.find(named: folder, environment: environment)
    if let opened, opened.location == location, opened.opening.covers(opening) {
      return opened.library
    }
    let library = try openLibrary(at: location, opening: opening)
    // An empty stand-in must not hide the library that the next command makes.
    if !library.isReadOnly { opened = (location, opening, library) }
    return library
  }

  /// The columns that a page may fill: those of the terminal, but no more than the settings say.
  func width(_ asked: Int?, _ settings: Settings) -> Int {
    asked ?? min(terminalWidth, settings.number(.readerWidth))
  }

  private var terminalWidth: Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    if output.isTerminal, ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 80
  }
}

extension Library.Opening {
  /// Whether a library that was opened like this serves a command that asks for `other`.
  fileprivate func covers(_ other: Library.Opening) -> Bool {
    self == other || self == .create || (self == .existing && other == .look)
  }
}
