import ArgumentParser
import Console
import DaemonKit
import Editing
import FoundationEssentials
import Interchange
import Model
import Rendering
import SystemSupport
import Workspace

/// `share`: a quote on a card.
struct ShareCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Put a quote on a card, with where it is from.",
    discussion: """
      A card is drawn by a card strategy: one of Diple's own, which are pictures in SVG, or a \
      plugin. Nothing is sent anywhere.
      """)

  @OptionGroup var options: GlobalOptions
  @Option(help: "How the card looks; `strategies` lists the ways.") var theme = "paper"
  @Option(
    name: .shortAndLong, help: "The colour of the mark; without it the highlight's own.",
    completion: .list(HighlightColor.allCases.map(\.rawValue)))
  var color: HighlightColor?
  @Option(name: .shortAndLong, help: "The file; - for standard output.", completion: .file())
  var output = "-"
  @Argument(
    help: "HL, or [DOC] SPEC; in the REPL DOC may be left out, and without words what is selected.")
  var words: [String] = []

  private struct Record: Encodable {
    var theme: String
    var media: String
    var size: Int
    var quote: String
    @Nullable var output: String?
    @Nullable var text: String?
    @Nullable var base64: String?
  }

  func run(in context: CommandContext) async throws {
    let (card, quote) = try await card(context)
    let isFile = output != "-"
    if isFile {
      try Data(card.bytes).write(toFile: output)
    } else if card.text == nil, context.terminal.output.isTerminal, !options.json {
      throw UserError(
        .usage, "the card is \(card.mediaType), which a terminal does not show",
        hint: "name a file: -o FILE")
    }
    if options.json {
      let record = Record(
        theme: theme, media: card.mediaType, size: card.bytes.count, quote: quote,
        output: isFile ? output : nil,
        text: isFile ? nil : card.text,
        base64: isFile || card.text != nil ? nil : Data(card.bytes).base64EncodedString())
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.card/1", data: record)))
    } else if isFile {
      context.terminal.output.line("wrote \(output.sanitizedForTerminal) (\(card.mediaType))")
    } else {
      context.terminal.output.write(card.bytes)
    }
  }

  /// The card, and the words on it.
  private func card(_ context: CommandContext) async throws -> (Card, String) {
    if let (highlight, document) = try await highlight(context) {
      var shown = highlight
      if let color { shown.color = color }
      let card = try context.libraries.plugins.card(of: shown, in: document, as: theme)
      return (card, highlight.selector.exact)
    }
    let passage = try await context.passage(words, options)
    let path = words.count == 2 ? words[0] : context.selection.file ?? ""
    let card = try context.libraries.plugins.card(
      of: passage.range, in: passage.open, from: path,
      in: color ?? context.libraries.settings(options).highlightColor,
      as: theme)
    return (card, passage.text)
  }

  /// The highlight that one word names: `hl:ID`, or an id where no SPEC can stand alone.
  private func highlight(_ context: CommandContext) async throws -> (Highlight, Document)? {
    guard words.count == 1, words[0].hasPrefix("hl:") || !context.terminal.isInteractive else {
      return nil
    }
    let id = words[0].hasPrefix("hl:") ? String(words[0].dropFirst(3)) : words[0]
    let library = try context.libraries.library(options, .lookOnly)
    let highlight = try await library.highlight(id)
    return (highlight, try await library.document(id: highlight.document))
  }
}
