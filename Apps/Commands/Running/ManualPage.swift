import ArgumentParser
import Console

/// The manual page `diple(1)`, in the macros of man(7).
struct ManualPage {
  private let grammar: CommandGrammar

  init(_ grammar: CommandGrammar) { self.grammar = grammar }

  /// The text of the page in roff.
  var text: String {
    let root = grammar.root
    var lines = [
      ".TH DIPLE 1 \"\" \"Diple \(Diple.configuration.version)\" \"User Commands\"",
      ".SH NAME", "diple \\- \(Self.escaped(Self.phrase(root.abstract)))",
      ".SH SYNOPSIS", ".B diple", ".I COMMAND", "[\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR ...]",
      ".SH DESCRIPTION",
    ]
    lines += Self.discussion(root.discussion)
    lines.append(".SH COMMANDS")
    for command in root.shownSubcommands { lines += section(command, "diple") }
    lines += [
      ".SH ENVIRONMENT", ".TP", ".B DIPLE_LIBRARY", "Folder of the library.",
      ".TP", ".B DIPLE_\\fINAME\\fR", "Value of a setting: DIPLE_READER_WIDTH for reader.width.",
      ".TP", ".B NO_COLOR", "When it is not empty, no colours are used.",
      ".SH FILES", ".TP", ".I .diple", "The library of a folder and the folders below it.",
      ".TP", ".I ~/.config/diple/config.toml", "Your settings.",
    ]
    return lines.joined(separator: "\n")
  }

  /// Returns the section of a command and of its subcommands.
  private func section(_ command: CommandGrammar.Command, _ before: String) -> [String] {
    let name = "\(before) \(command.commandName)"
    if let below = command.subcommands, !below.isEmpty {
      return [".SS \(Self.escaped(name))", Self.escaped(command.abstract ?? "")]
        + Self.discussion(command.discussion) + below.flatMap { section($0, name) }
    }
    var lines = [".SS \(Self.escaped(name))", Self.escaped(command.abstract ?? "")]
    lines += [".PP", ".B \(Self.escaped(name))"]
    let arguments = (command.arguments ?? []).filter { $0.shouldDisplay != false }
    if arguments.contains(where: { $0.kind != .positional }) {
      lines.append("[\\fIOPTION\\fR ...]")
    }
    for argument in arguments where argument.kind == .positional {
      lines.append(Self.usage(argument))
    }
    lines += Self.discussion(command.discussion)
    // Every command has `--version` and `--help`. Only `--help` is listed.
    for argument in arguments where !argument.written.contains("--version") {
      lines += Self.entry(argument)
    }
    return lines
  }

  private static func usage(_ argument: CommandGrammar.Argument) -> String {
    let name = "\\fI\(escaped((argument.valueName ?? "word").uppercased()))\\fR"
    let all = argument.isRepeating ? "\(name) ..." : name
    return argument.isOptional ? "[\(all)]" : all
  }

  private static func entry(_ argument: CommandGrammar.Argument) -> [String] {
    var name = argument.written.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
    let value = "\\fI\(escaped((argument.valueName ?? "").uppercased()))\\fR"
    if argument.kind == .option { name += " \(value)" }
    if argument.kind == .positional { name = value }
    var help = argument.abstract ?? ""
    if let choices = argument.choices, !choices.isEmpty {
      help += " One of \(choices.joined(separator: ", "))."
    }
    if let value = argument.defaultValue, argument.kind == .option {
      help += " Default: \(value)."
    }
    return [".TP", name, escaped(help)]
  }

  /// Returns the paragraphs of a discussion. Indented lines are printed without filling.
  private static func discussion(_ text: String?) -> [String] {
    var lines: [String] = []
    var isExample = false
    for line in (text ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
      if isExample, !line.hasPrefix("  ") {
        lines += [".fi", ".RE"]
        isExample = false
      }
      if line.hasPrefix("  ") {
        if !isExample { lines += [".RS", ".nf"] }
        isExample = true
        lines.append(escaped(String(line.drop { $0 == " " })))
      } else if !line.isEmpty {
        lines += [".PP", escaped(String(line))]
      }
    }
    return lines + (isExample ? [".fi", ".RE"] : [])
  }

  /// Returns an abstract in the style of `whatis`: without an initial capital and a full stop.
  private static func phrase(_ abstract: String?) -> String {
    var text = abstract ?? ""
    if text.hasSuffix(".") { text.removeLast() }
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Escapes the control characters of roff.
  private static func escaped(_ text: String) -> String {
    let safe = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("'", with: "\\(aq").replacing("^", with: "\\(ha").replacing("~", with: "\\(ti")
      .replacing("`", with: "\\(ga")
    return safe.hasPrefix(".") ? "\\&" + safe : safe
  }
}

/// The table of commands in the README, in Markdown.
struct CommandTable {
  private let grammar: CommandGrammar

  init(_ grammar: CommandGrammar) { self.grammar = grammar }

  /// The table, with one row for each command.
  var text: String {
    let rows = grammar.root.shownSubcommands.map { command in
      let below = (command.subcommands ?? []).map(\.commandName).joined(separator: "\\|")
      let name = command.commandName + (below.isEmpty ? "" : " " + below)
      return "| `diple \(name)` | \((command.abstract ?? "").replacing("|", with: "\\|")) |"
    }
    return (["| Command | |", "|---|---|"] + rows).joined(separator: "\n")
  }
}
