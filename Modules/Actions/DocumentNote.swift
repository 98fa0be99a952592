import LibraryFormatting
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Workspace

/// Shows the note on a document.
package struct ShowDocumentNote: Action {
  package static let name = "document.note"
  package static let summary = "Shows the note on a document."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [ShowDocumentNote(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package func run(in session: ActionSession) async throws -> DocumentNoteOutcome {
    let document = try await session.document(document, orRemoved: true)
    return DocumentNoteOutcome(
      document: document, note: try await session.library.note(of: document))
  }
}

/// Sets the note on a document.
package struct SetDocumentNote: Action {
  package static let name = "document.annotate"
  package static let summary = "Sets the note on a document; an empty text removes it."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    .document, ActionParameter("text", .text, "The note as Markdown.", isRequired: true), .dryRun,
  ]
  package static let examples = [
    SetDocumentNote(document: .example, text: "Read **again**.", dryRun: true)
  ]

  package var document: Document.ID
  package var text: String
  package var dryRun: Bool?

  package init(document: Document.ID, text: String, dryRun: Bool? = nil) {
    (self.document, self.text, self.dryRun) = (document, text, dryRun)
  }

  package func run(in session: ActionSession) async throws -> DocumentNoteOutcome {
    let document = try await session.document(document)
    let isEmpty = text.allSatisfy(\.isWhitespace)
    let note =
      isEmpty ? nil : AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(text)))
    try await session.library.setNote(note, of: document, dryRun: dryRun ?? false)
    return DocumentNoteOutcome(document: document, note: note)
  }
}

/// A document and its note after an action.
package struct DocumentNoteOutcome: ActionOutcome {
  package var document: Document
  /// The note; nil if the document has none.
  package var note: AttributedText?

  /// The note as Markdown, without line breaks around it.
  package var markdown: String? { note?.markdown }

  /// The record `diple.document-note/1`.
  private struct Record: Encodable {
    /// The attributes of a range of the note.
    struct Run: Encodable {
      var range: TextRange
      var attributes: [FormatRecord.AttributeRecord]
    }

    var document: HighlightRecord.DocumentReference
    @Nullable var text: String?
    var runs: [Run] = []

    init(_ document: Document, _ note: AttributedText?) {
      self.document = .init(document)
      text = note?.string
      guard let note else { return }
      runs = note.characters.runs.map {
        Run(range: $0.range, attributes: FormatRecord.lines($0.set, []))
      }
      runs += note.paragraphs.runs.map {
        Run(range: $0.range, attributes: FormatRecord.lines([], $0.set))
      }
      runs.sort { $0.range.lowerBound < $1.range.lowerBound }
    }
  }

  package var json: String { JSON.line("diple.document-note/1", Record(document, note)) }
}
