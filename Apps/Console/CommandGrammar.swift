import FoundationEssentials

/// The commands with their options and arguments, decoded from the dump of `ArgumentParser`. The
/// tokenizer, completion, the manual and the table in the README use it.
///
/// ```swift
/// let grammar = CommandGrammar(dump: dump)
/// let position = grammar.place(after: ["list", "--color"])
/// print(position.option?.written ?? [])
/// ```
package struct CommandGrammar: Sendable {
  /// A command or a group of commands.
  package struct Command: Decodable, Sendable {
    package var commandName: String
    package var aliases: [String]?
    package var shouldDisplay: Bool?
    package var abstract: String?
    package var discussion: String?
    package var defaultSubcommand: String?
    package var subcommands: [Command]?
    package var arguments: [Argument]?
    /// The names of the parent commands, beginning with the tool.
    package var superCommands: [String]?
  }

  package struct Argument: Decodable, Sendable {
    /// The form of the argument on a command line.
    package enum Kind: String, Decodable, Sendable { case positional, option, flag }
    /// A name of an option or flag.
    package struct Name: Decodable, Sendable {
      var kind: String
      var name: String
      /// The name with its dashes.
      package var written: String { (kind == "long" ? "--" : "-") + name }
    }
    private struct Completion: Decodable, Sendable {
      struct Values: Decodable { var values: [String] }
      struct Command: Decodable { var command: String }
      struct Files: Decodable { var extensions: [String] }
      struct Nothing: Decodable {}
      var list: Values?
      var shellCommand: Command?
      var file: Files?
      var directory: Nothing?
    }

    package var kind: Kind
    package var shouldDisplay: Bool?
    package var isOptional: Bool
    package var isRepeating: Bool
    package var names: [Name]?
    package var valueName: String?
    package var defaultValue: String?
    package var abstract: String?
    private var allValues: [String]?
    private var completionKind: Completion?

    /// All names with their dashes. Empty for a positional argument.
    package var written: [String] { (names ?? []).map(\.written) }

    /// The allowed values, or nil if other values are possible.
    package var choices: [String]? { allValues ?? completionKind?.list?.values }

    /// The kinds of the argument's words, as declared with `CompletionKind.values`. Empty if none
    /// are declared.
    package var values: [ArgumentValues] {
      guard let words = completionKind?.shellCommand?.command.split(separator: " "),
        words.count > 2, words[1] == ArgumentValues.command
      else { return [] }
      return words.dropFirst(2).compactMap { ArgumentValues(rawValue: String($0)) }
    }

    /// Whether the argument is the path of a file or folder.
    package var isPath: Bool { completionKind?.file != nil || completionKind?.directory != nil }

    /// Returns the kind of the word at an index of this argument, counted from 0. Returns nil if no
    /// kind is declared.
    package func values(at index: Int) -> ArgumentValues? {
      values.isEmpty ? nil : values[min(index, values.count - 1)]
    }
  }

  /// The position of the next word on a command line.
  package struct ArgumentPosition: Sendable {
    /// The last named command, or the tool itself if no command is named yet.
    package var command: Command
    /// The option that the next word is a value of. Nil if the next word isn't the value of an
    /// option.
    package var option: Argument?
    /// Whether options are still allowed. False after `--`.
    package var takesOptions = true
    /// The positional argument that the next word belongs to. Nil if there is none left.
    package var positional: Argument?
    /// The index of the next word in its positional argument, counted from 0.
    package var index = 0
    /// The preceding positional words.
    package var words: [String] = []
    /// The names of the preceding options, with dashes.
    package var given: Swift.Set<String> = []

    /// The kind of the next word, or nil if no kind is declared.
    package var values: ArgumentValues? {
      option.map { $0.values(at: 0) } ?? positional?.values(at: index)
    }
    /// Creates the position of the first word after a command's name.
    package init(command: Command) { self.command = command }

    /// Whether a quotation mark at the start of the next word is part of the word. This is true if
    /// any word of the argument may be a SPEC, because the optional DOC before it may be missing.
    package var keepsQuotes: Bool { argument?.values.contains { $0.keepsQuotes } == true }
    /// The option or positional argument that the next word belongs to.
    package var argument: Argument? { option ?? positional }
  }

  /// The tool itself, which contains all commands.
  package let root: Command

  private struct Dump: Decodable { var command: Command }

  /// Decodes a dump. Traps if the dump is invalid, because the parser of the same program wrote it.
  package init(dump: String) {
    do { root = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command } catch {
      preconditionFailure("the commands cannot be read: \(error)")
    }
  }

  /// Returns the position of the word after `words`. O(number of words).
  package func place(after words: [String]) -> ArgumentPosition {
    var place = ArgumentPosition(command: root)
    for word in words { advance(&place, past: word) }
    if place.command.subcommands != nil, !place.words.isEmpty || place.option != nil,
      let name = place.command.defaultSubcommand, let command = place.command.subcommand(name)
    {
      place.command = command
    }
    place.settlePositional()
    return place
  }

  private func advance(_ place: inout ArgumentPosition, past word: String) {
    if place.option != nil {
      place.option = nil
    } else if place.takesOptions, word == "--" {
      place.takesOptions = false
    } else if place.takesOptions, word.hasPrefix("-"), word.count > 1,
      let option = option(named: word, at: place)
    {
      place.given.formUnion(option.written)
      if option.kind == .option, !word.contains("=") { place.option = option }
    } else if place.words.isEmpty, let command = place.command.subcommand(word) {
      place.command = command
    } else {
      place.words.append(word)
    }
  }

  private func option(named word: String, at place: ArgumentPosition) -> Argument? {
    place.command.option(named: word) ?? root.anyOption(named: word)
  }

  /// Returns the first of some options that has two different values in a command line although it
  /// accepts only one, with the values; nil if there is none. O(number of words).
  package func conflict(of names: [String], in words: [String]) -> (name: String, values: [String])?
  {
    var place = ArgumentPosition(command: root)
    var given: [String: String] = [:]
    for word in words {
      var pair = place.option.map { (option: $0, value: word) }
      if pair == nil, place.takesOptions, word.hasPrefix("-"), let sign = word.firstIndex(of: "="),
        let option = option(named: word, at: place), option.kind == .option
      {
        pair = (option, String(word[word.index(after: sign)...]))
      }
      advance(&place, past: word)
      guard let (option, value) = pair, !option.isRepeating,
        let name = names.first(where: option.written.contains)
      else { continue }
      if let other = given.updateValue(value, forKey: name), other != value {
        return (name, [other, value])
      }
    }
    return nil
  }
}

extension CommandGrammar.ArgumentPosition {
  /// Finds the positional argument of the next word. Each argument takes one word, and a repeating
  /// argument takes all remaining words.
  fileprivate mutating func settlePositional() {
    let positionals = (command.arguments ?? []).filter { $0.kind == .positional }
    for (index, argument) in positionals.enumerated() {
      if argument.isRepeating || index == words.count {
        (positional, self.index) = (argument, words.count - index)
        return
      }
    }
  }
}

extension CommandGrammar.Command {
  /// The subcommands that are shown in lists. Hidden commands and `help` are omitted.
  package var shownSubcommands: [CommandGrammar.Command] {
    (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
  }

  /// Returns the subcommand with a name or alias.
  package func subcommand(_ name: String) -> CommandGrammar.Command? {
    subcommands?.first { $0.commandName == name || $0.aliases?.contains(name) == true }
  }

  /// The names and aliases of the shown subcommands.
  package var names: [String] {
    shownSubcommands.flatMap { [$0.commandName] + ($0.aliases ?? []) }
  }

  /// The options and flags without hidden ones and without positional arguments.
  package var options: [CommandGrammar.Argument] {
    (arguments ?? []).filter { $0.kind != .positional && $0.shouldDisplay != false }
  }

  /// Returns the option or flag with this name. A value after `=` is ignored.
  fileprivate func option(named word: String) -> CommandGrammar.Argument? {
    let name = word.prefix { $0 != "=" }
    return arguments?.first { $0.kind != .positional && $0.written.contains(String(name)) }
  }

  /// Returns the option or flag of any direct subcommand. It may precede the name of the
  /// subcommand.
  fileprivate func anyOption(named word: String) -> CommandGrammar.Argument? {
    for command in subcommands ?? [] {
      if let found = command.option(named: word) { return found }
    }
    return nil
  }
}
