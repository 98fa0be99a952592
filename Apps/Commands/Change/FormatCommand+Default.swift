import Actions
import Console
import LibraryFormatting
import MarkdownParse
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

extension FormatCommand {
  /// A default format, a record of the schema `diple.default-format/1`. The document is nil if it
  /// is the format of new documents.
  private struct DefaultRecord: Encodable {
    @Nullable var document: HighlightRecord.DocumentReference?
    var attributes: [FormatRecord.AttributeRecord]
  }

  /// The presets for `format default reset`, by name.
  private static let presets: [String: FormatDefaults] = [
    "diple": .standard, "scrivener-3": .scrivener3,
  ]

  /// Runs `format default show|set|reset|use-current`.
  ///
  /// - Parameters:
  ///   - words: The words after `default`, without quotation marks.
  ///   - raw: All words of the command as they were typed.
  func runDefault(_ words: [String], _ raw: [String], _ context: CommandContext) async throws {
    let library = try context.libraries.library(
      options, (words.first ?? "show") == "show" ? .readOnlyOrEmpty : .existing)
    let document =
      try await doc.asyncMap { try await context.document($0, in: library, toChange: true) }
    let old = try await library.defaultFormat(of: document)
    switch words.first ?? "show" {
    case "show":
      guard words.count <= 1 else {
        throw UserError(.usage, "unexpected argument '\(words[1].oneLine)'")
      }
      show(old, document, nil, context)
    case "set":
      guard let parsed = try FormatWords.parse(Array(words.dropFirst())),
        parsed.count == words.count - 1
      else {
        throw UserError(
          .usage, "expected one attribute with its value",
          hint: "for example: \(typed: "format", "default", "set", "size", "12")")
      }
      guard !parsed.change.onlyClears else {
        throw UserError(
          .usage, "'none' is not possible here: each attribute of the default format has a value",
          hint: "\(command: "format", "default", "reset") restores Diple's default")
      }
      var new = old
      new.characters = new.characters.applying(parsed.change.characters)
      new.paragraphs = new.paragraphs.applying(parsed.change.paragraphs)
      try await library.setDefaultFormat(new, of: document, dryRun: writing.dryRun)
      show(new, document, .set, context)
    case "reset":
      let name = words.dropFirst().first ?? "diple"
      guard let preset = Self.presets[name], words.count <= 2 else {
        let names = Self.presets.keys.sorted()
        throw UserError(
          .usage, "there is no preset '\(name.oneLine)'",
          hint: Spelling.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
            ?? "one of \(names.joined(separator: ", "))")
      }
      if let document, words.count == 1 {
        try await library.resetDefaultFormat(of: document, dryRun: writing.dryRun)
      } else {
        try await library.setDefaultFormat(preset, of: document, dryRun: writing.dryRun)
      }
      let now =
        words.count == 1 && document != nil && !writing.dryRun
        ? try await library.defaultFormat(of: document) : preset
      show(now, document, .set, context)
    case "use-current":
      let (subject, spec) = try await context.subject(Array(raw.dropFirst(2)), options)
      let copied = try await library.format(at: spec, of: subject)
      let new = FormatDefaults(
        characters: copied.characters.removing([.bold, .italic, .underline, .strikethrough, .link]),
        paragraphs: copied.paragraphs.removing([.style, .list]))
      try await library.setDefaultFormat(new, of: document, dryRun: writing.dryRun)
      show(new, document, .set, context)
    default:
      let names = ["show", "set", "reset", "use-current"]
      throw UserError(
        .usage, "'\(words[0].oneLine)' is not one of \(names.joined(separator: ", "))",
        hint: Spelling.nearest(to: words[0], among: names).map { "did you mean '\($0)'?" })
    }
  }

  private func show(
    _ defaults: FormatDefaults, _ document: Document?, _ verb: Verb?, _ context: CommandContext
  ) {
    let lines = FormatRecord.lines(defaults.characters, defaults.paragraphs)
    context.answer(
      options, "diple.default-format/1",
      DefaultRecord(document: document.map { .init($0) }, attributes: lines)
    ) {
      let output = context.terminal.output
      let subject =
        document.map { "of \($0.path.string.sanitizedForTerminal)" } ?? "of new documents"
      output.line(
        verb.map { "\(writing.verb($0)) the default format \(subject):" }
          ?? "the default format \(subject):")
      for line in lines {
        output.line(
          "  \(line.name.padded(to: 15))"
            + Self.unit(of: line.name, line.value ?? "none").sanitizedForTerminal)
      }
      if preview { for line in FormatPreview(defaults).lines { output.line(line) } }
    }
  }
}

/// A sample text in a format, wrapped at the width of a page.
private struct FormatPreview {
  let lines: [String]

  init(_ defaults: FormatDefaults) {
    func length(_ kind: ParagraphAttribute.Kind) -> Int {
      switch defaults.paragraphs[kind] {
      case .firstLineIndent(let length)?, .headIndent(let length)?, .tailIndent(let length)?:
        length.count / 120
      default: 0
      }
    }
    let width = 66 + min(0, length(.tailIndent))
    let words = """
      The quick brown fox jumps over the lazy dog, and the dog sleeps on. It does so every day, in \
      any weather, and always at the same place.
      """.split(separator: " ")
    let head = max(0, length(.headIndent))
    var lines: [String] = []
    var line = String(repeating: " ", count: max(0, head + length(.firstLineIndent)))
    var isEmpty = true
    for word in words {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: head)
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    lines.append(line)
    if case .lineHeight(.multiple(let count))? = defaults.paragraphs[.lineHeight], count >= 420 {
      lines = Array(lines.map { [$0] }.joined(separator: [""]))
    }
    self.lines = [""] + lines.map { "  " + $0 }
  }
}

extension String {
  /// Returns the text with at least one blank at its end, and more blanks up to a width in
  /// characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}

extension Optional {
  /// Like `map`, with an asynchronous closure.
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async rethrows
    -> Result?
  {
    guard let self else { return nil }
    return try await body(self)
  }
}
