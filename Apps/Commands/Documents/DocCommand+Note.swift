import ArgumentParser
import Console
import FoundationEssentials
import MarkdownParse
import Model
import Rendering
import RichMarkdown
import RichText
import SystemSupport
import Workspace

extension DocCommand {
  /// `doc note`.
  struct Note: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "note",
      abstract: "Show or set the note on a whole document.",
      discussion: """
        TEXT is Markdown: its emphasis, links and headings are kept as formatting. - reads standard \
        input; an empty TEXT removes the note.

        Examples:
          diple doc note essay.md
          diple doc note essay.md 'Read **again** before May.'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New note; - is standard input.") var text: String?

    /// `diple.document-note/1`.
    private struct Record: Encodable {
      var document: HighlightRecord.DocumentReference
      @Nullable var text: String?
      @Nullable var attributed: JSONValue?

      init(_ document: Document, _ note: AttributedText?) throws {
        self.document = .init(document)
        text = note?.string
        attributed = try note.map {
          try JSONDecoder().decode(JSONValue.self, from: try $0.json())
        }
      }
    }

    func run(in context: CommandContext) async throws {
      guard let text else {
        let library = try context.libraries.library(options, .readOnlyOrEmpty)
        let document = try await context.document(doc, in: library)
        let note = try await library.note(of: document)
        let record = try Record(document, note)
        context.answer(options, "diple.document-note/1", record) {
          if let note {
            context.terminal.output.line(note.string.linesSanitizedForTerminal)
          } else {
            context.say("\(document.path.string) has no note")
          }
        }
        if note == nil { throw ExitCode(1) }
        return
      }
      let (library, document) = try await DocCommand.subject(doc, options, context)
      let said =
        text == "-" ? String(decoding: try context.terminal.readInput(), as: UTF8.self) : text
      let isEmpty = said.allSatisfy(\.isWhitespace)
      let note =
        isEmpty ? nil : AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(said)))
      try await library.setNote(note, of: document, dryRun: writing.dryRun)
      let verb = writing.said(note == nil ? .remove : .set)
      let record = try Record(document, note)
      context.answer(options, "diple.document-note/1", record) {
        context.terminal.output.line(
          "\(verb) the note of \(document.path.string.sanitizedForTerminal)")
      }
    }
  }
}
