import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension Clipboard: ExpressibleByArgument {}

/// `copy`: puts a passage on the clipboard.
struct CopyCommand: ContextCommand {
  /// As what a passage is copied.
  enum Format: String, CaseIterable, ExpressibleByArgument, Encodable {
    case plain, md, html, json

    /// A passage in this format.
    func text(of range: TextRange, in parsed: ParsedDocument) -> String {
      switch self {
      case .plain: parsed.text.substring(range)
      case .md: parsed.markdown(of: range)
      case .html: parsed.html(of: range)
      case .json: SelectionRecord.line(range, in: parsed)
      }
    }

    /// A passage with the title of its document, as a quotation.
    func citation(of range: TextRange, in parsed: ParsedDocument, title: String) -> String {
      switch self {
      case .plain, .json: parsed.citation(of: range, title: title)
      case .md: parsed.citedMarkdown(of: range, title: title)
      case .html: parsed.citedHTML(of: range, title: title)
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a passage to the clipboard.",
    discussion: """
      Plain text is what a reader sees: of an image its description, of mathematics its TeX, of a \
      link its text. The clipboard is that of wl-copy, xclip or xsel where there are windows, and \
      else the terminal's (OSC 52). An empty selection leaves it alone and exits with 1.
      """)

  @OptionGroup var options: GlobalOptions
  @Option(
    name: .customLong("as"),
    help: "plain, md, html or json; plain unless the settings say otherwise.")
  var format: Format?
  @Option(
    help: "osc52, wl-copy, xclip or xsel; the best that is there unless the settings say otherwise."
  )
  var to: Clipboard?
  @Flag(help: "As a quotation, with the title of its document.") var cite = false
  @Flag(help: "Write it to the output, and leave the clipboard alone.") var print = false
  @Argument(
    help: "[DOC] SPEC, or hl:ID; without words what is selected in the REPL.") var words: [String] =
      []

  private struct Record: Encodable {
    var format: Format
    var text: String
    var range: TextRange
    @Nullable var to: String?
  }

  func run(in context: CommandContext) async throws {
    // A highlight needs no document beside it.
    let isHighlight = words.count == 1 && words[0].hasPrefix("hl:")
    let passage =
      try await isHighlight
      ? context.passage(ofHighlight: String(words[0].dropFirst(3)), options)
      : context.passage(words, options)
    guard !passage.range.isEmpty else {
      throw UserError(.nothing, "nothing is selected", hint: "select something: select SPEC")
    }
    let settings = try context.libraries.settings(options)
    let format = self.format ?? settings.choice(.copyAs)
    guard !cite || format != .json else {
      throw UserError(.usage, "a quotation is plain, md or html, not json")
    }
    let text =
      cite
      ? format.citation(of: passage.range, in: passage.open.parsed, title: passage.open.title)
      : format.text(of: passage.range, in: passage.open.parsed)
    let way: Clipboard? =
      print ? nil : try context.terminal.copy(text, by: to ?? settings.clipboard)
    if way != nil, words.isEmpty, settings.isOn(.copyClears) { context.selection.selected = nil }
    if options.json {
      let record = Record(
        format: format, text: text, range: passage.range, to: way?.rawValue)
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.copy/1", data: record)))
    } else if print {
      context.terminal.output.line(text)
    } else if let way {
      context.terminal.output.line("copied \(text.count.counted("character")) (\(way.rawValue))")
    }
  }
}
