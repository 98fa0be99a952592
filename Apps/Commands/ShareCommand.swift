import ArgumentParser
import Editing
import FoundationEssentials
import Interchange
import Model
import Workspace

/// `share`: a quote on a card.
struct ShareCommand: AsyncParsableCommand {
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

  func run() async throws {
    let session = Session.current
    let (card, quote) = try await card(session)
    let isFile = output != "-"
    if isFile {
      try Data(card.bytes).write(toFile: output)
    } else if card.text == nil, session.output.isTerminal, !options.json {
      throw LibraryError(
        .usage, "the card is \(card.mediaType), which a terminal does not show",
        hint: "name a file: -o FILE")
    }
    if options.json {
      let record = Record(
        theme: theme, media: card.mediaType, size: card.bytes.count, quote: quote,
        output: Nullable(wrappedValue: isFile ? output : nil),
        text: Nullable(wrappedValue: isFile ? nil : card.text),
        base64: Nullable(
          wrappedValue: isFile || card.text != nil
            ? nil : Data(card.bytes).base64EncodedString()))
      session.output.line(JSON.line(Envelope(schema: "diple.card/1", data: record)))
    } else if isFile {
      session.output.line("wrote \(output.neutralized) (\(card.mediaType))")
    } else {
      session.output.write(card.bytes)
    }
  }

  /// The card, and the words on it.
  private func card(_ session: Session) async throws -> (Card, String) {
    if let (highlight, document) = try await highlight(session) {
      var shown = highlight
      if let color { shown.color = color }
      let card = try session.plugins.card(of: shown, in: document, as: theme)
      return (card, highlight.selector.exact)
    }
    let passage = try await session.passage(words, options)
    let path = words.count == 2 ? words[0] : session.file ?? ""
    let card = try session.plugins.card(
      of: passage.range, in: passage.open, from: path,
      in: color ?? session.settings(options).highlightColor,
      as: theme)
    return (card, passage.text)
  }

  /// The highlight that one word names: `hl:ID`, or an id where no SPEC can stand alone.
  private func highlight(_ session: Session) async throws -> (Highlight, Document)? {
    guard words.count == 1, words[0].hasPrefix("hl:") || !session.isInteractive else { return nil }
    let id = words[0].hasPrefix("hl:") ? String(words[0].dropFirst(3)) : words[0]
    let library = try session.library(options, .lookOnly)
    let highlight = try await library.highlight(id)
    return (highlight, try await library.document(highlight.document.description))
  }
}
