import Actions
import ArgumentParser
import Configuration
import Console
import DaemonKit
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension Clipboard: OptionChoice {}
extension CopyPassage.CitationStyle: OptionChoice {}

extension CopyPassage.Format: OptionChoice {
  /// Also accepts `markdown` and `text`.
  package init?(argument: String) {
    let synonyms = ["markdown": Self.md, "text": .plain]
    guard let format = Self(rawValue: argument) ?? synonyms[argument] else { return nil }
    self = format
  }
}

/// The `copy` command, which copies a passage to the clipboard.
struct CopyCommand: ContextCommand {
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
  var format: CopyPassage.Format?
  @Option(
    help: "Clipboard; the setting copy.to when omitted."
  )
  var to: Clipboard?
  @Flag(help: "Copy as a quotation, with author, title and page of its source.") var cite = false
  @Option(
    name: .customLong("cite-as"),
    help: """
      Copy as a quotation. text names the source in words, pandoc by its citation key: \
      [@key, p. 12].
      """)
  var citeAs: CopyPassage.CitationStyle?
  @Flag(help: "Write to standard output, not to the clipboard.") var print = false
  @OptionGroup var subject: PassageOptions

  func run(in context: CommandContext) async throws {
    let passage = try await subject.passage(context, options)
    guard !passage.range.isEmpty else {
      throw UserError(.nothing, "nothing is selected", hint: context.howToSelect)
    }
    let settings = try context.libraries.settings(options)
    let format = self.format ?? settings.choice(.copyAs)
    let style = citeAs ?? (cite ? .text : nil)
    let isPlain = format == .plain && style == nil && !options.json
    if print, isPlain {
      return Self.write(passage.open.parsed.text, in: passage.range, to: context.terminal)
    }
    var outcome: CopyPassage.Outcome
    if isPlain {
      outcome = CopyPassage.Outcome(
        format: format, text: passage.open.parsed.text.substring(passage.range),
        range: passage.range)
    } else {
      do {
        outcome = try await CopyPassage.outcome(
          of: passage.range, in: passage.open.parsed, as: format, cite: style,
          location: passage.highlight?.origin?.origin?.location
            ?? CopyPassage.location(of: passage.range, in: passage.open)
        ) { try await context.source(of: passage.open, options) }
      } catch var error as UserError {
        if passage.range.count > CopyPassage.longest {
          error.hint = "plain text can have any length: --as plain, without --cite and --json"
        }
        error.parameter = nil
        throw error
      }
    }
    let text = outcome.text
    let clipboard: Clipboard? =
      print
      ? nil
      : try context.terminal.copy(
        text, as: format == .html ? "text/html" : nil, by: to ?? settings.clipboard)
    if clipboard != nil, subject.words.isEmpty, settings.isOn(.copyClears) {
      context.selection.selected = nil
    }
    outcome.to = clipboard?.rawValue
    context.answer(options, json: outcome.json) {
      if print {
        context.terminal.writeData(text + "\n")
      } else if let clipboard {
        context.terminal.output.line(clipboard.copied(text))
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
}
