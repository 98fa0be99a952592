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
    commandName: "share",
    abstract: "Draw a quote card of a passage, with its source.",
    discussion: """
      The passage is [DOC] SPEC as for `mark`, or a highlight. Nothing is sent anywhere. The \
      card names the title and the file, but not the folder of a file outside the library's.

      Examples:
        diple share 4 -o card.svg
        diple share essay.md '"quick fox"' --theme night -o card.svg
      """)

  @OptionGroup var options: GlobalOptions
  @Option(help: .strategy("Card strategy", \.cards), completion: .values(.card)) var theme = "paper"
  @Option(
    name: .shortAndLong, help: "Colour of the mark; the highlight's own when omitted.")
  var color: HighlightColor?
  @Option(name: .shortAndLong, help: "Output file; - is standard output.", completion: .file())
  var output = "-"
  @Flag(help: "Replace the output file if it exists.") var force = false
  @Flag(help: "Draw a passage of more than 2000 characters.") var long = false
  @OptionGroup var subject: PassageOptions

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
      try requireEnding(of: card)
      try await context.write(card.bytes, toFile: output, force: force, options)
    } else if card.text == nil, context.terminal.output.isTerminal, !options.json {
      throw UserError(
        .usage, "the card is \(card.mediaType), which a terminal does not show",
        hint: "name a file: -o FILE")
    }
    context.answer(
      options, "diple.card/1",
      Record(
        theme: theme, media: card.mediaType, size: card.bytes.count, quote: quote,
        output: isFile ? output : nil,
        text: isFile ? nil : card.text,
        base64: isFile || card.text != nil ? nil : Data(card.bytes).base64EncodedString())
    ) {
      if isFile {
        context.terminal.output.line("wrote \(output.sanitizedForTerminal) (\(card.mediaType))")
      } else if let text = card.text {
        context.terminal.writeData(text)
      } else {
        context.terminal.output.write(card.bytes)
      }
    }
  }

  /// The card, and the words on it.
  private func card(_ context: CommandContext) async throws -> (Card, String) {
    if let (highlight, document) = try await highlight(context) {
      var shown = highlight
      if let color { shown.color = color }
      let card = try context.libraries.plugins.card(
        of: shown, in: document, as: theme, isLong: long)
      return (card, highlight.selector.exact)
    }
    let passage = try await context.passage(subject.words, options, makesCurrent: false)
    let path =
      subject.words.count == 2 ? context.unquoted(subject.words[0]) : context.selection.file ?? ""
    let card = try context.libraries.plugins.card(
      of: passage.range, in: passage.open, from: path,
      in: color ?? context.libraries.settings(options).highlightColor,
      as: theme, isLong: long)
    return (card, passage.text)
  }

  /// The endings of the files that a card may be.
  private static let endings = [
    "image/svg+xml": ["svg"], "text/html": ["html", "htm"], "text/plain": ["txt"],
    "text/markdown": ["md", "markdown"], "image/png": ["png"], "image/jpeg": ["jpg", "jpeg"],
    "image/webp": ["webp"], "application/pdf": ["pdf"], "application/json": ["json"],
  ]

  /// Refuses a file whose name says that it is something else.
  private func requireEnding(of card: Card) throws {
    let media = card.mediaType.prefix { $0 != ";" && $0 != " " }.lowercased()
    let parts = output.lastComponent.split(separator: ".", omittingEmptySubsequences: false)
    guard let fitting = Self.endings[media], parts.count > 1, let ending = parts.last,
      !fitting.contains(ending.lowercased())
    else { return }
    throw UserError(
      .usage, "the card is \(media), and '\(output)' does not end in .\(fitting[0])",
      hint: "the theme '\(theme)' writes .\(fitting.joined(separator: ", ."))")
  }

  /// The highlight that one word names.
  private func highlight(_ context: CommandContext) async throws -> (Highlight, Document)? {
    guard let id = context.highlightID(subject.words) else { return nil }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let highlight = try await library.highlight(id)
    return (highlight, try await library.document(id: highlight.document))
  }
}
