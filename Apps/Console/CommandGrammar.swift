import FoundationEssentials

/// The commands with their options and arguments, as `ArgumentParser` tells them in its dump: what
/// the division of a line, completion, the manual and the README's table read.
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
    /// The names of the commands above it.
    package var superCommands: [String]?
  }

  /// An option, flag or positional argument.
  package struct Argument: Decodable, Sendable {
    /// How it is written.
    package enum Kind: String, Decodable, Sendable { case positional, option, flag }
    /// A name of an option.
    package struct Name: Decodable, Sendable {
      var kind: String
      var name: String
      /// With its dashes.
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

    /// Its names with their dashes.
    package var written: [String] { (names ?? []).map(\.written) }

    /// The values when only these are allowed.
    package var choices: [String]? { allValues ?? completionKind?.list?.values }

    /// What the words stand for, as declared with `CompletionKind.values`.
    package var values: [ArgumentValues] {
      guard let words = completionKind?.shellCommand?.command.split(separator: " "),
        words.count > 2, words[1] == ArgumentValues.command
      else { return [] }
      return words.dropFirst(2).compactMap { ArgumentValues(rawValue: String($0)) }
    }

    /// Whether a word is the name of a file or folder.
    package var isPath: Bool { completionKind?.file != nil || completionKind?.directory != nil }

    /// What the word at an index of this argument stands for, from 0.
    package func values(at index: Int) -> ArgumentValues? {
      values.isEmpty ? nil : values[min(index, values.count - 1)]
    }
  }

  /// Where a word would stand that comes after some others.
  package struct ArgumentPosition: Sendable {
    /// The command so far; the root when none is named yet.
    package var command: Command
    /// The option whose value it is.
    package var option: Argument?
    /// Whether a word that begins with `-` may be an option here.
    package var takesOptions = true
    /// The positional argument that it belongs to.
    package var positional: Argument?
    /// Which word of that argument it is, from 0.
    package var index = 0
    /// The positional words before it.
    package var words: [String] = []
    /// The names of the options that were given.
    package var given: Swift.Set<String> = []

    /// What it stands for.
    package var values: ArgumentValues? {
      option.map { $0.values(at: 0) } ?? positional?.values(at: index)
    }
    /// The place of the first word after a command's name.
    package init(command: Command) { self.command = command }

    /// Whether a quotation mark at its start belongs to it. DOC may be left out before a SPEC, so that
    /// each word of such an argument may be one.
    package var keepsQuotes: Bool { argument?.values.contains { $0.keepsQuotes } == true }
    /// The argument that it is a value of.
    package var argument: Argument? { option ?? positional }
  }

  /// The tool itself.
  package let root: Command

  private struct Dump: Decodable { var command: Command }

  /// Reads a dump. Traps at text that is none: the parser in the same program writes it.
  package init(dump: String) {
    do { root = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command } catch {
      preconditionFailure("the commands cannot be read: \(error)")
    }
  }

  /// Where a word stands that comes after `words`. Linear in the number of words.
  package func place(after words: [String]) -> ArgumentPosition {
    var place = ArgumentPosition(command: root)
    for word in words {
      if place.option != nil {
        place.option = nil
      } else if place.takesOptions, word == "--" {
        place.takesOptions = false
      } else if place.takesOptions, word.hasPrefix("-"), word.count > 1,
        let option = place.command.option(named: word) ?? root.anyOption(named: word)
      {
        place.given.formUnion(option.written)
        if option.kind == .option, !word.contains("=") { place.option = option }
      } else if place.words.isEmpty, let command = place.command.subcommand(word) {
        place.command = command
      } else {
        place.words.append(word)
      }
    }
    if place.command.subcommands != nil, !place.words.isEmpty || place.option != nil,
      let name = place.command.defaultSubcommand, let command = place.command.subcommand(name)
    {
      place.command = command
    }
    place.settlePositional()
    return place
  }
}

extension CommandGrammar.ArgumentPosition {
  /// Finds the positional argument of the next word: each takes one, a repeating one all others.
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
  /// The commands of a group that a person is told of; those of the tool itself without `help`.
  package var shownSubcommands: [CommandGrammar.Command] {
    (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
  }

  /// The command of a name or alias below it.
  package func subcommand(_ name: String) -> CommandGrammar.Command? {
    subcommands?.first { $0.commandName == name || $0.aliases?.contains(name) == true }
  }

  /// The names and aliases of the commands below it.
  package var names: [String] {
    shownSubcommands.flatMap { [$0.commandName] + ($0.aliases ?? []) }
  }

  /// The options that can be written, without the positional arguments.
  package var options: [CommandGrammar.Argument] {
    (arguments ?? []).filter { $0.kind != .positional && $0.shouldDisplay != false }
  }

  /// The option that a word is; one of `--name=value` too.
  fileprivate func option(named word: String) -> CommandGrammar.Argument? {
    let name = word.prefix { $0 != "=" }
    return arguments?.first { $0.kind != .positional && $0.written.contains(String(name)) }
  }

  /// An option of any command below it: one that stands before the command's name.
  fileprivate func anyOption(named word: String) -> CommandGrammar.Argument? {
    for command in subcommands ?? [] {
      if let found = command.option(named: word) { return found }
    }
    return nil
  }
}
