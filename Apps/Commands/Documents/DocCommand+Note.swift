import Actions
import ArgumentParser
import Console
import MarkdownParse
import Model
import Rendering
import RichMarkdown
import RichText
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc note` command, which shows, sets or removes a document's note.
  struct Note: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "note",
      abstract: "Show or set the note on a whole document.",
      discussion: """
        TEXT is Markdown: its emphasis, links and headings are kept as formatting. If TEXT is -, \
        it is read from standard input; if it is empty, the note is removed.

        Examples:
          diple doc note essay.md
          diple doc note essay.md 'Read **again** before May.'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New note; - is standard input.") var text: String?

    /// A note, a record of the schema `diple.document-note/1`. `text` is null if the document
    /// has no note.
    private struct Record: Encodable {
      var document: HighlightRecord.DocumentReference
      @Nullable var text: String?
      var runs: [RunRecord] = []

      init(_ document: Document, _ note: AttributedText?) {
        self.document = .init(document)
        text = note?.string
        guard let note else { return }
        runs = note.characters.runs.map { RunRecord($0.range, $0.set, []) }
        runs += note.paragraphs.runs.map { RunRecord($0.range, [], $0.set) }
        runs.sort { $0.range.lowerBound < $1.range.lowerBound }
      }
    }

    /// A range of the note with equal character attributes, or with equal paragraph attributes.
    /// Ranges of the two kinds can overlap.
    private struct RunRecord: Encodable {
      var range: TextRange
      var attributes: [FormatRecord.AttributeRecord]

      init(
        _ range: TextRange, _ characters: AttributeSet<CharacterAttribute>,
        _ paragraphs: AttributeSet<ParagraphAttribute>
      ) {
        self.range = range
        attributes = FormatRecord.lines(characters, paragraphs)
      }
    }

    func run(in context: CommandContext) async throws {
      guard let text else {
        let library = try context.libraries.library(options, .readOnlyOrEmpty)
        let document = try await context.document(doc, in: library)
        let note = try await library.note(of: document)
        let record = Record(document, note)
        context.answer(options, "diple.document-note/1", record) {
          if let note {
            let markdown = MarkdownConversion(note).markdown
            context.terminal.output.line(
              String(
                markdown.drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed()
              )
              .linesSanitizedForTerminal)
          } else {
            context.show("\(document.path.string) has no note")
          }
        }
        if note == nil { throw ExitCode(1) }
        return
      }
      let (library, document) = try await DocCommand.subject(doc, options, context)
      let content =
        text == "-" ? String(decoding: try context.terminal.readInput(), as: UTF8.self) : text
      let isEmpty = content.allSatisfy(\.isWhitespace)
      let note =
        isEmpty ? nil : AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(content)))
      try await library.setNote(note, of: document, dryRun: writing.dryRun)
      let verb = writing.verb(note == nil ? .remove : .set)
      let record = Record(document, note)
      context.answer(options, "diple.document-note/1", record) {
        context.terminal.output.line(
          "\(verb) the note of \(document.path.string.sanitizedForTerminal)")
      }
    }
  }
}
