import Actions
import Configuration
import Console
import Editing
import LibraryFormatting
import MarkdownParse
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

extension FormatCommand {
  /// Runs `format show`. If only a document is named, it lists all of its formats.
  func show(_ words: [String], _ context: CommandContext) async throws {
    var words = words
    if words.count == 1, try await isDocument(words[0], context) {
      if !ruler, try await showAll(words[0], context) { return }
      words.append("all")
    }
    let passage =
      words.isEmpty
      ? try await context.passage([], options)
      : try await context.passage(ofHighlightOr: words, options)
    let format: DocumentFormat
    if passage.open.document != nil {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      format = try await library.format(of: passage.open)
    } else {
      format = DocumentFormat(markdown: passage.open.parsed)
    }
    let unit = try context.lengthUnit(options)
    let record = FormatRecord(format, of: passage.range, in: passage.open)
    try context.answer(options, json: record.json) {
      let output = context.terminal.output
      output.line("“\(record.quote.shortened.sanitizedForTerminal)”")
      let shown = record.attributes.filter { $0.mixed || $0.value != nil && $0.name != "link" }
      for attribute in shown {
        let name = attribute.name.padded(to: 15)
        output.line("  \(name)\(attribute.shown(in: unit).sanitizedForTerminal)")
      }
      output.line("  \("margins".padded(to: 15))\(record.margins)")
      if ruler {
        for line in FormatRuler(
          format.summary(of: passage.range),
          width: context.terminal.width(nil, try context.libraries.settings(options))
        ).lines {
          output.line(line)
        }
      }
      for uncertain in record.uncertain {
        let words = uncertain.quote.shortened
        context.show(
          """
          \(uncertain.format) of “\(words)” is not shown: \
          \(uncertain.state == "doubtful" ? "its place is doubtful" : "its passage is missing")
          """
        )
      }
    }
  }
}

extension FormatCommand {
  /// Returns whether the only word of `format show` is a document. In the line editor it may also
  /// be a SPEC of the current document, so that only an existing name is a document.
  private func isDocument(_ word: String, _ context: CommandContext) async throws -> Bool {
    if Library.isFile(word) { return true }
    if context.highlightID([word]) != nil { return false }
    guard context.terminal.isInteractive else { return true }
    return try await context.isWholeName(
      word, in: context.libraries.library(options, .readOnlyOrEmpty))
  }

  /// Prints all formats of a document; returns false if it is a file that isn't in the library.
  private func showAll(_ name: String, _ context: CommandContext) async throws -> Bool {
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let document: Document
    do throws(UserError) { document = try await library.document(name) } catch {
      guard error.code == .notFound, Library.isFile(name) else { throw error }
      return false
    }
    let outcome = try await context.perform(ListFormats(document: document.id), options)
    let unit = try context.lengthUnit(options)
    context.answer(options, json: outcome.json) {
      for line in FormatListing(outcome, unit, path: context.paths.name(document.path)).lines {
        context.terminal.output.line(line.sanitizedForTerminal)
      }
    }
    return true
  }
}

/// The lines that `format show DOC` prints.
private struct FormatListing {
  private(set) var lines: [String]

  init(_ outcome: ListFormats.Outcome, _ unit: LengthUnit, path: String) {
    func words(_ attributes: [FormatRecord.AttributeRecord]) -> String {
      attributes.map { "\($0.name) \($0.shown(in: unit))" }.joined(separator: ", ")
    }
    func words(_ defaults: FormatDefaults) -> String {
      words(FormatRecord.lines(defaults.characters, defaults.paragraphs))
    }
    lines = [path]
    func add(_ name: String, _ text: String) { lines.append("  \(name.padded(to: 15))\(text)") }
    add(
      "default",
      outcome.defaults == FormatDefaults()
        ? "none; exported files get \(words(outcome.builtIn))" : words(outcome.defaults))
    add("margins", outcome.margins?.shown(in: unit) ?? "none")
    let styles = outcome.styles.map { style in
      "\(style.title) (\(style.passages) \(style.passages == 1 ? "passage" : "passages"))"
    }
    add("styles", styles.isEmpty ? "none" : styles.joined(separator: ", "))
    add("passages", outcome.passages.isEmpty ? "none" : "\(outcome.passages.count)")
    for passage in outcome.passages {
      let place =
        passage.isShown
        ? passage.line.map { "line \($0)" } ?? ""
        : passage.state == "doubtful" ? "doubtful" : "no place"
      lines.append(
        "  \(place.padded(to: 15))“\(passage.quote.shortened)”: \(words(passage.attributes))")
    }
  }
}

extension CommandContext {
  /// Returns the unit in which lengths are shown.
  ///
  /// - Throws: the errors of `settings(_:)` of the libraries.
  func lengthUnit(_ options: GlobalOptions) throws(UserError) -> LengthUnit {
    LengthUnit(rawValue: try libraries.settings(options).text(.formatUnit)) ?? .points
  }
}

/// A ruler with the indents and tab stops of a paragraph. One column is 6 points wide.
struct FormatRuler {
  /// Two lines: the scale in inches, and the marks.
  let lines: [String]

  init(_ summary: FormatSummary, width: Int) {
    func twips(_ kind: ParagraphAttribute.Kind) -> Int {
      switch summary.paragraphs[kind] {
      case .same(.headIndent(let length)?), .same(.tailIndent(let length)?),
        .same(.firstLineIndent(let length)?):
        length.count
      default: 0
      }
    }
    let columns = max(20, min(width - 4, 78))
    func column(_ twips: Int) -> Int { min(columns, max(0, (twips + 60) / 120)) }
    var marks = [Character](repeating: " ", count: columns + 1)
    if case .same(.tabStops(let stops)?) = summary.paragraphs[.tabStops] {
      for stop in stops {
        let sign: Character =
          switch stop.kind {
          case .left: "L"
          case .center: "C"
          case .right: "R"
          case .decimal: "D"
          }
        if column(stop.position.count) < columns { marks[column(stop.position.count)] = sign }
      }
    }
    let head = column(twips(.headIndent))
    marks[column(twips(.headIndent) + twips(.firstLineIndent))] = "▽"
    marks[head] = marks[head] == "▽" ? "◇" : "△"
    marks[max(0, columns - column(-twips(.tailIndent)))] = "◁"
    // Twelve columns are one inch.
    let scale = (0...columns).map { column -> Character in
      if column % 12 == 0 { return Character(String(column / 12 % 10)) }
      // The end shows that the mark of the right edge is below it, not beyond it.
      if column == columns { return "┤" }
      return column % 6 == 0 ? "┼" : "─"
    }
    lines = ["  " + String(scale), "  " + String(marks).trimmedAtEnd]
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
