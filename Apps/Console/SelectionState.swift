package import Editing
package import FoundationEssentials
package import Model
package import Search

/// What is current in a line editor or reader: the document, the selection and the search.
package final class SelectionState: @unchecked Sendable {
  // Confined: a front-end runs one command at a time, and only commands touch it.

  /// A selection with the text it was made in.
  package struct Selected {
    /// The document; nil for a file in no library.
    package var document: Document.ID?
    /// The units of the text.
    package var units: TextUnits
    /// What is selected in it.
    package var selection: Selection

    /// Makes a selection of its parts.
    package init(document: Document.ID?, units: TextUnits, selection: Selection) {
      self.document = document
      self.units = units
      self.selection = selection
    }
  }

  /// What a person looks for, and in which document.
  package struct DocumentFind {
    /// The matches and the current one.
    package var session: FindSession
    /// Where they are: how `CommandContext.open` finds the document or file again.
    package var name: String?

    /// Makes a search of its parts.
    package init(session: FindSession, name: String?) {
      self.session = session
      self.name = name
    }
  }

  /// The document that DOC means when it is omitted.
  package var document: Document? {
    // A selection is one of the current document: elsewhere nobody sees it.
    didSet { if selected?.document != document?.id { selected = nil } }
  }
  /// The file that is meant when DOC is omitted and no document is current: one in no library.
  package var file: String?
  /// What is selected.
  package var selected: Selected?
  /// What is being looked for.
  package var find: DocumentFind?
  /// What is being replaced match by match, where a reader asks for the answers.
  package var replacing: ReplaceSession?
  /// Who is told what is selected.
  package var hook = SelectionHook()

  /// When the session began.
  package let began = Date.now

  /// Nothing is current.
  package init() {}
}
