import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

/// The option that chooses highlights by a filter.
struct FilterChoice: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Filter such as 'color:green -#old doc:essay', instead of ids.", valueName: "filter"))
  var filter: String?
}

extension HighlightCommand {
  /// The `highlight edit` command. All changes are a single step for `undo`.
  struct Edit: ChangeCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit",
      abstract: "Change the colour, note and tags of highlights in one step.",
      discussion: """
        Examples:
          diple hl edit 4 --color pink --tag todo --note "look this up"
          diple hl edit --filter '#draft doc:essay' --color blue --untag draft
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var choice: FilterChoice
    @Option(name: .shortAndLong, help: "New colour, or its label.") var color: ColorName?
    @Option(parsing: .unconditional, help: "New note; an empty one removes it.") var note: String?
    @Option(
      parsing: .unconditionalSingleValue, help: "Tag to add; can be repeated.",
      completion: .values(.tag))
    var tag: [String] = []
    @Option(
      parsing: .unconditionalSingleValue, help: "Tag to remove; can be repeated.",
      completion: .values(.tag))
    var untag: [String] = []
    @Argument(help: "Ids of highlights, such as 4.", completion: .values(.highlight))
    var ids: [String] = []

    func validate() throws {
      if color == nil, note == nil, tag.isEmpty, untag.isEmpty {
        throw ValidationError("name a change: --color, --note, --tag or --untag")
      }
    }

    func request(in context: CommandContext) async throws -> ChangeHighlights {
      var request = try await chosen(ids, in: context)
      let library = try context.libraries.library(options, .existing)
      request.color = try await context.color(color, in: library)
      (request.note, request.addTags, request.removeTags) = (note, tag, untag)
      return request
    }
  }

  /// The `highlight color` command. It accepts a colour or its label in the library.
  struct Color: ChangeCommand {
    static let configuration = CommandConfiguration(
      commandName: "color",
      abstract: "Change the colour of highlights.",
      discussion: """
        Examples:
          diple hl color 4 8 green
          diple hl color --filter '#question' blue
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var choice: FilterChoice
    @Argument(
      help: ArgumentHelp(
        "Ids of highlights, such as 4, and the colour, or its label.", valueName: "id"),
      completion: .values(.highlight, .color))
    var words: [String] = []

    func request(in context: CommandContext) async throws -> ChangeHighlights {
      guard let color = words.last else { throw Self.missingColor(["4"]) }
      if choice.filter == nil, isID(color) { try await checkLabel(color, in: context) }
      var request = try await chosen(words.dropLast(), in: context)
      let library = try context.libraries.library(options, .existing)
      request.color = try await context.color(ColorName(argument: color), in: library)
      return request

      func isID(_ word: String) -> Bool {
        context.highlightID([word]) != nil || HighlightNumbers(word) != nil
      }

      /// Checks that the last word, which is the number of a highlight, is also a label.
      func checkLabel(_ word: String, in context: CommandContext) async throws {
        let library = try? context.libraries.library(options, .readOnlyOrEmpty)
        if words.count > 1, (try? await library?.colors(named: word)) != nil { return }
        let ids = words.filter(isID).flatMap { HighlightNumbers($0)?.words ?? [$0] }
        let others = words.filter { !isID($0) }
        guard others.count == 1 else { throw Self.missingColor(ids) }
        throw UserError(.usage, "the colour comes last", hint: Self.line(ids, others[0]))
      }
    }

    private static func missingColor(_ ids: [String]) -> UserError {
      UserError(.usage, "COLOR is missing", hint: "for example \(line(ids, "green"))")
    }

    /// The command that gives highlights a colour.
    private static func line(_ ids: [String], _ color: String) -> Hint {
      "\(command: ["hl", "color"] + (ids + [color]).map { .word($0) })"
    }
  }

  /// The `highlight note` command. It is also available as `note`. `-` reads the note from standard
  /// input.
  struct Note: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "note",
      abstract: "Set the note of a highlight.",
      discussion: """
        Examples:
          diple hl note 4 "look this up"
          diple hl note 4 ''
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String
    @Argument(
      help: ArgumentHelp(
        "Note, or '-' for the standard input; an empty one removes it. Several words are one note.",
        valueName: "note"))
    var words: [String]

    var isDryRun: Bool { writing.dryRun }

    func request(in context: CommandContext) async throws -> ChangeHighlight {
      let library = try context.libraries.library(options, .existing)
      return ChangeHighlight(
        highlight: try await library.highlight(id).id,
        note: words == ["-"] ? try Self.input(of: context) : words.joined(separator: " "))
    }

    /// Reads standard input and removes the final line break.
    private static func input(of context: CommandContext) throws -> String {
      let text = String(decoding: try context.terminal.readInput(), as: UTF8.self)
      return text.last?.isNewline == true ? String(text.dropLast()) : text
    }

    func preview(_ request: ChangeHighlight, in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let highlight = try await library.highlight(id: request.highlight)
      let document = try await library.document(id: highlight.document)
      context.show(highlight, in: document, after: "\(writing.verb(.change)): ", options)
    }

    func write(_ outcome: HighlightOutcome, to context: CommandContext) {
      context.show(outcome.highlight, in: outcome.document, options)
      if outcome.hasReplacedVersions {
        context.show("the new note replaces all versions that several devices had written")
      }
    }
  }

  /// The `highlight tag` command. Signed words are tags to add or remove. Without signs, the first
  /// word is an id, and the others are tags.
  struct Tag: ChangeCommand {
    static let configuration = CommandConfiguration(
      commandName: "tag",
      abstract: "Add tags to highlights, or remove them.",
      discussion: """
        +TAG adds a tag, -TAG removes one. With a single id, the + may be omitted.

        Examples:
          diple hl tag 4 8 +todo -later
          diple hl tag --filter 'color:green -#old doc:essay' +todo
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var choice: FilterChoice
    @Flag(help: "Remove the tags instead of adding them.") var remove = false
    @Option(
      parsing: .unconditionalSingleValue, help: "Tag to remove, as -TAG; can be repeated.",
      completion: .values(.tag))
    var untag: [String] = []
    @Argument(
      help: ArgumentHelp("Ids of highlights, such as 4, and tags.", valueName: "id"),
      completion: .values(.highlight, .tag))
    var words: [String] = []

    func request(in context: CommandContext) async throws -> ChangeHighlights {
      let (ids, tags) = divided(context)
      guard !tags.isEmpty || !untag.isEmpty else {
        let isTag = ids.count == 1 && context.highlightID(ids) == nil
        let line = isTag ? ["4", "+" + ids[0]] : (ids.isEmpty ? ["4"] : ids) + ["+todo"]
        throw UserError(
          .usage, "\(isTag ? "ID" : "TAG") is missing",
          hint: "for example \(command: ["hl", "tag"] + line.map { .word($0) })")
      }
      var request = try await chosen(ids, in: context)
      // In `hl tag 3 5 todo`, 5 would become a tag.
      if choice.filter == nil, untag.isEmpty, tags == Array(words.dropFirst(ids.count)),
        let word = tags.dropLast().first(where: { Int($0) != nil }),
        (try? await context.libraries.library(options, .existing).highlight(word)) != nil
      {
        let others = tags.dropLast().filter { Int($0) != nil }
        let new = tags.filter { !others.contains($0) }.map { "+\($0)" }
        let line = ["hl", "tag"] + (ids + others + new).map { Hint.Word.word($0) }
        throw UserError(
          .usage, "'\(word)' is a highlight; to tag several, write a sign before the tags",
          hint: "\(command: line)")
      }
      request.addTags = remove ? [] : tags
      request.removeTags = untag + (remove ? tags : [])
      return request
    }

    /// Divides the words into ids and tags.
    private func divided(_ context: CommandContext) -> (ids: [String], tags: [String]) {
      func isSigned(_ word: String) -> Bool { word.hasPrefix("+") || word.hasPrefix("#") }
      let count: Int
      if choice.filter != nil {
        // Ids before the tags are then reported as unexpected.
        count = words.prefix { context.highlightID([$0]) != nil }.count
      } else if untag.isEmpty, !words.contains(where: isSigned) {
        count = min(1, words.count)
      } else {
        count = words.prefix { context.highlightID([$0]) != nil }.count
      }
      let tags = words.dropFirst(count).map { $0.hasPrefix("+") ? String($0.dropFirst()) : $0 }
      return (Array(words.prefix(count)), tags)
    }

    /// Returns the words of a command line with `-old` as `--untag=old`, because the parser would
    /// read it as options.
    static func withOptions(_ words: [String]) -> [String] {
      var words = words
      var index = 0
      while index < words.count, words[index] != "--" {
        if words[index] == "--filter" || words[index] == "--library" || words[index] == "--untag" {
          index += 2
          continue
        }
        let word = words[index]
        if word.hasPrefix("-"), !word.hasPrefix("--"), !["-", "-n", "-h"].contains(word) {
          words[index] = "--untag=" + word.dropFirst()
        }
        index += 1
      }
      return words
    }
  }
}

/// A command that changes highlights, which are named by ids or chosen by a filter.
protocol ChangeCommand: ActionCommand where Request == ChangeHighlights {
  var writing: WriteOptions { get }
  var choice: FilterChoice { get }
}

extension ChangeCommand {
  /// Returns the request for the highlights with the ids, or those that the filter matches. Its
  /// changes are not set.
  ///
  /// - Throws: ``UserError`` with the code `usage` unless there are either ids or a filter;
  ///   `notFound` or `ambiguous` if an id does not name a highlight.
  fileprivate func chosen(_ ids: [String], in context: CommandContext) async throws
    -> ChangeHighlights
  {
    try choice.check(ids)
    var request = ChangeHighlights(filter: choice.filter, dryRun: writing.dryRun)
    guard choice.filter == nil else { return request }
    let library = try context.libraries.library(options, .existing)
    var found: [Highlight.ID] = []
    for id in ids { found.append(try await library.highlight(id).id) }
    request.highlights = found
    return request
  }

  func write(_ outcome: ChangeHighlights.Outcome, to context: CommandContext) {
    let writer = context.listWriter(options)
    let changed = outcome.changed.highlights
    if choice.filter == nil || writing.dryRun {
      let start = writing.dryRun ? "\(writing.verb(.change)): " : ""
      for (highlight, document) in changed { writer.write(highlight, document, after: start) }
    }
    guard choice.filter != nil else { return }
    let rest =
      outcome.unchanged == 0 ? "" : "; \(outcome.unchanged.counted("highlight")) unchanged"
    let line = "\(writing.verb(.change)) \(changed.count.counted("highlight"))\(rest)"
    context.terminal.output.line(line)
  }
}

extension FilterChoice {
  /// Checks that there are either ids or a filter.
  ///
  /// - Throws: ``UserError`` with the code `usage` otherwise.
  func check(_ ids: [String]) throws(UserError) {
    if filter == nil, ids.isEmpty {
      throw UserError(.usage, "no highlight is named", hint: "write ids, or --filter FILTER")
    }
    if filter != nil, let id = ids.first {
      throw UserError(
        .usage, "unexpected argument '\(id)'", hint: "write either ids or --filter, not both")
    }
  }
}
