import MarkdownParse
package import Model
import RichMarkdown
package import RichText
package import Storage
package import SystemSupport

extension Library {
  /// Returns the note on a document; nil if it has none. The notes of a document that was merged
  /// across devices are joined.
  ///
  /// - Throws: `damaged` if the note cannot be decoded.
  package func note(of document: Document) throws(UserError) -> AttributedText? {
    let stored = try storage { try store.read { try $0.values(of: .note, in: document.id) } }
    do { return try AttributedText(storedNotes: stored.map(\.value)) } catch {
      throw UserError(.damaged, "the note of \(document.shownPath) cannot be read: \(error)")
    }
  }

  /// Returns the plain texts of the notes on documents, by the documents, for a search. Notes that
  /// cannot be decoded are reported as damaged rows and left out.
  func textsOfNotes() throws(UserError) -> [Document.ID: String] {
    try storage {
      try store.read { transaction in
        var texts: [Document.ID: String] = [:]
        for (id, properties) in try transaction.documentProperties()
        where properties[.note] != nil {
          // A document that was merged into another one has its note.
          guard let document = try transaction.document(id)?.id, texts[document] == nil,
            let note = try transaction.note(of: document)
          else { continue }
          texts[document] = note.string
        }
        return texts
      }
    }
  }
}

extension ReadTransaction {
  /// Returns the note on a document; nil if it has none. A note that cannot be decoded is reported
  /// as a damaged row and left out.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func note(of id: Document.ID) throws -> AttributedText? {
    let stored = try values(of: .note, in: id)
    do { return try AttributedText(storedNotes: stored.map(\.value)) } catch {
      report("the note of document \(id) cannot be read: \(error)")
      return nil
    }
  }
}

extension AttributedText {
  /// Decodes the stored notes on a document, and joins them with blank lines between them. Nil if
  /// there is none.
  ///
  /// - Throws: ``AttributedTextError`` if one is invalid.
  fileprivate init?(storedNotes: [String]) throws(AttributedTextError) {
    var notes: [AttributedText] = []
    for value in storedNotes where !value.isEmpty {
      let note = try AttributedText(json: Array(value.utf8))
      if !notes.contains(note) { notes.append(note) }
    }
    guard let first = notes.first else { return nil }
    guard notes.count > 1 else {
      self = first
      return
    }
    // Two devices each had a note on the document before the documents were merged.
    let text = notes.map(\.markdown).joined(separator: "\n\n")
    self.init(markdown: ParsedDocument(parsing: MarkdownSource(text)))
  }
}
