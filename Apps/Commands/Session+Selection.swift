import Editing
import MarkdownParse
import Model
import Workspace

/// What a command works on: a passage of a text, as the text is now.
struct Passage {
  /// The text with its highlights.
  var open: OpenDocument
  /// The units of the text.
  var units: TextUnits
  /// What is selected in it.
  var selection: Selection

  /// Where it stands.
  var range: TextRange { selection.range }
  /// The words.
  var text: String { open.parsed.text.substring(range) }
}

extension Session {
  /// What is selected in a line editor, with the text it was selected in.
  struct Selected {
    /// The document; nil for a file in no library.
    var document: Document.ID?
    var units: TextUnits
    var selection: Selection
  }

  /// A document of the library as its file is now, or a file that is in none; `-` is the standard
  /// input.
  func open(_ doc: String?, _ options: GlobalOptions) async throws -> OpenDocument {
    if doc == nil, document == nil, let file { return try Library.openFile(file) }
    if doc == "-" {
      return OpenDocument(parsed: ParsedDocument(parsing: MarkdownSource(try readInput())))
    }
    if let doc, !hasPlace(options) { return try Library.openFile(doc) }
    do {
      let library = try library(options, .lookOnly)
      let open = try await library.open(try await document(doc, in: library))
      if let report = open.report { notify([report]) }
      return open
    } catch let error as LibraryError where error.code == .notFound {
      guard let doc, Library.isFile(doc) else { throw error }
      return try Library.openFile(doc)
    }
  }

  /// Whether there is a place for a library: a file can be read without any.
  func hasPlace(_ options: GlobalOptions) -> Bool {
    (try? LibraryLocation.find(named: options.library, environment: environment)) != nil
  }

  /// The passage that a SPEC means in an open text.
  func range(of spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions) async throws
    -> TextRange
  {
    let spec = try resolved(spec, in: open, options)
    guard hasPlace(options) else { return try Library.select(spec, inFile: open.parsed) }
    return try await library(options, .lookOnly).select(spec, in: open)
  }

  /// The units of a text, found once for each text.
  func units(of open: OpenDocument) -> TextUnits {
    if let selected, selected.units.document.source == open.parsed.source { return selected.units }
    return TextUnits(open.parsed)
  }

  /// The passage of `[DOC] SPEC`; without words what is selected in the line editor.
  func passage(_ words: [String], _ options: GlobalOptions) async throws -> Passage {
    if words.isEmpty { return try await selectedPassage(options) }
    let (doc, spec) = try documentAndSpec(words)
    let open = try await open(doc, options)
    let units = units(of: open)
    let range = try await range(of: spec, in: open, options)
    return Passage(open: open, units: units, selection: Selection(range, in: units))
  }

  /// What is selected, in the text as its file is now: the selection goes where its words went.
  private func selectedPassage(_ options: GlobalOptions) async throws -> Passage {
    guard let selected else {
      throw LibraryError(.nothing, "nothing is selected", hint: "select something: select SPEC")
    }
    let library = try library(options, .lookOnly)
    let open = try await open(selected.document?.description, options)
    let units = units(of: open)
    let before = selected.units.document
    if before.source == open.parsed.source {
      return Passage(open: open, units: units, selection: selected.selection)
    }
    let selection = selected.selection.remapped(in: units) {
      library.plugins.place(of: $0, from: before.text, to: open.parsed.text)
    }
    guard let selection else {
      self.selected = nil
      throw LibraryError(.nothing, "what was selected is no longer in the text")
    }
    select(selection, in: open, units)
    return Passage(open: open, units: units, selection: selection)
  }

  /// Keeps a selection for the lines to come. Only a line editor has such lines.
  func select(_ selection: Selection, in open: OpenDocument, _ units: TextUnits) {
    guard isInteractive, open.document != nil || file != nil else { return }
    selected = Selected(document: open.document?.id, units: units, selection: selection)
  }

  /// Tells the person's own program what is selected now, in a line editor.
  func tellSelection() {
    guard isInteractive, outside == nil, let selected else { return }
    hook.tell(
      selected.selection.range, in: selected.units.document, of: selected.document, self, .none)
  }

  /// Says what is selected.
  func answer(_ passage: Passage, json: Bool) {
    output.line(
      json ? SelectionRecord.line(passage.range, in: passage.open.parsed) : passage.text)
  }
}
