import ArgumentParser
import Console
import DaemonKit
import Editing
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

/// `format`: bold, fonts, colours, indents and all else that text can look like.
struct FormatCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Format a passage: in the file, or beside it.",
    discussion: """
      What Markdown can say is written into the file: bold, italic, strike, mark, code and quote, \
      which are removed where the whole passage has them; `link URL`, `heading 1` to `heading 6`. All \
      else is kept in the library, and the file stays as it is; so are bold, italic and strike where \
      Markdown cannot say them, or with --keep-file.

      Kept in the library, `none` for what the style says:
        underline [STYLE], super, sub, caps small|all, font NAME, size PT, color C, background C
        align left|center|right|justified
        indent first|head|tail PT
        spacing line N, spacing extra|before|after PT
        tabs 72,144:right:dots
        style NAME

      `clear` removes what was set; `copy` and `paste` carry a format; `show` prints what a passage \
      has; `default show|set|reset|use-current` is the format of new documents, or of one with --doc; \
      `margins` sets those of an editor. SPEC is as for `mark`. `undo` reverts it.

      Examples:
        diple format bold essay.md '"quick fox"'
        diple format indent first 36 essay.md para:3
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Keep all of it in the library, and leave the file as it is.") var keepFile = false
  @Flag(help: "Clear and paste the format of whole paragraphs as well.") var paragraphs = false
  @Option(help: ArgumentHelp("Copy under this name, or paste what was.", valueName: "name"))
  var name = "default"
  @Option(help: "Document whose default format is meant.", completion: .values(.document))
  var doc: String?
  @Flag(help: "Show a ruler with the indents and tab stops.") var ruler = false
  @Flag(help: "Show what a paragraph in the default format looks like.") var preview = false
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "ATTRIBUTE [VALUE] [DOC] SPEC; in the line editor DOC may be omitted, and both for the selection.",
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
    case "margins": try await margins(Array(words.dropFirst()), context)
    default: try await format(words, raw, context)
    }
  }

  /// Negative numbers are values; all else that begins with a hyphen is an option nobody knows.
  private static func checked(_ words: [String]) throws -> [String] {
    if let option = words.first(where: {
      $0.hasPrefix("-") && $0.count > 1 && !($0.dropFirst().first?.isNumber ?? false)
    }) {
      throw ValidationError("Unknown option '\(option)'")
    }
    guard !words.isEmpty else {
      throw UserError(.usage, "expected an attribute, such as bold", hint: helpHint)
    }
    return words
  }

  private static let helpHint: Hint =
    "the attribute comes first, such as bold: \(typed: "format", "bold", "FILE", "SPEC")"

  private func format(_ words: [String], _ raw: [String], _ context: CommandContext) async throws {
    let request = try Self.request(words, raw.count, context)
    let (document, spec) = try await context.subject(Array(raw.dropFirst(request.count)), options)
    let library = try context.libraries.library(options, .existing)
    switch request.wish {
    case .file(let wish):
      guard !keepFile else {
        throw UserError(.usage, "'\(words[0])' can only be written into the file")
      }
      let change = try await library.format(document, spec, wish, dryRun: writing.dryRun)
      context.say([change], options)
    case .style(let name):
      try await apply(style: name, document, spec, library, context)
    case .act(var act, let label):
      switch act {
      case .clear: act = .clear(withParagraphs: paragraphs ? true : nil)
      case .paste:
        guard let copied = try await library.copiedFormat(name) else {
          throw UserError(
            .notFound, "no format was copied\(name == "default" ? "" : " as '\(name.oneLine)'")",
            hint: "copy one: \(typed: "format", "copy", "DOC", "SPEC")")
        }
        act = .paste(copied, withParagraphs: paragraphs ? true : nil)
      default: break
      }
      let result = try await library.format(
        document, spec, act, label: label, keepsFile: keepFile, dryRun: writing.dryRun)
      say(result, label, context)
    }
  }

  // MARK: - What is asked

  private enum Wish {
    case file(FormatRequest)
    case style(String)
    case act(FormatAct, String)
  }

  private static let toggles: [String: CharacterAttribute] = [
    "bold": .bold(true), "italic": .italic(true), "strike": .strikethrough(.single),
    "underline": .underline(.single), "super": .position(.superscript),
    "sub": .position(.subscript),
  ]
  private static let names =
    (Array(toggles.keys) + FormatWords.names + [
      "clear", "code", "copy", "default", "heading", "link", "margins", "mark", "paste", "quote",
      "show",
    ]).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.sorted()

  /// What can stand after some words; nil where it is a document.
  static func completions(after words: [String]) -> [String]? {
    switch (words.first, words.count) {
    case (nil, _): return names
    case ("heading", 1): return (1...6).map(String.init) + ["none"]
    case ("link", 1): return ["none"]
    case ("default", 1): return ["reset", "set", "show", "use-current"]
    case ("default", 2): return words[1] == "set" ? FormatWords.names : []
    case ("margins", 1): return EditorMargins.Name.allCases.map(\.rawValue)
    case ("heading", 2), ("link", 2), ("margins", 2): return nil
    case ("heading", _), ("link", _), ("margins", _): return []
    default: break
    }
    if let values = FormatWords.values(after: words) { return values }
    let taken = words[0] == "indent" || words[0] == "spacing" ? 3 : 2
    let hasValue = FormatWords.names.contains(words[0])
    return words.count == (hasValue ? taken : 1) ? nil : []
  }

  /// What is asked, and how many words say it.
  ///
  /// - Parameter total: how many words there are.
  private static func request(_ words: [String], _ total: Int, _ context: CommandContext) throws
    -> (
      wish: Wish, count: Int
    )
  {
    let name = words[0]
    // What follows may be a document of that name: two words are DOC and SPEC.
    let hasValue = total != 3 || context.terminal.isInteractive
    if let toggle = toggles[name] {
      let rest = words.dropFirst()
      guard hasValue, let value = rest.first, Self.isValue(value, of: name) else {
        return (.act(.toggle(toggle), name), 1)
      }
      if name == "underline", let style = UnderlineStyle(word: value), style != .none {
        return (.act(.toggle(.underline(style)), "underline \(value)"), 2)
      }
      if name == "strike", value == "double" {
        return (.act(.toggle(.strikethrough(.double)), "strike double"), 2)
      }
      guard let parsed = try FormatWords.parse(words) else {
        return (.act(.toggle(toggle), name), 1)
      }
      return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
    }
    switch name {
    case "mark": return (.file(.toggle(.mark)), 1)
    case "code": return (.file(.toggle(.code)), 1)
    case "quote": return (.file(.quote), 1)
    case "clear": return (.act(.clear(withParagraphs: nil), "clear"), 1)
    case "paste":
      return (
        .act(
          .paste(CopiedFormat(characters: [], paragraphs: []), withParagraphs: nil),
          "pasted a format"), 1
      )
    case "link", "heading":
      guard words.count > 1 else {
        throw UserError(
          .usage, "'\(name)' needs a value", hint: name == "link" ? "link URL" : "heading 1 … 6")
      }
      let value = words[1]
      if value == "none" { return (.file(name == "link" ? .link(nil) : .heading(nil)), 2) }
      if name == "link" { return (.file(.link(value)), 2) }
      guard let level = Int(value), (1...6).contains(level) else {
        throw UserError(.usage, "a heading has a level from 1 to 6, not '\(value)'")
      }
      return (.file(.heading(level)), 2)
    case "style":
      guard words.count > 1 else {
        throw UserError(.usage, "'style' needs a name", hint: "style \"Block Quote\"")
      }
      return (.style(words[1]), 2)
    default: break
    }
    guard let parsed = try FormatWords.parse(words) else {
      throw UserError(
        .usage, "'\(name)' is not one of \(names.joined(separator: ", "))",
        hint: nearestMatch(to: name, among: names).map { "did you mean '\($0)'?" } ?? helpHint)
    }
    return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
  }

  /// Whether a word can only be the value of an attribute that needs none.
  private static func isValue(_ word: String, of name: String) -> Bool {
    switch name {
    case "underline": ["on", "off"].contains(word) || UnderlineStyle(word: word) != nil
    case "strike": ["on", "off", "none", "double"].contains(word)
    case "bold", "italic": ["on", "off", "none"].contains(word)
    default: false
    }
  }

  /// Gives a style. What Markdown has markup for is written into the file.
  private func apply(
    style name: String, _ document: Document, _ spec: SelectionSpec, _ library: Library,
    _ context: CommandContext
  ) async throws {
    if name == "none" {
      let result = try await library.format(
        document, spec, .change(FormatChange(paragraphs: [.clear(.style)])), label: "style none",
        dryRun: writing.dryRun)
      return say(result, "style none", context)
    }
    let style = try await library.style(name)
    // A heading becomes ordinary text; where there is none, the style is kept in the library.
    if style.id == .body, !keepFile,
      let change = try? await library.format(
        document, spec, .heading(nil), dryRun: writing.dryRun)
    {
      return context.say([change], options)
    }
    if !keepFile, let file = FormatRequest(style: style.id) {
      let change = try await library.format(document, spec, file, dryRun: writing.dryRun)
      return context.say([change], options)
    }
    let result = try await library.format(
      document, spec, .change(FormatChange(paragraphs: [.set(.style(style.id))])),
      label: "style \(style.title)", dryRun: writing.dryRun)
    say(result, "style \(style.title)", context)
  }

  // MARK: - Answers

  /// `diple.formatted/1`.
  private struct FormattedRecord: Encodable {
    var document: HighlightRecord.DocumentReference
    var quote: String
    var format: String
    var stored: Bool
    @Nullable var turnedOn: Bool?
    @Nullable var file: FileChangeRecord?
    @Nullable var obstacle: String?
  }

  private func say(_ result: FormatResult, _ label: String, _ context: CommandContext) {
    context.answer(
      options, "diple.formatted/1",
      FormattedRecord(
        document: .init(result.document), quote: result.quote, format: label,
        stored: result.isStored, turnedOn: result.turnedOn,
        file: result.file.map(FileChangeRecord.init), obstacle: result.obstacle)
    ) {
      if let file = result.file { context.lines(of: [file]) }
      guard result.isStored else { return }
      let words = result.quote.shortened.sanitizedForTerminal
      let state = result.turnedOn.map { $0 ? " on" : " off" } ?? ""
      let done =
        switch words.isEmpty ? "" : label {
        case "clear": "cleared the format of “\(words)”"
        case "pasted a format": "pasted the format onto “\(words)”"
        default: "\(label)\(state): “\(words)”"
        }
      context.terminal.output.line(done + (writing.dryRun ? " (not stored: --dry-run)" : ""))
      if result.markupStays {
        context.say(
          "the file's own markup stays; \(command: "format", "bold") and its like remove it")
      }
      if let obstacle = result.obstacle {
        context.say("kept in the library, for \(obstacle)")
      }
    }
  }

  private func copy(_ words: [String], _ context: CommandContext) async throws {
    let (document, spec) = try await context.subject(words, options)
    let library = try context.libraries.library(options, .existing)
    let copied = try await library.copyFormat(of: document, spec, as: name)
    let lines = FormatRecord.lines(copied.characters, copied.paragraphs)
    context.answer(options, "diple.copied-format/1", CopiedRecord(name: name, attributes: lines)) {
      context.terminal.output.line(
        "copied: " + lines.map { "\($0.name) \($0.value ?? "none")" }.joined(separator: ", "))
    }
  }

  /// `diple.copied-format/1`.
  private struct CopiedRecord: Encodable {
    var name: String
    var attributes: [FormatRecord.AttributeRecord]
  }

  private func margins(_ words: [String], _ context: CommandContext) async throws {
    guard let first = words.first, words.count <= 2 else {
      throw UserError(
        .usage, "expected margins and a document",
        hint: "for example: \(typed: "format", "margins", "wide", "essay.md")")
    }
    let library = try context.libraries.library(options, .existing)
    guard let margins = EditorMargins.Name(rawValue: first) else {
      let names = EditorMargins.Name.allCases.map(\.rawValue)
      throw UserError(
        .usage, "there are no margins '\(first.oneLine)'",
        hint: nearestMatch(to: first, among: names).map { "did you mean '\($0)'?" }
          ?? "one of \(names.joined(separator: ", "))")
    }
    let document = try await context.document(
      words.count == 2 ? words[1] : nil, in: library, toChange: true)
    try await library.setMargins(margins, of: document, dryRun: writing.dryRun)
    let values = margins.margins
    context.answer(
      options, "diple.margins/1",
      MarginsRecord(
        document: .init(document), margins: margins.rawValue, sides: values.sides.count / 20,
        ends: values.ends.count / 20)
    ) {
      context.terminal.output.line(
        "\(writing.said(.set)) the margins of \(document.path.string.sanitizedForTerminal): "
          + "\(margins.rawValue) (\(values.sides.typed) pt beside the text, "
          + "\(values.ends.typed) pt above and below)")
    }
  }

  /// `diple.margins/1`.
  private struct MarginsRecord: Encodable {
    var document: HighlightRecord.DocumentReference
    var margins: String
    var sides: Int
    var ends: Int
  }
}
