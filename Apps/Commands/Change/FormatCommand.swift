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
    commandName: "format", abstract: "Format a passage, in the file.",
    discussion: """
      ATTRIBUTE is bold, italic, strike, mark, code or quote, which is taken away where the whole \
      passage has it; or link URL, or heading 1 … 6, which `none` takes away. SPEC is that of \
      `mark`. The file is replaced as a whole, and `undo` takes it back.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Argument(help: "ATTRIBUTE [VALUE] [DOC] SPEC; DOC may be left out in the REPL.")
  var words: [String]

  func run(in context: CommandContext) async throws {
    let (request, rest) = try Self.request(words)
    let (doc, spec) = try context.documentAndSpec(rest)
    let library = try context.libraries.library(options, .existing)
    let document = try await context.document(doc, in: library)
    let change = try await library.format(document, spec, request, dryRun: writing.dryRun)
    context.say([change], options)
  }

  /// The attribute with its value, and the words after them.
  private static func request(_ words: [String]) throws -> (FormatRequest, [String]) {
    let styles: [String: InlineStyle] = [
      "bold": .strong, "italic": .emphasis, "strike": .strikethrough, "mark": .mark,
      "code": .code,
    ]
    let name = words[0]
    if let style = styles[name] { return (.toggle(style), Array(words.dropFirst())) }
    if name == "quote" { return (.quote, Array(words.dropFirst())) }
    guard name == "link" || name == "heading" else {
      let names = styles.keys.sorted() + ["heading", "link", "quote"]
      throw UserError(
        .usage, "there is no attribute '\(name)'",
        hint: nearestMatch(to: name, among: names).map { "did you mean '\($0)'?" }
          ?? "there is: \(names.joined(separator: ", "))")
    }
    guard words.count > 1 else {
      throw UserError(
        .usage, "'\(name)' needs a value", hint: name == "link" ? "link URL" : "heading 1 … 6")
    }
    let (value, rest) = (words[1], Array(words.dropFirst(2)))
    if value == "none" { return (name == "link" ? .link(nil) : .heading(nil), rest) }
    if name == "link" { return (.link(value), rest) }
    guard let level = Int(value), (1...6).contains(level) else {
      throw UserError(.usage, "a heading has a level from 1 to 6, not '\(value)'")
    }
    return (.heading(level), rest)
  }
}
