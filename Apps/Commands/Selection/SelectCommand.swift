import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import SystemSupport
import Workspace

/// The `select` command, which prints a passage. In the REPL it becomes the current selection.
struct SelectCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "select",
    abstract: "Print the passage that a SPEC selects; nothing is stored.",
    discussion: """
      SPEC is as for `mark`. In the line editor the passage stays selected: extend, adjust, copy, \
      menu, format and mark use it if they get no SPEC, and a unit alone (select word, select \
      paragraph) extends it to that unit.

      Examples:
        diple select essay.md '"first words"…"last words"'
        diple select essay.md para:3
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "[DOC] SPEC; in the line editor DOC may be omitted.", valueName: "passage"),
    completion: .values(.document, .spec))
  var words: [String]
  @OptionGroup var dialects: DialectOptions

  func run(in context: CommandContext) async throws {
    try context.libraries.settings(options).checkSelectable()
    let passage = try await context.passage(words, options, in: dialects.dialect)
    context.select(passage, options)
  }
}

/// The `extend` command, which enlarges a selection.
struct ExtendCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend",
    abstract: "Extend a selection to another SPEC, or by characters, words or sentences.",
    discussion: """
      TO is a SPEC, ±N UNIT, or nothing for the next larger unit. UNIT is character, word, \
      sentence, line, paragraph, block, section or all; the setting select.default_unit when \
      omitted.

      Examples:
        diple extend essay.md '"quick fox"' +2 words
        diple extend essay.md '"quick fox"' '"lazy dog"'
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "[DOC SPEC] TO; in the line editor DOC and SPEC may be omitted.", valueName: "passage"),
    completion: .values(.extent))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let settings = try context.libraries.settings(options)
    try settings.checkSelectable()
    var rest = try UnitSteps.checked(words)
    let steps = try UnitSteps(endOf: &rest, settings.unit)
    // If there are one or three words, the last one is the target.
    let target = steps == nil && rest.count % 2 == 1 ? rest.popLast() : nil
    var passage = try await context.passage(rest, options)
    if let steps {
      passage.selection.extend(by: steps.count, steps.unit, in: passage.units)
    } else if let target {
      let other = try await context.range(
        of: try context.selectionSpec(target), in: passage.open, options)
      passage.selection = Selection(
        TextRange(
          min(passage.range.lowerBound, other.lowerBound),
          max(passage.range.upperBound, other.upperBound)), in: passage.units)
    } else if let grown = passage.selection.grown(in: passage.units) {
      passage.selection = grown
    } else {
      throw UserError(.nothing, "everything is selected already")
    }
    context.select(passage, options)
  }
}

/// The `adjust` command, which moves one end of a selection.
struct AdjustCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "adjust",
    abstract: "Move the start or the end of a selection by characters, words or sentences.",
    discussion: """
      UNIT is as for `extend`.

      Examples:
        diple adjust essay.md '"quick fox"' end +2 words
        diple adjust essay.md para:3 start -1 sentence
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "[DOC SPEC] start|end ±N UNIT; in the line editor DOC and SPEC may be omitted.",
      valueName: "passage"),
    completion: .values(.extent))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let settings = try context.libraries.settings(options)
    try settings.checkSelectable()
    var rest = try UnitSteps.checked(words)
    guard let steps = try UnitSteps(endOf: &rest, settings.unit), let name = rest.popLast(),
      let edge = TextUnits.Edge(name: name)
    else {
      throw UserError(
        .usage, "expected start or end, and ±N UNIT",
        hint: "for example: \(typed: "adjust", "end", "+2", "words")")
    }
    var passage = try await context.passage(rest, options)
    passage.selection.adjust(edge, by: steps.count, steps.unit, in: passage.units)
    context.select(passage, options)
    if passage.range.isEmpty { throw ExitCode(1) }
  }
}

/// The `clear` command, which clears the selection.
struct ClearCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Clear the selection (line editor).",
    discussion: """
      Example:
        diple clear
      """)

  @OptionGroup var options: GlobalOptions

  func run(in context: CommandContext) async throws {
    var passage = try await context.passage([], options)
    context.selection.selected = nil
    passage.selection = Selection(caretAt: passage.range.lowerBound, in: passage.units)
    context.answer(options, json: passage.json) {}
  }
}

/// The `goto` command, which moves the caret.
struct GotoCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "goto",
    abstract: "Print the line of text at a position; in the line editor, put the caret there.",
    discussion: """
      POS is LINE or LINE:COLUMN of the file, u16:N for an offset in UTF-16 units of the \
      rendered text, or a SPEC as for `mark`, whose start is used. An address that `export \
      --links` wrote leads to its highlight.

      Examples:
        diple goto essay.md 12:5
        diple goto diple:hl/42-9f3c0a5517e2b846
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "[DOC] POS, or an address; in the line editor DOC may be omitted.", valueName: "position"),
    completion: .values(.document, .none))
  var words: [String]

  func run(in context: CommandContext) async throws {
    if words.count == 1, LibraryAddress.isAddress(words[0]) {
      return try await go(to: words[0], context)
    }
    let (doc, position) = try context.documentAndPosition(words, after: "goto")
    let open = try await context.open(doc, options)
    let offset: TextOffset
    if let spec = position.passage {
      offset = try await context.range(of: spec, in: open, options).lowerBound
    } else {
      do { offset = try position.resolve(in: open.parsed) } catch {
        throw UserError(selection: error)
      }
    }
    go(to: offset, in: open, context)
  }

  /// Goes to the start of the highlight or document that an address refers to.
  private func go(to address: String, _ context: CommandContext) async throws {
    let found = try await context.passage(at: address, options)
    let open = try await context.open(found.document.id.description, found.options)
    go(to: try open.start(of: found), in: open, context)
  }

  private func go(to offset: TextOffset, in open: OpenDocument, _ context: CommandContext) {
    let units = context.units(of: open)
    let passage = Passage(
      open: open, units: units, selection: Selection(caretAt: offset, in: units))
    context.select(passage.selection, in: open, units)
    context.answer(options, json: passage.json) {
      if let line = units.unit(.line, at: offset) {
        context.terminal.output.line(open.parsed.text.substring(line).shortened)
      }
    }
  }
}

/// A number of steps and their unit as typed by the user, such as `+2 words` or `-1 sentence`.
struct UnitSteps: Hashable {
  var count: Int
  var unit: TextUnit

  /// Removes the steps from the end of some words; nil if the words don't end with steps.
  ///
  /// - Parameter fallback: The unit of a number without a unit.
  /// - Throws: ``UserError`` with the code `usage` for an unknown unit.
  init?(endOf words: inout [String], _ fallback: TextUnit) throws {
    if let number = words.last, Self.isSigned(number), let count = Int(number) {
      (self.count, unit) = (count, fallback)
      words.removeLast()
      return
    }
    guard words.count >= 2, let unit = words.last, let number = words.dropLast().last,
      Self.isSigned(number), let count = Int(number)
    else { return nil }
    guard let size = TextUnit(name: unit) else {
      throw UserError(.usage, "there is no unit '\(unit)'", hint: Self.hint)
    }
    (self.count, self.unit) = (count, size)
    words.removeLast(2)
  }

  /// Returns the possible next words after some words of `extend` or `adjust`; nil if the next word
  /// is a document.
  static func completions(after words: [String], _ command: String) -> [String]? {
    guard let last = words.last else { return nil }
    if isSigned(last) { return TextUnit.allCases.map(\.rawValue) }
    if command == "extend" || TextUnits.Edge(name: last) != nil { return ["+1", "-1"] }
    return ["start", "end"]
  }

  private static let hint: Hint =
    "units are \(TextUnit.allCases.map(\.rawValue).joined(separator: ", "))"

  private static func isSigned(_ word: String) -> Bool {
    (word.hasPrefix("+") || word.hasPrefix("-")) && Int(word) != nil
  }

  /// Returns the words if none of them is an unknown option.
  ///
  /// - Throws: ``UserError`` with the code `usage` if a word is an unknown option.
  static func checked(_ words: [String]) throws -> [String] {
    for word in words where word.hasPrefix("-") && word.count > 1 && Int(word) == nil {
      throw UserError.noOption(word, hint: "-h lists them")
    }
    return words
  }
}

extension TextUnits.Edge {
  /// Creates the edge with a name, `start` or `end`. Returns nil for other names.
  init?(name: String) {
    switch name {
    case "start": self = .start
    case "end": self = .end
    default: return nil
    }
  }
}
