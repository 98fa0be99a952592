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
  /// Runs `format default show|set|reset|use-current`.
  ///
  /// - Parameters:
  ///   - words: The words after `default`, without quotation marks.
  ///   - raw: All words of the command as they were typed.
  func runDefault(_ words: [String], _ raw: [String], _ context: CommandContext) async throws {
    let verb = words.first ?? "show"
    if words.prefix(2) == ["set", "margins"] {
      return try await margins(Array(words.dropFirst(2)), isDefault: true, context)
    }
    let library = try context.libraries.library(
      options, verb == "show" ? .readOnlyOrEmpty : .existing)
    let document =
      try await doc.asyncMap { try await context.document($0, in: library, toChange: true) }?.id
    let unit = try context.lengthUnit(options)
    var request = SetDefaultFormat(document: document, dryRun: writing.dryRun)
    switch verb {
    case "show":
      guard words.count <= 1 else {
        throw UserError(.usage, "unexpected argument '\(words[1].oneLine)'")
      }
      let outcome = try await context.perform(ShowDefaultFormat(document: document), options)
      return show(outcome, nil, unit, context)
    case "set":
      guard let parsed = try FormatWords.parse(Array(words.dropFirst())),
        parsed.count == words.count - 1
      else {
        throw FormatWords.noAttribute(
          Array(words.dropFirst()),
          example: "for example: \(typed: "format", "default", "set", "size", "12")")
      }
      request.set = parsed.values
    case "reset":
      if let name = words.dropFirst().first {
        guard SetDefaultFormat.presets[name] != nil, words.count == 2 else {
          let names = SetDefaultFormat.presets.keys.sorted()
          throw UserError(
            .usage, "there is no preset '\(name.oneLine)'",
            hint: Spelling.suggestion(for: name, among: names).map { Hint($0) }
              ?? "one of \(names.joined(separator: ", "))")
        }
        request.preset = name
      } else {
        request.reset = true
      }
    case "use-current":
      let (subject, spec) = try await context.subject(Array(raw.dropFirst(2)), options)
      (request.source, request.passage) = (subject.id, .spec(spec))
    default:
      let names = ["show", "set", "reset", "use-current"]
      throw UserError(
        .usage, "'\(verb.oneLine)' is not one of \(names.joined(separator: ", "))",
        hint: Spelling.suggestion(for: verb, among: names).map { Hint($0) })
    }
    show(try await context.perform(request, options), .set, unit, context)
    if !options.json, let missing = await MissingFont(request.set, context.terminal.environment) {
      context.show(missing.notice)
    }
  }

  private func show(
    _ outcome: DefaultFormatOutcome, _ verb: Verb?, _ unit: LengthUnit, _ context: CommandContext
  ) {
    context.answer(options, json: outcome.json) {
      let output = context.terminal.output
      let subject =
        outcome.document.map { "of \(context.shown($0.path))" } ?? "of new documents"
      output.line(
        verb.map { "\(writing.verb($0)) the default format \(subject):" }
          ?? "the default format \(subject):")
      for line in outcome.attributes {
        output.line(
          "  \(line.name.padded(to: 15))\(line.shown(in: unit).sanitizedForTerminal)")
      }
      output.line("  \("margins".padded(to: 15))\(outcome.margins?.shown(in: unit) ?? "none")")
      if preview { for line in FormatPreview(outcome.defaults).lines { output.line(line) } }
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
