import ArgumentParser
import Glibc
import Model
import Workspace

extension Diple {
  /// Runs one command line in a session and gives the exit code. All that goes wrong is said on
  /// the session's error stream, in one line for each thing, or as JSON with `--json`.
  public static func run(_ words: [String], in session: Session) async -> Int32 {
    let words = session.writesJSON ? words.askingForJSON : words
    let code = await Session.$current.withValue(session) { await runCurrent(words, session) }
    session.tellSelection()
    session.output.flush()
    session.errors.flush()
    return code
  }

  private static func runCurrent(_ words: [String], _ session: Session) async -> Int32 {
    do {
      try checkName(words)
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return 0
    } catch {
      return report(error, json: words.asksForJSON, in: session)
    }
  }

  /// Refuses a line that cannot be divided into words, and gives the exit code.
  public static func refuse(_ reason: LineWords.Unclosed, in session: Session) -> Int32 {
    let error = LibraryError(.usage, reason.description)
    let code = report(error, json: session.writesJSON, in: session)
    session.errors.flush()
    return code
  }

  /// Says on the standard error stream why a program cannot begin, and gives the exit code.
  public static func refuse(_ error: any Error) -> Int32 {
    let session = Session.standard()
    let code = report(error, json: false, in: session)
    session.errors.flush()
    return code
  }

  /// A word that names no command is the likeliest slip, and deserves a plain answer.
  private static func checkName(_ words: [String]) throws {
    guard let name = words.first, !name.hasPrefix("-") else { return }
    try check(name, among: commandNames + ["help", "hl"], help: "`diple --help` lists them")
    guard words.count > 1, !words[1].hasPrefix("-") else { return }
    let below = subcommandNames(of: name)
    if below.isEmpty { return }
    try check(words[1], of: name, among: below, help: "`diple \(name) --help` lists them")
  }

  /// The names of the commands below one; none for a command that does something itself.
  private static func subcommandNames(of name: String) -> [String] {
    for group in configuration.groupedSubcommands {
      for command in group.subcommands {
        let configuration = command.configuration
        guard configuration.commandName == name || configuration.aliases.contains(name) else {
          continue
        }
        return configuration.subcommands.map { $0.configuration.commandName ?? "" }
      }
    }
    return []
  }

  private static func check(
    _ name: String, of command: String? = nil, among names: [String], help: String
  ) throws {
    guard !names.contains(name) else { return }
    let near = nearestMatch(to: name, among: names)
      .map { "did you mean '\(command.map { $0 + " " } ?? "")\($0)'?" }
    let place = command.map { "'\($0)' has" } ?? "there is"
    throw LibraryError(.usage, "\(place) no command '\(name)'", hint: near ?? help)
  }

  /// The names of all commands.
  static var commandNames: [String] {
    var names: [String] = []
    for group in configuration.groupedSubcommands {
      for command in group.subcommands { names.append(command.configuration.commandName ?? "") }
    }
    return names
  }

  /// Says what went wrong, and gives the exit code for it.
  static func report(_ error: any Error, json: Bool, in session: Session) -> Int32 {
    session.output.flush()
    if let code = error as? ExitCode { return code.rawValue }
    guard let failure = error as? LibraryError else {
      let code = exitCode(for: error)
      if code == .success {
        session.output.line(fullMessage(for: error))
        return 0
      }
      if json {
        let problem = LibraryError(.usage, message(for: error))
        session.errors.line(JSON.line(ErrorRecord(problem)))
      } else {
        session.errors.line("diple: \(message(for: error))")
        // Beside a text there is room for one line.
        guard session.outside == nil else { return 2 }
        session.errors.line(
          "diple: `diple --help` lists the commands, `diple COMMAND -h` its words")
      }
      return 2
    }
    if json {
      session.errors.line(JSON.line(ErrorRecord(failure)))
    } else {
      session.errors.line("diple: \(failure.description.neutralized)")
      for candidate in failure.candidates { session.errors.line("  \(candidate.neutralized)") }
    }
    return failure.code.exitCode
  }
}

extension [String] {
  /// Whether `--json` is among the options; a word after `--` is none.
  fileprivate var asksForJSON: Bool { prefix { $0 != "--" }.contains("--json") }

  /// The words of a command line with `--json` among the options.
  fileprivate var askingForJSON: [String] {
    if isEmpty || asksForJSON { return self }
    var words = self
    words.insert("--json", at: firstIndex(of: "--") ?? endIndex)
    return words
  }
}

extension LibraryError.Code {
  /// The process's exit code for this kind of error.
  var exitCode: Int32 {
    switch self {
    case .nothing: 1
    case .usage: 2
    case .notFound: 4
    case .ambiguous: 5
    case .conflict: 6
    case .damaged: 8
    case .plugin: 9
    }
  }
}

extension String {
  /// The text with its control characters made visible, so that what a file says can never steer
  /// the terminal.
  var neutralized: String {
    if utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return self }
    guard unicodeScalars.contains(where: \.isSteering) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: result.append(" ")
      case 0x00..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value)!)
      case 0x7F: result.append("\u{2421}")
      case 0x80..<0xA0: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate var isSteering: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
