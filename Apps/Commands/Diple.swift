package import ArgumentParser
package import Console
import DaemonKit
import SystemSupport
import Workspace

/// The root command of Diple. All front ends parse command lines with it.
///
/// ```swift
/// let context = CommandContext.standard()
/// let exitCode = await Diple.run(["list", "essay.md", "--json"], in: context)
/// ```
package struct Diple: AsyncParsableCommand {
  /// The name, help and subcommands. During ``parsePlain(_:)`` it is reduced to what the parser
  /// needs.
  package static var configuration: CommandConfiguration { plain ?? described }

  private static let described = CommandConfiguration(
    commandName: "diple",
    abstract: "Read and highlight Markdown that stays in plain files.",
    discussion: """
      Highlights are kept in a library beside the files; only `format` and `replace` write files. \
      When a file is edited with any program, each highlight is found again, or reported as \
      doubtful or orphaned.

      Options can come before or after the command. A word that begins with - and is not an option \
      goes after --.

      Exit codes: 0 done; 1 nothing matched or changed; 2 usage, also without a command; 3 doubtful \
      or orphaned highlights (anchor check); 4 no such document, highlight or file; 5 ambiguous; 6 \
      conflict, locked, read-only or full: nothing was changed; 7 done, but the output could not be \
      written; 8 the library is damaged; 9 a plugin, another program, or a search failed; 10 the format would omit something (export --fail-on-loss); 129 the terminal was closed (read); 130 interrupted.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Documents",
        subcommands: [
          InitCommand.self, AddCommand.self, DocCommand.self, SourceCommand.self,
          RefreshCommand.self,
          ShowCommand.self, ReadCommand.self, ServeCommand.self, OutlineCommand.self,
        ]),
      CommandGroup(
        name: "Highlights",
        subcommands: [
          MarkCommand.self, ListCommand.self, AtCommand.self,
          HighlightCommand.self, HighlightCommand.Note.self, RemoveCommand.self,
          AnchorCommand.self, TagsCommand.self, ColorCommand.self,
        ]),
      CommandGroup(
        name: "Selection",
        subcommands: [
          SelectCommand.self, ExtendCommand.self, AdjustCommand.self, CopyCommand.self,
          MenuCommand.self, ClearCommand.self, GotoCommand.self, FollowCommand.self,
        ]),
      CommandGroup(
        name: "Change",
        subcommands: [
          ReplaceCommand.self, FormatCommand.self, StyleCommand.self, FontCommand.self,
          EditCommand.self, UndoCommand.self, RedoCommand.self,
          HistoryCommand.self, TrashCommand.self,
        ]),
      CommandGroup(
        name: "Search and exchange",
        subcommands: [
          FindCommand.self, NextCommand.self, PreviousCommand.self, SearchCommand.self,
          QueryCommand.self, ImportCommand.self, ExportCommand.self, ShareCommand.self,
        ]),
      CommandGroup(
        name: "Running",
        subcommands: [
          StatusCommand.self, ReplCommand.self, SyncCommand.self, DaemonCommand.self,
          StrategiesCommand.self, PluginCommand.self,
          ConfigCommand.self, DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
          CompletionCommand.self,
        ]),
    ])

  /// Creates the command without parsing.
  package init() {}

  /// The configuration while ``parsePlain(_:)`` runs; nil at other times.
  @TaskLocal private static var plain: CommandConfiguration?

  /// Returns the result of `parseAsRoot`, but faster.
  ///
  /// For every line, the parser prepares completion scripts, the names of help options and the tree
  /// of all commands. That takes a third of the time of a short command. Here the root command is
  /// reduced, so that there is little to prepare. It also pretends to be a subcommand of another
  /// program, because the parser then prepares no scripts. Lines that may ask for help or for a
  /// script are parsed normally.
  ///
  /// - Throws: the parser's error if the words aren't a valid command line.
  package static func parsePlain(_ words: [String]) throws -> any ParsableCommand {
    guard !words.contains(where: mayAskForHelp) else { return try parseAsRoot(words) }
    var configuration = described
    configuration._superCommandName = ""
    configuration.helpNames = []
    if let word = words.first,
      let command = described.subcommands.first(where: { $0.names.contains(word) })
    {
      configuration.groupedSubcommands = []
      configuration.ungroupedSubcommands = [command]
    }
    return try $plain.withValue(configuration) { try parseAsRoot(words) }
  }

  private static func mayAskForHelp(_ word: String) -> Bool {
    guard word.utf8.first == UInt8(ascii: "-") else { return false }
    return word.hasPrefix("--")
      ? word.hasPrefix("--help") || word.hasPrefix("--generate-completion-script")
      : word.utf8.contains(UInt8(ascii: "h"))
  }
}

extension Diple {
  /// The grammar of all commands, decoded from the parser's dump.
  package static let grammar = CommandGrammar(dump: _dumpHelp())

  /// Splits a command line of the REPL or the reader into words.
  ///
  /// - Throws: ``CommandLineTokenizer/Unclosed`` if a quotation mark is not closed.
  package static func words(in line: String) throws(CommandLineTokenizer.Unclosed) -> [String] {
    try CommandLineTokenizer(grammar).words(in: line)
  }
}
