import Actions
import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import Interchange
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension Clipboard: ExpressibleByArgument {}

/// The `copy` command, which copies a passage to the clipboard.
struct CopyCommand: ContextCommand {
  /// The format of the copied text.
  enum Format: String, CaseIterable, ExpressibleByArgument, Encodable {
    case plain, md, html, json

    /// Also accepts `markdown` and `text`.
    init?(argument: String) {
      let synonyms = ["markdown": Format.md, "text": .plain]
      guard let format = Format(rawValue: argument) ?? synonyms[argument] else { return nil }
      self = format
    }

    /// Returns a passage in this format.
    func text(of range: TextRange, in parsed: ParsedDocument) -> String {
      switch self {
      case .plain: parsed.text.substring(range)
      case .md: parsed.markdown(of: range)
      case .html: parsed.html(of: range)
      case .json: SelectionRecord.line(range, in: parsed)
      }
    }

    /// Returns a passage as a quotation with its source.
    func citation(of range: TextRange, in parsed: ParsedDocument, source: String) -> String {
      switch self {
      case .plain, .json: parsed.citation(of: range, source: source)
      case .md: parsed.citedMarkdown(of: range, source: source)
      case .html: parsed.citedHTML(of: range, source: source)
      }
    }
  }

  /// The way a quotation names its source.
  enum CitationStyle: String, CaseIterable, ExpressibleByArgument {
    /// Author, title, year and page.
    case text
    /// The citation key in the syntax of Pandoc.
    case pandoc
  }

  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a passage to the clipboard.",
    discussion: """
      The passage is [DOC] SPEC as for `mark`, or a highlight. Plain text is what a reader sees: \
      the description of an image, the TeX of mathematics, the text of a link. The clipboard is \
      that of wl-copy, xclip or xsel in a graphical session, else the terminal's (OSC 52). An \
      empty selection is not copied; the exit code is 1.

      Examples:
        diple copy essay.md '"quick fox"' --as md
        diple copy 4 --cite --print
      """)

  @OptionGroup var options: GlobalOptions
  @Option(
    name: .customLong("as"),
    help: "Format; the setting copy.as when omitted.")
  var format: Format?
  @Option(
    help: "Clipboard; the setting copy.to when omitted."
  )
  var to: Clipboard?
  @Flag(help: "Copy as a quotation, with author, title and page of its source.") var cite = false
  @Option(
    name: .customLong("cite-as"),
    help: "Copy as a quotation whose source is named in words, or by its key: [@key, p. 12].")
  var citeAs: CitationStyle?
  @Flag(help: "Write to standard output, not to the clipboard.") var print = false
  @OptionGroup var subject: PassageOptions

  /// The length in UTF-16 units of the longest passage that is converted to another format or
  /// answered as JSON. Plain text has no limit.
  private static let longest = 1 << 22

  private struct Record: Encodable {
    var format: Format
    var text: String
    var range: TextRange
    @Nullable var to: String?
  }

  func run(in context: CommandContext) async throws {
    let passage = try await subject.passage(context, options)
    guard !passage.range.isEmpty else {
      throw UserError(
        .nothing, "nothing is selected", hint: "select something: \(typed: "select", "SPEC")")
    }
    let settings = try context.libraries.settings(options)
    let format = self.format ?? settings.choice(.copyAs)
    let style = citeAs ?? (cite ? .text : nil)
    guard style == nil || format != .json else {
      throw UserError(.usage, "a quotation is plain, md or html, not json")
    }
    let isPlain = format == .plain && style == nil && !options.json
    guard isPlain || passage.range.count <= Self.longest else {
      throw UserError(
        .usage,
        "the passage is too long to convert: \(passage.range.count) characters, at most "
          + "\(Self.longest)",
        hint: "plain text of any length: --as plain, without --cite and --json")
    }
    if print, isPlain {
      return Self.write(passage.open.parsed.text, in: passage.range, to: context.terminal)
    }
    let text =
      if let style {
        format.citation(
          of: passage.range, in: passage.open.parsed,
          source: try await source(of: passage, in: style, context))
      } else { format.text(of: passage.range, in: passage.open.parsed) }
    let way: Clipboard? =
      print ? nil : try context.terminal.copy(text, by: to ?? settings.clipboard)
    if way != nil, subject.words.isEmpty, settings.isOn(.copyClears) {
      context.selection.selected = nil
    }
    context.answer(
      options, "diple.copy/1",
      Record(
        format: format, text: text, range: passage.range, to: way?.rawValue)
    ) {
      if print {
        context.terminal.writeData(text + "\n")
      } else if let way {
        context.terminal.output.line("copied \(text.count.counted("character")) (\(way.rawValue))")
      }
    }
  }

  /// The length in UTF-16 units of the pieces in which plain text is written.
  private static let pieceLength = 1 << 16

  /// Writes a passage as plain text, in pieces, so that no copy of a long passage is in memory.
  private static func write(_ text: RenderedText, in range: TextRange, to terminal: Terminal) {
    var rest = range.utf16
    while !rest.isEmpty {
      var end = min(rest.lowerBound + pieceLength, rest.upperBound)
      if end < rest.upperBound, UTF16.isTrailSurrogate(text.utf16[end]) { end += 1 }
      terminal.writeData(text.substring(TextRange(utf16: rest.lowerBound..<end)))
      rest = end..<rest.upperBound
    }
    terminal.writeData("\n")
  }

  /// Returns the source of a passage in a style.
  private func source(
    of passage: Passage, in style: CitationStyle, _ context: CommandContext
  ) async throws -> String {
    let source = try await context.source(of: passage.open, options)
    let citation = Citation(
      source.whole, location: passage.highlight?.origin?.origin?.location ?? "")
    return style == .pandoc ? citation.pandoc : citation.text
  }
}
