import Actions
package import ArgumentParser
import Configuration
package import Console
import DaemonKit
import Glibc
import Model
import Rendering
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

      Topics of `diple help`: \(HelpTopic.names).

      Exit codes: 0 done; 1 nothing matched or changed; 2 usage, also without a command; 3 \
      doubtful or orphaned highlights (anchor check), or broken links (links --unresolved); 4 no \
      such document, highlight or file; 5 ambiguous; 6 conflict, locked, read-only or full: \
      nothing was changed; 7 done, but the output could not be written; 8 the library is damaged; \
      9 a plugin, another program, or a search failed; 10 the format would omit something (export \
      --fail-on-loss); 129 the terminal was closed (read); 130 interrupted.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Documents",
        subcommands: [
          InitCommand.self, AddCommand.self, DocCommand.self, SourceCommand.self,
          RefreshCommand.self,
          ShowCommand.self, ReadCommand.self, PickCommand.self, ServeCommand.self,
          OutlineCommand.self, LinksCommand.self,
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
    let words = withItemsLast(withTagOptions(words))
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

  /// Returns the words of `highlight tag` with an option for each tag to remove, such as `-old`;
  /// other words unchanged.
  package static func withTagOptions(_ words: [String]) -> [String] {
    // Finding the command takes long, so most lines are excluded first.
    words.contains("tag") && words.namedCommand.command == HighlightCommand.Tag.self
      ? HighlightCommand.Tag.withOptions(words) : words
  }

  /// Returns the words with copied list items, such as `- item one`, after `--`. The parser would
  /// take them for options. An item after an option is its value, or refused by the parser.
  private static func withItemsLast(_ words: [String]) -> [String] {
    func isItem(_ index: Int) -> Bool {
      words[index].hasPrefix("-") && words[index].drop { $0 == "-" }.first?.isWhitespace == true
        && index > 0 && !words[index - 1].hasPrefix("-")
    }
    guard words.indices.contains(where: isItem), !words.contains("--") else { return words }
    return words.indices.filter { !isItem($0) }.map { words[$0] } + ["--"]
      + words.indices.filter(isItem).map { words[$0] }
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

extension Diple {
  /// Runs a command line in a context and returns the exit code. Errors are printed on the
  /// context's error stream, each in one line, or as JSON with `--json`.
  package static func run(_ words: [String], in context: CommandContext) async -> Int32 {
    context.libraries.beginCommand()
    defer { context.libraries.endCommand() }
    if let hidden = HiddenCommand(words) { return await hidden.run(in: context) }
    var words = words.optionsAfterCommand
    if context.terminal.writesJSON { words = words.askingForJSON }
    context.terminal.namedLibrary = words.namedLibrary
    let code = await runCommand(words, context)
    for problem in await context.libraries.takeProblems() {
      _ = report(UserError(.damaged, problem + "; that row is skipped"), words, in: context)
    }
    let found = await context.libraries.drainFoundDocuments()
    if !found.isEmpty { context.notify(found) }
    for line in await context.libraries.drainSettledSteps() {
      context.terminal.errors.line("diple: \(line.sanitizedForTerminal)")
    }
    context.notifySelection()
    context.terminal.output.flush(after: code)
    context.terminal.errors.flush()
    return code
  }

  private static func runCommand(_ words: [String], _ context: CommandContext) async -> Int32 {
    do {
      if words.leadingOptions == words.count {
        if words.asksForJSON {
          throw UserError(.usage, "which command?", hint: "\(command: "help") lists them")
        }
        context.terminal.output.line(firstSteps)
        return 2
      }
      if words.first == "help", words.dropFirst().contains("--actions") {
        try listActions(words, in: context)
        return 0
      }
      if let topic = HelpTopic(words) {
        show(help: topic.lines.joined(separator: "\n"), in: context)
        return 0
      }
      var command = try parse(words)
      if var command = command as? any ContextCommand {
        try await command.run(in: context)
      } else if var command = command as? any AsyncParsableCommand {
        // A group without a subcommand prints its help.
        try await command.run()
      } else {
        try command.run()
      }
      return 0
    } catch {
      return report(error, words, in: context)
    }
  }

  /// Lists the actions that front-ends can request, for `help --actions`.
  private static func listActions(_ words: [String], in context: CommandContext) throws {
    if let other = words.dropFirst().first(where: { $0 != "--actions" && $0 != "--json" }) {
      throw UserError(.usage, "unexpected argument '\(other)'; help --actions takes no arguments")
    }
    if words.asksForJSON { return context.terminal.output.line(ActionList.json) }
    func width(_ word: (any Action.Type) -> String) -> Int {
      ActionList.all.map { word($0).count }.max() ?? 0
    }
    let (names, effects) = (width { $0.name }, width { $0.effect.rawValue })
    for action in ActionList.all {
      let name = action.name.padded(to: names + 2)
      let effect = action.effect.rawValue.padded(to: effects + 2)
      context.terminal.output.line("\(name)\(effect)\(action.summary)")
    }
  }

  /// The text for a user who types only `diple`.
  private static let firstSteps = """
    Diple highlights Markdown that stays in plain files. To begin:
      diple add essay.md                   add a file to your library
      diple read essay.md                  read it full-screen; select and highlight there
      diple mark essay.md '"some words"'   highlight a passage from the shell
      diple status                         what the library contains, and what to do next
    `diple help` lists all commands, `diple help COMMAND` explains one.
    """

  /// Parses the words of a command line.
  ///
  /// - Throws: ``UserError`` with the code `usage` for an unknown command, and the parser's errors.
  private static func parse(_ words: [String]) throws -> any ParsableCommand {
    var words = words
    if words.first == "help" {
      words = Array(words.dropFirst()).optionsAfterCommand
      try checkName(words, topics: HelpTopic.allCases.map(\.rawValue))
      try checkHelpOptions(words)
      words.append("--help")
    } else {
      try checkName(words)
      try checkRepeated(words)
    }
    let command = try parsePlain(words)
    // The parser interprets the `h` of `-hello` as a request for help.
    if type(of: command).configuration.commandName == "help", !words.asksForHelp,
      let word = words.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.count > 2 })
    {
      throw UserError.noOption(word, hint: wordsHint)
    }
    return command
  }

  /// The options whose values are stored, so that using only the last of them would lose one.
  private static let storedOptions = ["--color", "--note"]

  /// Checks that an option whose value is stored does not have two different ones, of which the
  /// parser would use the last. Of other options the last one counts, as usual in shells.
  ///
  /// - Throws: ``UserError`` with the code `usage` for such an option.
  private static func checkRepeated(_ words: [String]) throws {
    // Reading the grammar takes long, so most lines are excluded first.
    let options = words.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
    let isPossible = storedOptions.contains { name in
      options.count { $0 == name || $0 == "-c" && name == "--color" } > 1
    }
    guard isPossible, let (name, values) = grammar.conflict(of: storedOptions, in: words) else {
      return
    }
    throw UserError(
      .usage, "\(name) has two values, '\(values[0].oneLine)' and '\(values[1].oneLine)'",
      hint: "give it once")
  }

  /// Checks the options of `help`. Global options, which every command accepts, are ignored.
  ///
  /// - Throws: ``UserError`` with the code `usage` for an option that `help` doesn't have.
  private static func checkHelpOptions(_ words: [String]) throws {
    var rest = words.dropFirst(words.commandLength)
    rest = rest.dropFirst(Array(rest).leadingOptions)
    guard let option = rest.first(where: { $0.hasPrefix("-") && !["-h", "--help"].contains($0) })
    else { return }
    let path = ["help"] + words.prefix(words.commandLength)
    throw UserError.noOption(
      option, hint: "\(line: path.joined(separator: " ")) lists what there is")
  }

  private static let wordsHint: Hint = "put a word that begins with - after --"

  /// Prints the error for a line that can't be split into words, and returns the exit code.
  package static func refuse(_ reason: CommandLineTokenizer.Unclosed, in context: CommandContext)
    -> Int32
  {
    let error = UserError(.usage, reason.description)
    let code = report(error, context.terminal.writesJSON ? ["--json"] : [], in: context)
    context.terminal.errors.flush()
    return code
  }

  /// Prints the error that prevents a program from starting, and returns the exit code.
  package static func refuse(_ error: any Error) -> Int32 {
    let context = CommandContext.standard()
    let code = report(error, [], in: context)
    context.terminal.errors.flush()
    return code
  }

  /// The groups whose default command accepts a document. A word that isn't a subcommand is a
  /// document.
  static let documentGroups: Set<String> = [ServeCommand.configuration.commandName ?? ""]

  /// Checks the name of the command. An unknown name is the most frequent mistake, so the error
  /// suggests similar commands.
  ///
  /// - Parameter topics: further words that may follow, such as the topics of `help`.
  /// - Throws: ``UserError`` with the code `usage` if the name is unknown.
  private static func checkName(_ words: [String], topics: [String] = []) throws {
    var command: any ParsableCommand.Type = Diple.self
    var path: [String] = []
    for word in words {
      let below = command.configuration.subcommands
      if below.isEmpty || word.hasPrefix("-") { return }
      if let next = below.first(where: { $0.names.contains(word) }) {
        command = next
        path.append(word)
        continue
      }
      if path.count == 1, documentGroups.contains(path[0]) { return }
      let others = path.isEmpty ? ["help"] + topics.filter { $0 != word } : []
      let names = below.flatMap { $0.names } + others
      if path.isEmpty, word == "help" { return }
      // `hl list` is the command `list`.
      let isCommand = Diple.configuration.subcommands.contains { $0.names.contains(word) }
      let near =
        !path.isEmpty && isCommand
        ? "did you mean \(command: .word(word))?"
        : Spelling.nearest(to: word, among: names)
          .map { Hint(Spelling.question((path + [$0]).joined(separator: " "))) }
      // As in git, users often type a subcommand without its group.
      let grouped = words.dropFirst(path.isEmpty ? 0 : path.count - 1).first ?? word
      let groups = Diple.configuration.subcommands.filter { group in
        group.configuration.commandName != path.first
          && group.configuration.subcommands.contains { $0.names.contains(grouped) }
      }
      let lines = groups.map { "'\($0.shortName) \(grouped)'" }
      if !lines.isEmpty, path.count <= 1, path.first == nil || path.first == grouped {
        throw UserError(
          .usage,
          path.isEmpty
            ? "there is no command '\(word)'" : "'\(grouped)' has no command '\(word)'",
          hint: "did you mean \(lines.joined(separator: " or "))?")
      }
      let place = path.isEmpty ? "there is" : "'\(path.joined(separator: " "))' has"
      let help = (["help"] + path).joined(separator: " ")
      if command == HighlightCommand.self, word.allSatisfy(\.isWholeNumber) {
        throw UserError(
          .usage, "\(place) no command '\(word)'",
          hint: "\(command: "hl", "show", .word(word)) shows the highlight")
      }
      throw UserError(
        .usage, "\(place) no command '\(word)'", hint: near ?? "\(line: help) lists them")
    }
  }

  /// Prints an error and returns its exit code.
  static func report(_ error: any Error, _ words: [String], in context: CommandContext) -> Int32 {
    context.terminal.output.drain()
    if let code = error as? ExitCode { return code.rawValue }
    var failure: UserError
    if let error = error as? UserError {
      failure = error
    } else if exitCode(for: error) == .success {
      // A front-end that collects the lines wraps them itself.
      let columns = context.terminal.output.isCollecting ? Int(Int16.max) : nil
      show(help: fullMessage(for: error, columns: columns), in: context)
      return 0
    } else {
      failure = refusal(message(for: error), words)
    }
    var options = GlobalOptions.none
    options.json = words.asksForJSON
    // Users know options and words, not the members of requests.
    failure.parameter = nil
    context.warn(failure, options)
    if !options.json { listCandidates(of: failure, in: context) }
    return failure.code.exitCode
  }

  /// Prints a help text. A shell's terminal can be scrolled, but the REPL uses the pager.
  private static func show(help text: String, in context: CommandContext) {
    context.terminal.output.presents(.help)
    let settings = context.terminal.allowsPrompts ? try? context.libraries.settings(.none) : nil
    guard context.terminal.isInteractive, let settings else {
      return context.terminal.output.line(text)
    }
    context.terminal.page(
      text + "\n", through: settings.text(.pager), never: false, always: false)
  }

  /// Prints the candidates of an ambiguous name, grouped by section if there are several sections.
  private static func listCandidates(of failure: UserError, in context: CommandContext) {
    let isGrouped = Set(failure.sections).count > 1
    var section: String?
    for (index, candidate) in failure.candidates.enumerated() {
      if isGrouped, failure.sections[index] != section {
        section = failure.sections[index]
        context.terminal.errors.line("  \((section ?? "").shortened):")
      }
      context.terminal.errors.line(
        "\(isGrouped && section != nil ? "    " : "  ")\(candidate.sanitizedForTerminal)")
    }
  }

  /// Converts an error message of the parser to an error in Diple's format.
  private static func refusal(_ cause: String, _ words: [String]) -> UserError {
    let hint = hint(for: words)
    if let match = cause.wholeMatch(of: #/Unknown option '(.*?)'(?:\. Did you mean '.*'\?)?/#) {
      let command = grammar.place(after: Array(words.prefix(words.commandLength))).command
      let names = command.options.flatMap(\.written)
      let takesDocuments =
        command.arguments?.contains { $0.kind == .positional && $0.values.first == .document }
        ?? false
      if takesDocuments, ["--doc", "--docs", "--document", "--documents"].contains(match.1) {
        return .noOption(match.1, hint: "write documents without an option; \(hint)")
      }
      // A single letter is similar to every other letter, so nothing is suggested for it.
      let isLong = match.1.hasPrefix("--")
      let near = isLong ? Spelling.nearest(to: String(match.1), among: names) : nil
      guard let near else {
        return .noOption(match.1, hint: "\(hint); \(wordsHint)")
      }
      return .noOption(match.1, hint: Hint(Spelling.question(near)))
    }
    if let match = cause.firstMatch(of: #/value '(.*)' is invalid for '--dialect/#),
      let name = MarkdownDialectName.known(by: String(match.1))
    {
      return UserError(
        .usage, "there is no dialect '\(match.1)'", hint: "the dialect is called \(name)")
    }
    // The parser joins up to five values by commas, and lists more below each other.
    if let match = cause.wholeMatch(
      of:
        #/The value '(.*)' is invalid for '(-*<?[a-z-]+>?).*'\. Please \w+ [a-z :]+\s((?s).*?)\.?/#
    ) {
      let place = match.2.hasPrefix("<") ? "" : " for \(match.2)"
      let names = match.3.split(separator: #/, | or | and |\n? *- /#)
        .map { String($0.filter { $0 != "'" }) }.filter { !$0.isEmpty }
      let allowed = names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")"
      let others = match.2 == "--dialect" ? MarkdownDialectName.otherNames : []
      return UserError(
        .usage, "invalid value\(place): '\(match.1)'",
        hint: Spelling.suggestion(for: String(match.1), among: names + others).map { Hint($0) }
          ?? "write \(allowed); \(hint)")
    }
    if let match = cause.wholeMatch(of: #/(?:Unexpected argument|\d+ unexpected arguments:) (.*)/#)
    {
      let path = words.prefix(words.commandLength).joined(separator: " ")
      return UserError(.usage, "'\(path)' does not accept \(match.1)", hint: hint)
    }
    if let match = cause.wholeMatch(of: #/Missing value for '(-[^ ]*).*'/#) {
      return UserError(.usage, "\(match.1) needs a value", hint: hint)
    }
    if let match = cause.wholeMatch(of: #/Missing expected argument '(.*)'\.?/#) {
      let argument = match.1.prefix { $0 != " " }
      let name =
        argument.hasPrefix("<")
        ? argument.filter { !"<>".contains($0) }.uppercased() : String(argument)
      return UserError(
        .usage, "\(name) is missing",
        hint: example(for: words).map { $0.followed(by: hint) } ?? hint)
    }
    return UserError(.usage, cause.hasSuffix(".") ? String(cause.dropLast()) : cause, hint: hint)
  }

  /// Returns the hint with the first example in a command's help; nil if there is none that can be
  /// quoted.
  private static func example(for words: [String]) -> Hint? {
    let command = grammar.place(after: Array(words.prefix(words.commandLength))).command
    let lines = (command.discussion ?? "").split(separator: "\n")
    // In quotation marks, a shell would not replace a tilde.
    guard let line = lines.first(where: { $0.hasPrefix("  diple ") }), !line.contains("~") else {
      return nil
    }
    let example = ShellLine(line.dropFirst(2) + " ").words.dropFirst()
      .map { $0.hasPrefix("\"") ? Hint.Word.spec($0) : .word($0) }
    return "for example \(command: example)"
  }

  /// Returns the hint that names the help of a command.
  private static func hint(for words: [String]) -> Hint {
    let path = words.prefix(words.commandLength)
    return "\(line: (path + ["-h"]).joined(separator: " ")) shows its options"
  }
}

extension ParsableCommand {
  /// The shortest of the name and the aliases.
  fileprivate static var shortName: String { names.min { $0.count < $1.count } ?? "" }

  /// The name, and after it the aliases.
  static var names: [String] {
    [configuration.commandName ?? ""] + configuration.aliases
  }
}

extension [String] {
  /// Whether the words before `--` ask for help, the version, a dump or a completion script.
  fileprivate var asksForHelp: Bool {
    let asking = ["-h", "--help", "--help-hidden", "--version", "--experimental-dump-help"]
    return prefix { $0 != "--" }.contains {
      asking.contains($0) || $0.hasPrefix("--generate-completion-script")
    }
  }

  /// The number of leading words that name a command.
  fileprivate var commandLength: Int { namedCommand.length }

  /// The command that the leading words name, and their number.
  fileprivate var namedCommand: (command: any ParsableCommand.Type, length: Int) {
    var command: any ParsableCommand.Type = Diple.self
    for (index, word) in enumerated() {
      guard let next = command.configuration.subcommands.first(where: { $0.names.contains(word) })
      else { return (command, index) }
      command = next
    }
    return (command, count)
  }

  /// The number of leading words that are global options and their values.
  fileprivate var leadingOptions: Int {
    var length = 0
    while length < count {
      switch self[length] {
      case "--json", "--no-daemon": length += 1
      case "--library" where length + 1 < count: length += 2
      case let word where word.hasPrefix("--library="): length += 1
      default: return length
      }
    }
    return length
  }

  /// The words with leading global options moved behind the command's name.
  fileprivate var optionsAfterCommand: [String] {
    let length = leadingOptions
    guard length > 0, length < count, self[length] != "--" else { return self }
    let rest = Array(dropFirst(length))
    let place = rest.commandLength
    return Array(rest[..<place] + self[..<length] + rest[place...])
  }

  /// The value of `--library`; nil without the option. Words after `--` are not options.
  fileprivate var namedLibrary: String? {
    let options = prefix { $0 != "--" }
    let name = "--library"
    if let index = options.lastIndex(of: name), index + 1 < options.endIndex {
      return options[index + 1]
    }
    return options.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Whether `--json` is set. Words after `--` are not options.
  fileprivate var asksForJSON: Bool { prefix { $0 != "--" }.contains("--json") }

  /// The words with `--json` added to the options.
  fileprivate var askingForJSON: [String] {
    if isEmpty || asksForJSON { return self }
    var words = self
    words.insert("--json", at: firstIndex(of: "--") ?? endIndex)
    return words
  }
}
