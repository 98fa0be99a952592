import Console
import Rendering

/// What scripts ask of `diple`, and no person: its first word begins with three dashes.
enum HiddenCommand {
  /// `---values KIND`: the values of an argument, one a line.
  case values(ArgumentValues)
  /// `---complete SHELL WORD…`: the answer to a completion script.
  case complete(Shell, [String])
  /// `---manual`: the manual page, in roff.
  case manual
  /// `---commands`: the table of commands, in Markdown.
  case commands

  /// Reads a command line; nil when it is another one.
  init?(_ words: [String]) {
    switch (words.first, words.count) {
    case (ArgumentValues.command, 2...):
      guard let values = words.last.flatMap(ArgumentValues.init) else { return nil }
      self = .values(values)
    case ("---complete", 2...):
      guard let shell = Shell(rawValue: words[1]) else { return nil }
      self = .complete(shell, Array(words.dropFirst(2)))
    case ("---manual", 1): self = .manual
    case ("---commands", 1): self = .commands
    default: return nil
    }
  }

  /// Answers, and gives the exit code.
  func run(in context: CommandContext) async -> Int32 {
    let lines: [String]
    switch self {
    case .values(let kind): lines = await context.values(kind).map(\.text.sanitizedForTerminal)
    case .complete(let shell, let words): lines = await shell.answer(words, in: context)
    case .manual: lines = [ManualPage(Diple.grammar).text]
    case .commands: lines = [CommandTable(Diple.grammar).text]
    }
    for line in lines { context.terminal.output.line(line) }
    context.terminal.output.flush()
    return 0
  }
}
