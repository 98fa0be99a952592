import ArgumentParser
import Console
import DaemonKit
import Editing
import Model
import SystemSupport
import Workspace

/// `format`: bold, links, headings and quotes, written into the file.
struct FormatCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Format a passage, in the file.",
    discussion: """
      ATTRIBUTE is bold, italic, strike, mark, code or quote, which is removed where the whole \
      passage has it; `link URL` or `link none`; `heading 1` to `heading 6` or `heading none`. \
      SPEC is as for `mark`. `undo` reverts it.

      Examples:
        diple format bold essay.md '"quick fox"'
        diple format heading 2 essay.md para:3
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Argument(
    help: ArgumentHelp(
      "ATTRIBUTE [VALUE] [DOC] SPEC; in the line editor DOC may be omitted, and both for the selection.",
      valueName: "attribute"),
    completion: .values(.format))
  var words: [String]

  func run(in context: CommandContext) async throws {
    let (request, rest) = try Self.request(words, context)
    let (document, spec) = try await context.subject(rest, options)
    let library = try context.libraries.library(options, .existing)
    let change = try await library.format(document, spec, request, dryRun: writing.dryRun)
    context.say([change], options)
  }

  private static let styles: [String: InlineStyle] = [
    "bold": .strong, "italic": .emphasis, "strike": .strikethrough, "mark": .mark,
    "code": .code,
  ]
  private static let names = styles.keys.sorted() + ["heading", "link", "quote"]

  /// What can stand after some words; nil where it is a document.
  static func completions(after words: [String]) -> [String]? {
    switch (words.first, words.count) {
    case (nil, _): names
    case ("heading", 1): (1...6).map(String.init) + ["none"]
    case ("link", 1): ["none"]
    case ("heading", 2), ("link", 2): nil
    case ("heading", _), ("link", _): []
    default: words.count == 1 ? nil : []
    }
  }

  /// The attribute with its value, and the words after them.
  private static func request(_ words: [String], _ context: CommandContext) throws -> (
    FormatRequest, [String]
  ) {
    let name = words[0]
    if let style = styles[name] { return (.toggle(style), Array(words.dropFirst())) }
    if name == "quote" { return (.quote, Array(words.dropFirst())) }
    guard name == "link" || name == "heading" else {
      throw UserError(
        .usage, "'\(name)' is not one of \(names.joined(separator: ", "))",
        hint: nearestMatch(to: name, among: names).map { "did you mean '\($0)'?" } ?? """
          the attribute comes first, such as bold: \(typed: "format", "bold", "FILE", "SPEC")
          """)
    }
    guard words.count > 1 else {
      throw UserError(
        .usage, "'\(name)' needs a value", hint: name == "link" ? "link URL" : "heading 1 … 6")
    }
    let (value, rest) = (context.unquoted(words[1]), Array(words.dropFirst(2)))
    if value == "none" { return (name == "link" ? .link(nil) : .heading(nil), rest) }
    if name == "link" { return (.link(value), rest) }
    guard let level = Int(value), (1...6).contains(level) else {
      throw UserError(.usage, "a heading has a level from 1 to 6, not '\(value)'")
    }
    return (.heading(level), rest)
  }
}
