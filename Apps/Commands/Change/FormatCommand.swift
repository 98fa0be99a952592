import Actions
import ArgumentParser
import Console
import DaemonKit
import Editing
import LibraryFormatting
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

/// The `format` command, which sets character and paragraph attributes of a passage.
struct FormatCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Format a passage, in the file or in the library.",
    discussion: """
      Formats that Markdown has are written to the file: bold, italic, strike, mark, code and \
      quote are toggled; `link URL` and `heading 1` to `heading 6` are set. All others are stored \
      in the library, and the file is not changed. With --keep-file, or where Markdown cannot \
      express them, bold, italic and strike are stored in the library too.

      Stored in the library (`none` restores the value of the style):

        underline [STYLE], super, sub, caps small|all, font NAME, size PT, color C, background C
        align left|center|right|justified
        indent first|head|tail PT
        spacing line N, spacing extra|before|after PT
        tabs 72,144:right:dots
        style NAME

      `clear` removes formats from the library; `copy` and `paste` transfer a format; `show` \
      prints the format of a passage, and of a whole file if SPEC is omitted. \
      `default show|set|reset|use-current` is for the format of new documents, or of one document \
      with --doc. `margins narrow|standard|wide|manuscript|none DOC` sets the margins, --left, \
      --right, --top and --bottom single ones; `default set margins` those of new documents. SPEC \
      is as for `mark`. `undo` reverts a format.

      Examples:
        diple format bold essay.md '"quick fox"'
        diple format margins --left 2cm --right 2cm essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Store everything in the library; the file is not changed.") var keepFile = false
  @Flag(help: "Clear and paste the format of whole paragraphs as well.") var paragraphs = false
  @Option(help: ArgumentHelp("Name to copy to or paste from.", valueName: "name"))
  var name = "default"
  @Option(help: "Document whose default format is changed.", completion: .values(.document))
  var doc: String?
  @Option(help: "Left margin, such as 50, 2cm or 0.5in.") var left: String?
  @Option(help: "Right margin.") var right: String?
  @Option(help: "Margin above the text.") var top: String?
  @Option(help: "Margin below the text.") var bottom: String?
  @Flag(help: "Show a ruler with the indents and tab stops.") var ruler = false
  @Flag(help: "Show what a paragraph in the default format looks like.") var preview = false
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "ATTRIBUTE [VALUE] [DOC] SPEC; in the line editor omit DOC, or both to use the selection.",
      valueName: "attribute"),
    completion: .values(.format))
  var words: [String]

  func run(in context: CommandContext) async throws {
    let words = try Self.checked(words).map { context.unquoted($0) }
    let raw = self.words
    switch words.first {
    case "show": try await show(Array(raw.dropFirst()), context)
    case "copy": try await copy(Array(raw.dropFirst()), context)
    case "default": try await runDefault(Array(words.dropFirst()), raw, context)
    case "margins": try await margins(Array(words.dropFirst()), isDefault: false, context)
    default: try await format(words, raw, context)
    }
  }

  /// Returns the words unless one of them is an option. A hyphen before a digit begins a negative
  /// number, not an option.
  ///
  /// - Throws: `ValidationError` for an unknown option; ``UserError`` with the code `usage` if
  ///   there are no words.
  private static func checked(_ words: [String]) throws -> [String] {
    if let option = words.first(where: {
      $0.hasPrefix("-") && $0.count > 1 && !($0.dropFirst().first?.isNumber ?? false)
    }) {
      let name = String(option.drop { $0 == "-" })
      if FormatWords.requests.contains(name) {
        let others = words.filter { $0 != option }
          .map { $0.hasPrefix("\"") ? Hint.Word.spec($0) : .word($0) }
        throw UserError(
          .usage, "\(name) is not an option; write it before the document",
          hint: "\(command: ["format", .word(name)] + others)")
      }
      throw ValidationError("Unknown option '\(option)'")
    }
    guard !words.isEmpty else {
      throw UserError(.usage, "expected an attribute, such as bold", hint: helpHint)
    }
    return words
  }

  private static let helpHint: Hint =
    "write the attribute first: \(typed: "format", "bold", "FILE", "SPEC")"

  private func format(_ words: [String], _ raw: [String], _ context: CommandContext) async throws {
    // The word after the attribute may be its value or a document. If two words follow, they are
    // DOC and SPEC.
    if let first = words.first, !FormatWords.requests.contains(first), Library.isFile(first) {
      throw UserError(
        .usage, "expected the attribute before the document",
        hint: "for example: \(typed: "format", "bold", .word(first), "SPEC")")
    }
    let (formatRequest, count) = try FormatWords.request(
      words, hasValue: raw.count != 3 || context.terminal.isInteractive)
    let (document, spec) = try await context.subject(Array(raw.dropFirst(count)), options)
    var request = FormatPassage(
      document: document.id, passage: .spec(spec), formatRequest, typed: Array(words.prefix(count)),
      copied: name)
    request.paragraphs = paragraphs ? true : nil
    request.keepFile = keepFile ? true : nil
    request.dryRun = writing.dryRun ? true : nil
    let outcome = try await context.perform(request, options)
    guard !options.json else { return context.terminal.output.line(outcome.json) }
    if let file = outcome.file {
      let turnedOn = file.turnedOn ?? outcome.passages.first?.turnedOn
      context.lines(of: [file], doing: outcome.label + Self.state(turnedOn))
    }
    for result in outcome.passages where result.isStored { show(result, outcome.label, context) }
    if let missing = outcome.missingFont { context.show(missing.notice) }
  }

  // MARK: - Completions

  /// Returns the possible next words after some words; nil if the next word is a document.
  static func completions(after words: [String]) -> [String]? {
    switch (words.first, words.count) {
    case (nil, _): return FormatWords.requests
    case ("heading", 1): return (1...6).map(String.init) + ["none"]
    case ("link", 1): return ["none"]
    case ("default", 1): return ["reset", "set", "show", "use-current"]
    case ("default", 2):
      return switch words[1] {
      case "set": (FormatWords.names + ["margins"]).sorted()
      case "reset": SetDefaultFormat.presets.keys.sorted()
      case "use-current": nil
      default: []
      }
    case ("default", 3) where words[2] == "margins": return SetMargins.names
    case ("default", 3...) where words[1] == "set":
      return FormatWords.values(after: Array(words.dropFirst(2))) ?? []
    case ("default", _): return words[1] == "use-current" ? nil : []
    case ("margins", 1): return SetMargins.names
    case ("heading", 2), ("link", 2), ("margins", 2): return nil
    case ("heading", _), ("link", _), ("margins", _): return []
    default: break
    }
    if let values = FormatWords.values(after: words) { return values }
    let wordCount = words[0] == "indent" || words[0] == "spacing" ? 3 : 2
    let hasValue = FormatWords.names.contains(words[0])
    return words.count == (hasValue ? wordCount : 1) ? nil : []
  }

  // MARK: - Answers

  /// The state of a toggled format, to follow its name; empty for other formats.
  private static func state(_ turnedOn: Bool?) -> String {
    turnedOn.map { $0 ? " on" : " off" } ?? ""
  }

  private func show(_ result: FormatResult, _ label: String, _ context: CommandContext) {
    let words = result.quote.shortened.sanitizedForTerminal
    let state = Self.state(result.turnedOn)
    let done =
      switch words.isEmpty ? "" : label {
      case "clear": "cleared the format of “\(words)”"
      case "pasted a format": "pasted the format onto “\(words)”"
      default: "\(label)\(state): “\(words)”"
      }
    context.terminal.output.line(done + (writing.dryRun ? " (not stored: --dry-run)" : ""))
    if result.markupStays {
      context.show(
        "the file's own markup stays; \(command: "format", "bold") and other toggles remove it")
    }
    if result.paragraphFormatStays {
      context.show("the format of the paragraph stays; --paragraphs clears it, too")
    }
    if let obstacle = result.obstacle {
      let part = result.file == nil ? "stored" : "the rest is stored"
      context.show("\(part) in the library, because \(obstacle)")
    }
  }

  private func copy(_ words: [String], _ context: CommandContext) async throws {
    let (document, spec) = try await context.subject(words, options)
    let outcome = try await context.perform(
      CopyFormat(document: document.id, passage: .spec(spec), as: name), options)
    context.answer(options, json: outcome.json) {
      context.terminal.output.line(
        "copied: "
          + outcome.attributes.map { "\($0.name) \($0.value ?? "none")" }.joined(separator: ", "))
    }
  }

  /// Runs `format margins`, and `format default set margins` if `isDefault` is true.
  ///
  /// - Parameter words: the name of predefined margins, unless options set all margins, and the
  ///   document.
  func margins(_ words: [String], isDefault: Bool, _ context: CommandContext) async throws {
    let hasSides = [left, right, top, bottom].contains { $0 != nil }
    let hasName = words.first.map { !hasSides || SetMargins.names.contains($0) } ?? false
    let rest = words.dropFirst(hasName ? 1 : 0)
    guard hasName || hasSides, rest.count <= (isDefault ? 0 : 1) else {
      throw UserError(
        .usage, "expected margins\(isDefault ? "" : " and a document")",
        hint: isDefault
          ? "for example: \(typed: "format", "default", "set", "margins", "wide")"
          : "for example: \(typed: "format", "margins", "wide", "essay.md")")
    }
    var request = SetMargins(
      margins: hasName ? words[0] : nil, left: left, right: right, top: top, bottom: bottom,
      dryRun: writing.dryRun)
    try request.checkName()
    let library = try context.libraries.library(options, .existing)
    if !isDefault || doc != nil {
      request.document = try await context.document(
        isDefault ? doc : rest.first, in: library, toChange: true
      ).id
    }
    let outcome = try await context.perform(request, options)
    let unit = try context.lengthUnit(options)
    context.answer(options, json: outcome.json) {
      let subject = outcome.document.map { context.shown($0.path) } ?? "new documents"
      context.terminal.output.line(
        outcome.margins.map {
          "\(writing.verb(.set)) the margins of \(subject): \($0.shown(in: unit))"
        } ?? "\(writing.verb(.remove)) the margins of \(subject)")
    }
  }
}

extension EditorMargins {
  /// Returns the margins in words: the name of predefined ones, and the lengths.
  func shown(in unit: LengthUnit) -> String {
    let lengths =
      left == right && top == bottom
      ? "\(unit.text(left)) left and right, \(unit.text(top)) above and below"
      : "\(unit.text(left)) left, \(unit.text(right)) right, \(unit.text(top)) above, "
        + "\(unit.text(bottom)) below"
    return name.map { "\($0.rawValue) (\(lengths))" } ?? lengths
  }
}
