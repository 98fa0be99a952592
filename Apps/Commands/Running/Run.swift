import ArgumentParser
package import Console
import DaemonKit
import Glibc
import Model
import Rendering
import SystemSupport
import Workspace

extension Diple {
  /// Runs one command line in a context and gives the exit code. All that goes wrong is said on
  /// the context's error stream, in one line for each thing, or as JSON with `--json`.
  package static func run(_ words: [String], in context: CommandContext) async -> Int32 {
    let words = context.terminal.writesJSON ? words.askingForJSON : words
    let code = await runCommand(words, context)
    for problem in await context.libraries.takeProblems() {
      let failure = UserError(.damaged, problem + "; that row is left out")
      _ = report(failure, json: words.asksForJSON, in: context)
    }
    context.tellSelection()
    context.terminal.output.flush()
    context.terminal.errors.flush()
    return code
  }

  private static func runCommand(_ words: [String], _ context: CommandContext) async -> Int32 {
    do {
      try checkName(words)
      var command = try parseAsRoot(words)
      if var command = command as? any ContextCommand {
        try await command.run(in: context)
      } else if var command = command as? any AsyncParsableCommand {
        // A group alone, which shows its help.
        try await command.run()
      } else {
        try command.run()
      }
      return 0
    } catch {
      return report(error, json: words.asksForJSON, in: context)
    }
  }

  /// Refuses a line that cannot be divided into words, and gives the exit code.
  package static func refuse(_ reason: CommandLineTokenizer.Unclosed, in context: CommandContext)
    -> Int32
  {
    let error = UserError(.usage, reason.description)
    let code = report(error, json: context.terminal.writesJSON, in: context)
    context.terminal.errors.flush()
    return code
  }

  /// Says on the standard error stream why a program cannot begin, and gives the exit code.
  package static func refuse(_ error: any Error) -> Int32 {
    let context = CommandContext.standard()
    let code = report(error, json: false, in: context)
    context.terminal.errors.flush()
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
    throw UserError(.usage, "\(place) no command '\(name)'", hint: near ?? help)
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
  static func report(_ error: any Error, json: Bool, in context: CommandContext) -> Int32 {
    context.terminal.output.flush()
    if let code = error as? ExitCode { return code.rawValue }
    guard let failure = error as? UserError else {
      let code = exitCode(for: error)
      if code == .success {
        context.terminal.output.line(fullMessage(for: error))
        return 0
      }
      if json {
        let problem = UserError(.usage, message(for: error))
        context.terminal.errors.line(JSON.line(ErrorRecord(problem)))
      } else {
        context.terminal.errors.line("diple: \(message(for: error))")
        // Beside a text there is room for one line.
        guard context.terminal.suspendingTerminal == nil else { return 2 }
        context.terminal.errors.line(
          "diple: `diple --help` lists the commands, `diple COMMAND -h` its words")
      }
      return 2
    }
    if json {
      context.terminal.errors.line(JSON.line(ErrorRecord(failure)))
    } else {
      context.terminal.errors.line("diple: \(failure.description.sanitizedForTerminal)")
      for candidate in failure.candidates {
        context.terminal.errors.line("  \(candidate.sanitizedForTerminal)")
      }
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

extension UserError.Code {
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
