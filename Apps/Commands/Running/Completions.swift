import ArgumentParser
import Configuration
package import Console
import DaemonKit
import Editing
import LibraryExchange
import Model
import ProcessPlugins
import RichText
import Storage
import SystemSupport
import Workspace

extension CommandContext {
  /// The possible words at a position of a command line.
  package struct Completions: Sendable {
    /// A possible word.
    package struct Candidate: Hashable, Sendable {
      /// The whole word, not quoted for a shell.
      package var text: String
      /// A short description of the word. Empty if the word needs none.
      package var summary = ""
    }

    /// The possible words, sorted.
    package var candidates: [Candidate] = []
    /// Whether the word may be the path of a file. The shell or readline completes paths.
    package var takesPath = false

    package init() {}
  }

  /// Returns the possible words at a position of a command line: commands, options and values that
  /// the grammar allows. Commands that can't do anything at the moment are omitted.
  ///
  /// - Parameters:
  ///   - words: The preceding words, without `diple`.
  ///   - start: The typed beginning of the word.
  package func completions(after words: [String], start: String) async -> Completions {
    var words = words
    let isHelp = words.first == "help"
    if isHelp { words.removeFirst() }
    let place = Diple.grammar.place(after: words)
    var found = Completions()
    var candidates: [Completions.Candidate] = []
    if let choices = place.argument?.choices, !isHelp, !Self.isOption(start, at: place) {
      candidates = choices.map { .init(text: $0) }
    } else if Self.isOption(start, at: place), !isHelp {
      candidates = Self.options(at: place)
    } else if place.option == nil, place.words.isEmpty, place.command.subcommands != nil {
      candidates = commands(below: place.command, isHelp: isHelp)
      if !isHelp, Diple.documentGroups.contains(place.command.commandName),
        let name = place.command.defaultSubcommand
      {
        found.takesPath = !terminal.isInteractive
        candidates += await values(Diple.grammar.place(after: words + [name]))
      }
    } else if let argument = place.argument, !isHelp {
      // In a shell, a document can also be named by the path of its file.
      found.takesPath =
        argument.isPath || (!terminal.isInteractive && place.values == .document)
      candidates = await values(place)
    }
    let fitting = Set(candidates.filter { $0.text.hasPrefix(start) })
    found.candidates = fitting.sorted { $0.text < $1.text }
    return found
  }

  private static func isOption(_ start: String, at place: CommandGrammar.ArgumentPosition) -> Bool {
    place.option == nil && place.takesOptions && start.hasPrefix("-")
  }

  /// Returns the long options of a command. Options that are already set and can't be repeated are
  /// omitted.
  private static func options(at place: CommandGrammar.ArgumentPosition) -> [Completions.Candidate]
  {
    let group = place.command
    let command = group.defaultSubcommand.flatMap { group.subcommand($0) } ?? group
    let isRoot = group.superCommands == nil
    return command.options.flatMap { option in
      option.written.filter {
        $0.hasPrefix("--") && (isRoot || $0 != "--version")
          && (option.isRepeating || !place.given.contains($0))
      }.map { .init(text: $0, summary: option.abstract ?? "") }
    }
  }

  /// Returns the commands of a group that can be run at the moment.
  private func commands(below group: CommandGrammar.Command, isHelp: Bool)
    -> [Completions.Candidate]
  {
    var found: [Completions.Candidate] = []
    for command in group.shownSubcommands where isHelp || isPossible(command.commandName, group) {
      for name in [command.commandName] + (command.aliases ?? []) {
        found.append(.init(text: name, summary: command.abstract ?? ""))
      }
    }
    guard group.superCommands == nil else { return found }
    if isHelp {
      return found + HelpTopic.allCases.map { .init(text: $0.rawValue, summary: $0.summary) }
    }
    found.append(.init(text: "help", summary: "Show the help of a command."))
    if terminal.isInteractive {
      found += ["quit", "exit"].map { .init(text: $0, summary: "End the line editor.") }
    }
    return found
  }

  /// Returns whether a command can have an effect at the moment. Always true for a subcommand.
  private func isPossible(_ name: String, _ group: CommandGrammar.Command) -> Bool {
    guard group.superCommands == nil else { return true }
    return switch name {
    case NextCommand.configuration.commandName, PreviousCommand.configuration.commandName:
      selection.find != nil
    case ClearCommand.configuration.commandName: selection.selected != nil
    case ReplCommand.configuration.commandName: !terminal.isInteractive
    default: true
    }
  }

  // MARK: - Values

  /// Returns all values of a kind that doesn't depend on other words.
  func values(_ kind: ArgumentValues) async -> [Completions.Candidate] {
    await values(kind, CommandGrammar.ArgumentPosition(command: Diple.grammar.root))
  }

  private func values(_ place: CommandGrammar.ArgumentPosition) async -> [Completions.Candidate] {
    guard let values = place.values else { return [] }
    return await self.values(values, place)
  }

  private func values(_ values: ArgumentValues, _ place: CommandGrammar.ArgumentPosition) async
    -> [Completions.Candidate]
  {
    let plugins = libraries.plugins
    switch values {
    case .spec, .none: return []
    case .searchStrategy: return Self.strategies(plugins.search)
    case .highlightStrategy: return Self.strategies(plugins.highlighting)
    case .renderer: return Self.strategies(plugins.renderers)
    case .importer: return Self.strategies(plugins.importers)
    case .exporter:
      return Self.strategies(plugins.exporters)
        + RichForm.allCases.map { .init(text: $0.rawValue, summary: "the whole text, formatted") }
    case .card: return Self.strategies(plugins.cards)
    case .plugin:
      let entries = (try? PluginCommand.folder(self))?.entries ?? []
      return entries.map { .init(text: $0.name) }
    case .setting:
      return SettingKey.allCases.map { .init(text: $0.rawValue, summary: $0.rule.help) }
    case .settingValue:
      return ConfigCommand.values(for: place.words.last ?? "").map { .init(text: $0) }
    case .extent:
      if let words = UnitSteps.completions(after: place.words, place.command.commandName) {
        return words.map { .init(text: $0) }
      }
    case .format:
      if place.words.last == "font", [["font"], ["default", "set", "font"]].contains(place.words) {
        let fonts = try? await InstalledFonts(terminal.environment)
        return ((fonts?.families ?? []) + ["none"]).map { .init(text: $0) }
      }
      if let words = FormatCommand.completions(after: place.words) {
        return words.map { .init(text: $0) }
      }
    default: break
    }
    guard let library = try? libraries.library(named: nil, .inspect) else { return [] }
    let found = (try? await stored(values, library)) ?? []
    guard values == .extent, place.words.isEmpty, place.command.commandName == "adjust" else {
      return found
    }
    return found + ["start", "end"].map { .init(text: $0) }
  }

  private func stored(_ values: ArgumentValues, _ library: Library) async throws
    -> [Completions.Candidate]
  {
    switch values {
    case .color:
      let labels = try await library.labels()
      return HighlightColor.allCases.map { .init(text: $0.rawValue, summary: labels[$0] ?? "") }
    case .tag: return try await library.tags().map { .init(text: $0.name) }
    case .style:
      return try await library.styles().styles.map {
        .init(text: $0.id.name, summary: $0.title)
      }
    case .query: return try await library.savedQueries().keys.map { .init(text: $0) }
    case .highlight: return Self.highlights(try await library.highlights(.init()))
    case .trashedHighlight:
      return Self.highlights(try await library.highlights(.init(trash: .only)))
    case .removedDocument: return documents(try await library.trash().documents)
    case .trashed:
      let trash = try await library.trash()
      return documents(trash.documents) + Self.highlights(trash.highlights.map(\.0))
    case .documentOrHighlight:
      return documents(try await library.documents())
        + Self.highlights(try await library.highlights(.init()))
    default: return documents(try await library.documents())
    }
  }

  private static func strategies(_ registry: Registry<some Sendable>) -> [Completions.Candidate] {
    registry.entries.map { .init(text: $0.id, summary: $0.summary) }
  }

  private static func highlights(_ highlights: [Highlight]) -> [Completions.Candidate] {
    highlights.map { .init(text: $0.shortID, summary: $0.selector.exact.shortened) }
  }

  /// Returns the paths of documents as the user types them in the current folder, and the titles.
  private func documents(_ documents: [Document]) -> [Completions.Candidate] {
    let paths = paths
    return documents.flatMap { document -> [Completions.Candidate] in
      [
        .init(text: paths.name(document.path), summary: document.title.shortened),
        .init(text: document.title),
      ]
    }
  }
}
