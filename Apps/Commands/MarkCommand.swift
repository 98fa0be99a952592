public import ArgumentParser
import Configuration
import Editing
import MarkdownParse
public import Model
import Rendering
import Workspace

extension HighlightColor: ExpressibleByArgument {}

/// `mark`: highlights a passage.
struct MarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Highlight a passage.",
    discussion: """
      SPEC says which: word:12, words:12..19, line:4, lines:4..7, row:4, para:3, heading:"Intro", \
      section:"Intro", "exact words", "exact words"#2, "first words"…"last words" (or ...), \
      u16:120-164, hl:ID, all, or - for a quote on standard input. Anything else is a quote.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @OptionGroup var width: WidthOptions
  @Option(
    name: .shortAndLong,
    help: "yellow, green, blue or pink; yellow unless the settings say otherwise.")
  var color: HighlightColor?
  @Option(help: "What you think of it.") var note = ""
  @Option(help: "A tag; may be given several times.") var tag: [String] = []
  @Option(help: "What to make of the selection; `strategies` lists the ways.") var strategy =
    "exact"
  @Argument(
    help: "[DOC] SPEC; in the REPL DOC may be left out, and without SPEC it is the selection.")
  var words: [String] = []

  func run() async throws {
    let session = Session.current
    var (document, spec) = try await subject(session)
    let library = try session.library(options, .existing)
    if spec.rows != nil {
      spec = try session.resolved(spec, in: try await library.open(document), options)
    }
    let settings = try session.settings(options)
    var request = MarkRequest(spec: spec)
    (request.color, request.note, request.tags) = (color ?? settings.highlightColor, note, tag)
    request.strategy = strategy
    if writing.dryRun {
      let open = try await library.open(document)
      for range in try await library.passages(of: request, in: open) {
        session.output.line(
          options.json
            ? SelectionRecord.line(range, in: open.parsed)
            : "would highlight \(range): “\(open.parsed.text.substring(range).shortened)”")
      }
      return
    }
    let (made, report) = try await library.mark(document, request)
    session.notify([report])
    if options.json {
      session.output.line(HighlightRecord.lines(made, in: report.document))
      return
    }
    let open = try await library.open(document)
    for highlight in made {
      session.output.line(
        "\(highlight.shortID)  \(highlight.color)  \(document.path.string.neutralized)")
      session.draw(open, around: highlight, width: width.width, settings)
    }
  }
}

extension MarkCommand {
  /// What to mark; in the line editor without a SPEC what is selected there.
  private func subject(_ session: Session) async throws -> (Document, SelectionSpec) {
    if words.isEmpty, session.isInteractive {
      let passage = try await session.passage([], options)
      guard let document = passage.open.document else {
        throw LibraryError(.usage, "the file is in no library", hint: "add it: add FILE")
      }
      return (document, try session.selectionSpec(passage.range.description))
    }
    let (doc, spec) = try session.documentAndSpec(words)
    let library = try session.library(options, .existing)
    return (try await session.document(doc, in: library), spec)
  }
}

/// The width alone, for commands whose `--color` means a highlight's.
struct WidthOptions: ParsableArguments {
  @Option(help: "Wrap at this many columns.") var width: Int?
}

extension Session {
  /// Divides `[DOC] SPEC`.
  func documentAndSpec(_ words: [String]) throws -> (doc: String?, spec: SelectionSpec) {
    guard (1...2).contains(words.count), isInteractive || words.count == 2 else {
      throw LibraryError(
        .usage,
        "this takes DOC and SPEC, and got \(words.count.counted("word"))",
        hint: "put a quote in quotation marks: diple mark essay.md '\"some words\"'")
    }
    return (
      words.count == 2 ? documentName(words[0]) : nil, try selectionSpec(words[words.count - 1])
    )
  }

  /// Reads a SPEC. One of `-` is a quote on standard input.
  func selectionSpec(_ text: String) throws -> SelectionSpec {
    var text = text
    if text == "-" {
      let quote = String(decoding: try readInput(), as: UTF8.self)
      let escaped = quote.trimmed.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text = "\"\(escaped)\""
    }
    do { return try SelectionSpec(parsing: text) } catch {
      throw LibraryError(.usage, error.description.neutralized)
    }
  }

  /// The name in DOC. A line of the REPL keeps the quotation marks of a SPEC, and so those of a DOC
  /// before it.
  private func documentName(_ word: String) -> String {
    let isQuoted = isInteractive && word.count > 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
    return isQuoted ? String(word.dropFirst().dropLast()) : word
  }

  /// Draws the paragraphs around a highlight.
  func draw(
    _ open: OpenDocument, around highlight: Highlight, width asked: Int?, _ settings: Settings
  ) {
    guard let range = highlight.anchor.range else { return }
    let options = pageOptions(width: asked, settings, around: range)
    let page = Page(document: open.parsed, overlays: open.overlays, options: options)
    let writer = ANSIWriter(options)
    var text = ""
    for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    output.write(text)
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension HighlightRecord {
  /// One highlight as `diple.highlight/1`, several as `diple.highlights/1`.
  static func lines(_ highlights: [Highlight], in document: Document) -> String {
    if let only = highlights.first, highlights.count == 1 {
      return JSON.line(
        Envelope(schema: "diple.highlight/1", data: HighlightRecord(only, in: document)))
    }
    return JSON.line(
      Envelope(
        schema: "diple.highlights/1",
        data: highlights.map { HighlightRecord($0, in: document) }))
  }
}
