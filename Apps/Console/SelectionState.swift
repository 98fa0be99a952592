package import Editing
package import FoundationEssentials
package import Model
package import Search

/// The current document, selection and search of a REPL or reader.
package final class SelectionState: @unchecked Sendable {
  // Confined: a front end runs one command at a time, and only commands access it.

  /// A selection and the text in which it was made.
  package struct Selected {
    /// The document's id. Nil for a file outside the library.
    package var document: Document.ID?
    /// The words, sentences and other units of the text that the selection refers to.
    package var units: TextUnits
    /// The selected range.
    package var selection: Selection

    package init(document: Document.ID?, units: TextUnits, selection: Selection) {
      self.document = document
      self.units = units
      self.selection = selection
    }
  }

  /// A search in a document.
  package struct DocumentFind {
    /// The matches and the current match.
    package var session: FindSession
    /// The name with which `CommandContext.open` opens the document or file again. Nil for the
    /// current document.
    package var name: String?

    package init(session: FindSession, name: String?) {
      self.session = session
      self.name = name
    }
  }

  /// The current document, used if DOC is omitted.
  package var document: Document? {
    // The selection belongs to the current document and isn't visible in another.
    didSet { if selected?.document != document?.id { selected = nil } }
  }
  /// The path of a file outside the library, used if DOC is omitted and no document is current.
  package var file: String?
  /// The current selection. Nil if nothing is selected.
  package var selected: Selected?
  /// The first highlight that the last command made, to which a reader goes; nil if it made none.
  package var made: Highlight.ID?
  /// The current search, or nil.
  package var find: DocumentFind?
  /// The current interactive replacement in a reader, or nil.
  package var replacing: ReplaceSession?
  /// The user's program that is notified about the selection.
  package var hook = SelectionHook()

  /// The start of the session.
  package let began = Date.now

  package init() {}
}
