import Console
import LibraryExchange
import Reader
import Rendering
import Workspace

/// An undocumented command of `diple` for scripts. Its first word begins with three dashes.
enum HiddenCommand {
  /// `---values KIND`: prints the values of an argument, one on each line.
  case values(ArgumentValues)
  /// `---complete SHELL WORD…`: prints the answer to a completion script.
  case complete(Shell, [String])
  /// `---manual`: prints the manual page in roff.
  case manual
  /// `---commands`: prints the table of commands in Markdown.
  case commands
  /// `---keys`: prints the tables of keys in Markdown.
  case keys
  /// `---trial FOLDER BYTES`: converts the file in a folder, with limits of memory and time.
  case trial(String, memory: Int)

  /// Parses a command line. Returns nil if it isn't a hidden command.
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
    case ("---keys", 1): self = .keys
    case (RichTrial.command, 3):
      guard let memory = Int(words[2]), memory > 0 else { return nil }
      self = .trial(words[1], memory: memory)
    default: return nil
    }
  }

  /// Runs the command and returns the exit code.
  func run(in context: CommandContext) async -> Int32 {
    let lines: [String]
    switch self {
    case .values(let kind): lines = await context.values(kind).map(\.text.sanitizedForTerminal)
    case .complete(let shell, let words): lines = await shell.answer(words, in: context)
    case .manual: lines = [ManualPage(Diple.grammar).text]
    case .commands: lines = [CommandTable(Diple.grammar).text]
    case .keys: lines = [String(ReaderKeys.markdown.dropLast())]
    case .trial(let folder, let memory): RichTrial.convert(in: folder, memory: memory)
    }
    for line in lines { context.terminal.output.line(line) }
    context.terminal.output.flush()
    return 0
  }
}
