import ArgumentParser
import Commands
import Console
import Foundation
import Testing

@Suite struct GrammarTests {
  @Test(arguments: [
    ["mark"], ["select"], ["extend"], ["adjust"], ["copy"], ["menu"], ["share"],
    ["format", "bold"], ["format", "link", "https://diple.example"],
    ["hl", "reattach", "4"], ["highlight", "reattach", "4"], ["anchor", "reattach", "4"],
    ["find", "--in"], ["replace", "--in"], ["mark", "--dry-run"], ["share", "-o", "card.svg"],
  ])
  func `every command that accepts a SPEC keeps its quotation marks`(before: [String]) throws {
    let line = (before + ["\"a b\"#2"]).joined(separator: " ")
    #expect(try Diple.words(in: line) == before + ["\"a b\"#2"])
  }

  @Test(arguments: [
    "show", "find", "search", "doc rename essay.md", "hl note 4", "mark --note", "hl tag 4",
    "replace", "list",
  ])
  func `quotation marks of other arguments are removed`(before: String) throws {
    #expect(try Diple.words(in: "\(before) \"a b\"").last == "a b")
  }
}

@Suite struct HelpTests {
  private struct Leaf: CustomStringConvertible {
    var path: [String]
    var command: CommandGrammar.Command
    var description: String { path.joined(separator: " ") }
  }

  private static let all: [Leaf] = leaves(Diple.grammar.root, [])

  private static func leaves(_ command: CommandGrammar.Command, _ path: [String]) -> [Leaf] {
    command.shownSubcommands.flatMap { below -> [Leaf] in
      let path = path + [below.commandName]
      return [Leaf(path: path, command: below)] + leaves(below, path)
    }
  }

  @Test func `the help of each command has one or two valid examples`() throws {
    #expect(Self.all.count > 60)
    for leaf in Self.all {
      let lines = (leaf.command.discussion ?? "").split(separator: "\n")
        .drop { !$0.hasPrefix("Example") }.dropFirst()
      #expect((1...2).contains(lines.count), "\(leaf) has \(lines.count) examples")
      for line in lines where line.hasPrefix("  diple") && !line.contains(" | ") {
        let words = Array(ShellLine(line.dropFirst(2) + " ").words.dropFirst())
        let named = words.map { $0 == "hl" ? "highlight" : $0 }
        // `highlight reattach` and `anchor reattach` are the same command.
        #expect(
          named.starts(with: leaf.path) || named.contains(leaf.path[leaf.path.count - 1]), "\(line)"
        )
        #expect(throws: Never.self, "\(line)") {
          _ = try Diple.parseAsRoot(Diple.withTagOptions(words))
        }
        // The parser does not check names of strategies: the help lists the available ones.
        for option in leaf.command.options where option.abstract?.contains("or a plugin") == true {
          guard let place = words.firstIndex(where: option.written.contains) else { continue }
          #expect(option.abstract?.contains(words[place + 1]) == true, "\(line)")
        }
      }
    }
  }

  /// Returns the command that a parser finds in words, with its values, or the error message.
  private func outcome(_ words: [String], _ parse: ([String]) throws -> any ParsableCommand)
    -> String
  {
    do {
      let command = try parse(words)
      return "\(type(of: command)) \(command)"
    } catch {
      return "\(Diple.exitCode(for: error)) \(Diple.fullMessage(for: error))"
    }
  }

  @Test func `the plain parser returns the same as the full parser`() {
    var lines: [[String]] = Self.all.flatMap { leaf in
      (leaf.command.discussion ?? "").split(separator: "\n").filter { $0.hasPrefix("  diple") }
        .map { Array(ShellLine($0.dropFirst(2) + " ").words.dropFirst()) }
    }
    lines += Self.all.flatMap { [$0.path, $0.path + ["--nope"], $0.path + ["one", "two", "-x"]] }
    lines += [
      ["--version"], ["list", "--version"], ["--nope"], ["-x"], ["list", "--color"], ["help"],
      ["list", "-h"], ["list", "--help"], ["doc", "--help-hidden"], ["list", "--", "-h"],
      ["--generate-completion-script", "zsh"], ["list", "--generate-completion-script"],
      ["search", "--in", "nowhere", "x"], ["mark", "a.md", "w", "--note", "-hello"],
      ["mark", "a.md", "w", "--note=--help"], ["hl", "note", "4", "--", "--help"],
    ]
    #expect(lines.count > 200)
    for words in lines {
      #expect(
        outcome(words, Diple.parsePlain)
          == outcome(words) { try Diple.parseAsRoot(Diple.withTagOptions($0)) }, "\(words)"
      )
    }
  }

  @Test func `the help contains no unclear phrases`() {
    let odd = [
      "REPL", "left out", "the ways", "shall be", "takes it away", "made anew", "so many",
      "is said", "found out", "when none is named", "its words", "The form", "may be given",
    ]
    for leaf in Self.all {
      let arguments = (leaf.command.arguments ?? []).compactMap(\.abstract)
      for text in [leaf.command.abstract ?? "", leaf.command.discussion ?? ""] + arguments {
        for word in odd { #expect(!text.contains(word), "\(leaf): \(text)") }
      }
      #expect(leaf.command.abstract?.hasSuffix(".") == true, "\(leaf)")
      for argument in leaf.command.arguments ?? [] {
        #expect(argument.abstract?.isEmpty == false, "\(leaf) \(argument.written)")
      }
    }
  }

  @Test func `an option with a closed list of values lists them`() throws {
    let leaf = try #require(Self.all.first { $0.path == ["list"] })
    let sort = try #require(leaf.command.arguments?.first { $0.written == ["--sort"] })
    #expect(sort.choices == ["place", "created", "updated", "color"])
    #expect(
      Diple.helpMessage(for: try #require(Diple.subcommand(["list"]))).contains("(values: place,"))
  }
}

extension Diple {
  fileprivate static func subcommand(_ path: [String]) -> (any ParsableCommand.Type)? {
    var command: any ParsableCommand.Type = Diple.self
    for name in path {
      guard
        let next = command.configuration.subcommands.first(where: {
          $0.configuration.commandName == name
        })
      else { return nil }
      command = next
    }
    return command
  }
}

@Suite struct ShellLineTests {
  @Test(arguments: [
    ("diple mark es", ["diple", "mark"], "es", nil), ("diple mark ", ["diple", "mark"], "", nil),
    ("diple show 'On si", ["diple", "show"], "On si", "'" as Character?),
    ("diple show On\\ si", ["diple", "show"], "On si", nil),
    ("diple show \"a\\\"b' c", ["diple", "show"], "a\"b' c", "\""), ("", [], "", nil),
    ("diple hl note 4 '' x", ["diple", "hl", "note", "4", ""], "x", nil),
  ])
  func `a line that ends within a word is divided for completion`(
    line: String, words: [String], start: String, quote: Character?
  ) {
    let divided = ShellLine(line)
    #expect(divided.words == words && divided.start == start && divided.quote == quote)
  }
}
