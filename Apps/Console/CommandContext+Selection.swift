package import Editing
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// What a command works on: a passage of a text, as the text is now.
package struct Passage {
  /// The text with its highlights.
  package var open: OpenDocument
  /// The units of the text.
  package var units: TextUnits
  /// What is selected in it.
  package var selection: Selection

  /// Makes a passage of its parts.
  package init(open: OpenDocument, units: TextUnits, selection: Selection) {
    (self.open, self.units, self.selection) = (open, units, selection)
  }

  /// Where it stands.
  package var range: TextRange { selection.range }
  /// The words.
  package var text: String { open.parsed.text.substring(range) }
}

extension CommandContext {
  /// A document of the library as its file is now, or a file that is in none; `-` is the standard
  /// input.
  package func open(_ doc: String?, _ options: GlobalOptions) async throws -> OpenDocument {
    if doc == nil, selection.document == nil, let file = selection.file {
      return try Library.openFile(file)
    }
    if doc == "-" {
      return OpenDocument(
        parsed: ParsedDocument(parsing: MarkdownSource(try terminal.readInput())))
    }
    if let doc, !libraries.hasPlace(options) { return try Library.openFile(doc) }
    do {
      let library = try libraries.library(options, .lookOnly)
      return try await open(try await document(doc, in: library), in: library)
    } catch let error as UserError where error.code == .notFound {
      guard let doc, Library.isFile(doc) else { throw error }
      return try Library.openFile(doc)
    }
  }

  /// A document of a library as its file is now, with a notice of what happened to it.
  private func open(_ document: Document, in library: Library) async throws -> OpenDocument {
    let open = try await library.open(document)
    if let report = open.report { terminal.notify([report]) }
    return open
  }

  /// The passage of a highlight, in the text as it is now.
  package func passage(ofHighlight id: String, _ options: GlobalOptions) async throws -> Passage {
    let library = try libraries.library(options, .lookOnly)
    let highlight = try await library.highlight(id)
    let open = try await open(try await library.document(id: highlight.document), in: library)
    let units = units(of: open)
    let range = try await library.select(SelectionSpec(highlight: highlight.id), in: open)
    return Passage(open: open, units: units, selection: Selection(range, in: units))
  }

  /// The passage that a SPEC means in an open text.
  package func range(of spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions)
    async throws -> TextRange
  {
    let spec = try resolved(spec, in: open, options)
    guard libraries.hasPlace(options) else { return try Library.select(spec, inFile: open.parsed) }
    return try await libraries.library(options, .lookOnly).select(spec, in: open)
  }

  /// The units of a text, found once for each text.
  package func units(of open: OpenDocument) -> TextUnits {
    if let units = selection.selected?.units, units.document.source == open.parsed.source {
      return units
    }
    return TextUnits(open.parsed)
  }

  /// The passage of `[DOC] SPEC`; without words what is selected in the line editor.
  package func passage(_ words: [String], _ options: GlobalOptions) async throws -> Passage {
    if words.isEmpty { return try await selectedPassage(options) }
    let (doc, spec) = try documentAndSpec(words)
    let open = try await open(doc, options)
    let units = units(of: open)
    let range = try await range(of: spec, in: open, options)
    return Passage(open: open, units: units, selection: Selection(range, in: units))
  }

  /// What is selected, in the text as its file is now: the selection goes where its words went.
  private func selectedPassage(_ options: GlobalOptions) async throws -> Passage {
    guard let selected = selection.selected else {
      throw UserError(.nothing, "nothing is selected", hint: "select something: select SPEC")
    }
    let library = try libraries.library(options, .lookOnly)
    let open: OpenDocument =
      if let id = selected.document {
        try await self.open(try await library.document(id: id), in: library)
      } else { try await self.open(nil, options) }
    let units = units(of: open)
    let before = selected.units.document
    if before.source == open.parsed.source {
      return Passage(open: open, units: units, selection: selected.selection)
    }
    let moved = selected.selection.remapped(in: units) {
      library.plugins.place(of: $0, from: before.text, to: open.parsed.text)
    }
    guard let moved else {
      selection.selected = nil
      throw UserError(.nothing, "what was selected is no longer in the text")
    }
    select(moved, in: open, units)
    return Passage(open: open, units: units, selection: moved)
  }

  /// Keeps a selection for the lines to come. Only a line editor has such lines.
  package func select(_ selected: Selection, in open: OpenDocument, _ units: TextUnits) {
    guard terminal.isInteractive, open.document != nil || selection.file != nil else { return }
    selection.selected = SelectionState.Selected(
      document: open.document?.id, units: units, selection: selected)
  }

  /// Tells the person's own program what is selected now, in a line editor.
  package func tellSelection() {
    guard terminal.isInteractive, terminal.suspendingTerminal == nil,
      let selected = selection.selected
    else { return }
    selection.hook.tell(
      selected.selection.range, in: selected.units.document, of: selected.document, self, .none)
  }

  /// Says what is selected.
  package func answer(_ passage: Passage, json: Bool) {
    terminal.output.line(
      json ? SelectionRecord.line(passage.range, in: passage.open.parsed) : passage.text)
  }
}
