import Actions
import ArgumentParser
import Console
import DaemonKit
import Editing
import Files
import FoundationEssentials
import Glibc
public import Interchange
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

/// The `share` command, which renders a quote card.
struct ShareCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "share",
    abstract: "Render a quote card of a passage, with its source.",
    discussion: """
      The passage is [DOC] SPEC as for `mark`, or a highlight. Nothing is sent anywhere. The card \
      shows the title and the author. A text that is too long for one card is divided: card-1.png, card-2.png and so on.

      Examples:
        diple share 4 --mark box -o card.png
        diple share essay.md '"quick fox"' --theme night --size story --open
      """)

  @OptionGroup var options: GlobalOptions
  @Option(help: .strategy("Card strategy", \.cards), completion: .values(.card)) var theme = "paper"
  @Option(help: "Shape: square, portrait, story or wide.") var size = CardForm.Size.square
  @Option(
    help: """
      Kind of file: png, svg, pdf, text or markdown; when omitted, according to the ending of the \
      output file, or png.
      """)
  var format: CardForm.Format?
  @Option(
    help: """
      How the colour is shown: bar, underline, box or sign; when omitted, according to the theme.
      """)
  var mark: CardForm.Mark?
  @Flag(help: "Show the file name too.") var file = false
  @Option(
    name: .shortAndLong, help: "Colour of the mark; when omitted, that of the highlight.")
  var color: HighlightColor?
  @Option(name: .shortAndLong, help: "Output file; - is standard output.", completion: .file())
  var output: String?
  @Flag(help: "Replace the output file if it exists.") var force = false
  @Flag(help: "Draw a passage of more than 2000 characters.") var long = false
  @Flag(help: "Put the card on the clipboard.") var copy = false
  @Flag(help: "Open the card with xdg-open.") var open = false
  @OptionGroup var subject: PassageOptions

  func run(in context: CommandContext) async throws {
    let form = CardForm(
      size: size, format: try chosenFormat(), mark: mark, showsFile: file)
    var outcome = try await cards(form, context)
    let set = outcome.set
    let names = try names(of: set.cards)
    if names.isEmpty, !copy, !options.json { try requireOutput(of: set.cards, context) }
    try await write(set.cards, to: names, context)
    if set.unknownGlyphs > 0 {
      context.terminal.errors.line(
        "\(set.unknownGlyphs.counted("character")) without an installed font: drawn as boxes")
    }
    if copy { try self.copy(set.cards[0], context) }
    (outcome.outputs, outcome.hasContents) = (names, !copy)
    context.answer(options, json: outcome.json) {
      for (card, name) in zip(set.cards, names) {
        context.terminal.output.line("wrote \(name.sanitizedForTerminal) (\(card.mediaType))")
      }
      if copy { context.terminal.output.line("copied the card") }
      if names.isEmpty, !copy, let card = set.cards.first {
        if let text = card.text {
          context.terminal.writeData(text)
        } else {
          context.terminal.output.write(card.bytes)
        }
      }
    }
    if open, let name = names.first {
      context.terminal.output.drain()
      guard (try? Program("xdg-open", [name]).run(output: .discarded)) == 0 else {
        throw UserError(.plugin, "xdg-open could not open \(name)")
      }
    }
  }

  /// Writes the cards to files. If one fails, the files that this call has created are deleted.
  /// Files that it has replaced are kept.
  private func write(_ cards: [Card], to names: [String], _ context: CommandContext) async throws {
    let places = try names.map { try OutputFile.requirePlace($0, replacing: force) }
    for (index, name) in names.enumerated() {
      do { try await context.write(cards[index].bytes, toFile: name, force: force, options) } catch
      {
        for (name, place) in zip(names[..<index], places) where place == .new { unlink(name) }
        throw error
      }
    }
  }

  /// Copies a card to the clipboard, as text or with its media type.
  private func copy(_ card: Card, _ context: CommandContext) throws {
    if let text = card.text, !CardForm.Format.isPicture(card.mediaType) {
      _ = try context.terminal.copy(text)
    } else {
      try Clipboard.put(card.bytes, of: card.mediaType, in: context.terminal.environment)
    }
  }

  // MARK: - Format and files

  /// Returns the format of the card: `--format`, the format of the output file's extension, or PNG.
  private func chosenFormat() throws -> CardForm.Format {
    if let format { return format }
    let ending = fileName?.lastComponent.split(separator: ".", omittingEmptySubsequences: false)
      .dropFirst().last?.lowercased()
    return CardForm.Format.allCases.first { ending.map($0.endings.contains) == true } ?? .png
  }

  /// The path of the output file; nil for standard output.
  private var fileName: String? { output == "-" ? nil : output }

  /// Returns the paths of the output files, one for each card. Empty if no file is written.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the extension doesn't match the format, or if
  ///   there are several cards and no output file is named.
  private func names(of cards: [Card]) throws -> [String] {
    guard let name = fileName ?? (open ? Self.openedName(cards[0]) : nil) else {
      guard cards.count == 1 || options.json else {
        throw UserError(
          .usage, "the text needs \(cards.count) cards",
          hint: "name a file: -o FILE; a number is added to the name of each card")
      }
      return []
    }
    try requireEnding(of: cards[0], name)
    guard cards.count > 1 else { return [name] }
    let last = name.lastComponent
    let dot = last.dropFirst().lastIndex(of: ".") ?? last.endIndex
    let stem = name.dropLast(last.count) + last[..<dot]
    return (1...cards.count).map { "\(stem)-\($0)\(last[dot...])" }
  }

  /// Returns a path for a temporary file that `--open` opens. It isn't deleted, because the program
  /// that displays the card reads it later.
  private static func openedName(_ card: Card) -> String {
    let ending = endings(of: card).first ?? "card"
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    let name = "diple-card-\(UUID().uuidString.prefix(8)).\(ending)"
    return (folder.isEmpty ? "/tmp" : folder).appending(name)
  }

  /// Checks that no picture would be printed on a terminal.
  ///
  /// - Throws: ``UserError`` with the code `usage` if one would be.
  private func requireOutput(of cards: [Card], _ context: CommandContext) throws {
    guard let card = cards.first, card.text == nil || CardForm.Format.isPicture(card.mediaType),
      context.terminal.output.isTerminal
    else { return }
    throw UserError(
      .usage, "the card is \(card.mediaType), which a terminal cannot show",
      hint: "name a file (-o FILE), or display it (--open)")
  }

  /// Returns the possible file extensions for a card. Empty if the media type is unknown.
  private static func endings(of card: Card) -> [String] {
    let media = card.mediaType.prefix { $0 != ";" && $0 != " " }.lowercased()
    if let format = CardForm.Format.allCases.first(where: { $0.mediaType == media }) {
      return format.endings
    }
    return otherEndings[media] ?? []
  }

  /// The file extensions for further media types that plugins may return.
  private static let otherEndings = [
    "text/html": ["html", "htm"], "image/jpeg": ["jpg", "jpeg"], "image/webp": ["webp"],
    "application/json": ["json"],
  ]

  /// Checks that the extension of a file matches the card's media type.
  ///
  /// - Throws: ``UserError`` with the code `usage` if it doesn't.
  private func requireEnding(of card: Card, _ name: String) throws {
    let media = card.mediaType.prefix { $0 != ";" && $0 != " " }.lowercased()
    let parts = name.lastComponent.split(separator: ".", omittingEmptySubsequences: false)
    let fitting = Self.endings(of: card)
    guard !fitting.isEmpty, parts.count > 1, let ending = parts.last,
      !fitting.contains(ending.lowercased())
    else { return }
    throw UserError(
      .usage, "the card is \(media), and '\(name)' does not end in .\(fitting[0])",
      hint: "end the name in .\(fitting[0]), or choose another kind with --format")
  }

  // MARK: - Cards

  private func cards(_ form: CardForm, _ context: CommandContext) async throws
    -> DrawCard.Outcome
  {
    if let id = context.highlightID(subject.words) {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let request = DrawCard(
        highlight: try await library.highlight(id).id, theme: theme, size: form.size,
        format: form.format, color: color, mark: mark, file: file ? true : nil, long: long)
      return try await context.perform(request, options)
    }
    let passage = try await context.passage(subject.words, options, makesCurrent: false)
    let path =
      subject.words.count == 2 ? context.unquoted(subject.words[0]) : context.selection.file ?? ""
    let cards = try context.libraries.plugins.cards(
      of: passage.range, in: passage.open, try await context.source(of: passage.open, options),
      from: path,
      in: color ?? context.libraries.settings(options).highlightColor,
      theme: theme, as: form, isLong: long)
    return DrawCard.Outcome(theme: theme, size: size, quote: passage.text, cards)
  }
}

extension CardForm.Size: OptionChoice {}
extension CardForm.Format: OptionChoice {}
extension CardForm.Mark: OptionChoice {}
