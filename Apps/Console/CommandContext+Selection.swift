package import Editing
package import MarkdownParse
package import Model
import Rendering
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
  /// The highlight that it is, when a person named one.
  package var highlight: Highlight?

  /// Makes a passage of its parts.
  package init(
    open: OpenDocument, units: TextUnits, selection: Selection, highlight: Highlight? = nil
  ) {
    (self.open, self.units, self.selection, self.highlight) = (open, units, selection, highlight)
  }

  /// Where it stands.
  package var range: TextRange { selection.range }
  /// The words.
  package var text: String { open.parsed.text.substring(range) }
  /// A line of `diple.selection/1`.
  package var json: String { SelectionRecord.line(range, in: open.parsed) }
}

extension CommandContext {
  /// A document of the library as its file is now, or a file that is in none; `-` is the standard
  /// input.
  ///
  /// - Parameters:
  ///   - dialect: the dialect that a person names for a file or the standard input.
  ///   - makesCurrent: whether it becomes the current document of the line editor.
  package func open(
    _ doc: String?, _ options: GlobalOptions, in dialect: MarkdownDialect? = nil,
    makesCurrent: Bool = true
  ) async throws -> OpenDocument {
    if doc == nil, selection.document == nil, let file = selection.file {
      return try Library.openFile(file, in: dialect, libraries.dialects(options))
    }
    if doc == "-" {
      return OpenDocument(
        parsed: ParsedDocument(
          parsing: MarkdownSource(try terminal.readInput()),
          in: dialect ?? libraries.dialects(options).rules.dialect ?? .standard))
    }
    if let doc, !libraries.hasPlace(options) {
      return try Library.openFile(doc, in: dialect, libraries.dialects(options))
    }
    do {
      let library = try libraries.library(options, .readOnlyOrEmpty)
      let document = try await document(doc, in: library, makesCurrent: makesCurrent)
      if dialect != nil { throw UserError.dialectOfDocument(document) }
      return try await open(document, in: library)
    } catch let error as UserError where error.code == .notFound {
      guard let doc, Library.isFile(doc) else { throw error }
      return try Library.openFile(doc, in: dialect, libraries.dialects(options))
    }
  }

  /// A document of a library as its file is now, with a notice of what happened to it.
  private func open(_ document: Document, in library: Library) async throws -> OpenDocument {
    let open = try await library.open(document)
    if let report = open.report { terminal.notify([report]) }
    return open
  }

  /// The passage of a highlight, in the text as it is now.
  private func passage(ofHighlight id: String, _ options: GlobalOptions) async throws -> Passage {
    let library = try libraries.library(options, .readOnlyOrEmpty)
    let highlight = try await library.highlight(id)
    let open = try await open(try await library.document(id: highlight.document), in: library)
    let units = units(of: open)
    let range = try await library.select(SelectionSpec(highlight: highlight.id), in: open)
    return Passage(
      open: open, units: units, selection: Selection(range, in: units), highlight: highlight)
  }

  /// What is known of the work that an open text is.
  package func source(of open: OpenDocument, _ options: GlobalOptions) async throws
    -> DocumentSource
  {
    guard let document = open.document else { return DocumentSource(of: open) }
    return try await libraries.library(options, .readOnlyOrEmpty).source(of: document)
  }

  /// The passage that a SPEC means in an open text.
  package func range(of spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions)
    async throws -> TextRange
  {
    var spec = try resolved(spec, in: open, options)
    spec.allowsOtherMarks = true
    let range =
      libraries.hasPlace(options)
      ? try await libraries.library(options, .readOnlyOrEmpty).select(spec, in: open)
      : try Library.select(spec, inFile: open.parsed, libraries.plugins)
    sayTaken(range, for: spec, in: open)
    return range
  }

  /// Says what was taken for a quote that does not stand there so.
  package func sayTaken(_ range: TextRange, for spec: SelectionSpec, in open: OpenDocument) {
    guard let difference = spec.difference(from: range, in: open.parsed) else { return }
    let words = open.parsed.text.substring(range).shortened
    terminal.errors.line("taken \(difference): “\(words)”")
  }

  /// The units of a text, found once for each text.
  package func units(of open: OpenDocument) -> TextUnits {
    if let units = selection.selected?.units, units.document.isSame(as: open.parsed) {
      return units
    }
    return TextUnits(open.parsed)
  }

  /// The passage of `[DOC] SPEC`; without words what is selected in the line editor, and with the
  /// name of a unit alone the unit around that.
  ///
  /// - Parameter makesCurrent: whether DOC becomes the current document of the line editor.
  package func passage(
    _ words: [String], _ options: GlobalOptions, in dialect: MarkdownDialect? = nil,
    makesCurrent: Bool = true
  ) async throws -> Passage {
    if words.isEmpty { return try await selectedPassage(options) }
    if words.count == 1, let unit = TextUnit(name: words[0]), unit != .all,
      hasSelection
    {
      return try await selectedUnit(unit, options)
    }
    let (doc, spec) = try documentAndSpec(words)
    let open = try await open(doc, options, in: dialect, makesCurrent: makesCurrent)
    let units = units(of: open)
    let range = try await range(of: spec, in: open, options)
    return Passage(open: open, units: units, selection: Selection(range, in: units))
  }

  /// The passage of `[DOC] SPEC` or of a highlight, which needs no document beside it; it leaves the
  /// current document as it is.
  package func passage(
    ofHighlightOr words: [String], _ options: GlobalOptions, in dialect: MarkdownDialect? = nil
  ) async throws -> Passage {
    guard let id = highlightID(words) else {
      return try await passage(words, options, in: dialect, makesCurrent: false)
    }
    return try await passage(ofHighlight: id, options)
  }

  /// The id when one word names a highlight: `hl:ID`, or an id alone.
  package func highlightID(_ words: [String]) -> String? {
    guard words.count == 1 else { return nil }
    if words[0].hasPrefix("hl:") { return String(words[0].dropFirst(3)) }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].isEmpty, parts[0].allSatisfy({ ("0"..."9").contains($0) }),
      parts.dropFirst().allSatisfy({ $0.allSatisfy(\.isHexDigit) })
    else { return nil }
    return words[0]
  }

  /// Whether something in the current document or file is selected.
  /// Whether the words of a command mean what is selected: none, or a unit around the selection.
  package func meansSelection(_ words: [String]) -> Bool {
    guard terminal.isInteractive else { return false }
    return words.isEmpty || words.count == 1 && TextUnit(name: words[0]) != nil && hasSelection
  }

  private var hasSelection: Bool { terminal.isInteractive && selection.selected != nil }

  /// A unit around the start of what is selected; all units that what is selected touches.
  private func selectedUnit(_ unit: TextUnit, _ options: GlobalOptions) async throws -> Passage {
    var passage = try await selectedPassage(options)
    let range = passage.range
    let last = range.isEmpty ? range.lowerBound : TextOffset(utf16: range.upperBound.utf16 - 1)
    guard let first = passage.units.unit(unit, at: range.lowerBound),
      let end = passage.units.unit(unit, at: last)
    else {
      throw UserError(.nothing, "there is no \(unit.rawValue) at the caret")
    }
    passage.selection = Selection(
      TextRange(first.lowerBound, max(first.upperBound, end.upperBound)), in: passage.units)
    return passage
  }

  /// What is selected, in the text as its file is now: the selection goes where its words went.
  private func selectedPassage(_ options: GlobalOptions) async throws -> Passage {
    guard let selected = selection.selected else {
      let place = promptName.isEmpty ? "" : " in \(promptName)"
      throw UserError(
        .nothing, "nothing is selected\(place)",
        hint: "select something: \(typed: "select", "SPEC")")
    }
    let open: OpenDocument
    if let id = selected.document {
      let library = try libraries.library(options, .readOnlyOrEmpty)
      open = try await self.open(try await library.document(id: id), in: library)
    } else {
      open = try await self.open(nil, options)
    }
    let units = units(of: open)
    let before = selected.units.document
    if before.isSame(as: open.parsed) {
      return Passage(open: open, units: units, selection: selected.selection)
    }
    let library = try libraries.library(options, .readOnlyOrEmpty)
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

  /// The document and the SPEC that a command writes for `[DOC] SPEC`; what is selected, and a unit
  /// around it, as in `passage`.
  package func subject(_ words: [String], _ options: GlobalOptions) async throws -> (
    document: Document, spec: SelectionSpec
  ) {
    if meansSelection(words) {
      let passage = try await passage(words, options)
      guard let document = passage.open.document else {
        throw UserError.inNoLibrary()
      }
      return (document, SelectionSpec(units: passage.range))
    }
    let (doc, spec) = try documentAndSpec(words)
    let library = try libraries.library(options, .existing)
    let document = try await document(doc, in: library, toChange: true)
    guard spec.rows != nil else { return (document, spec) }
    return (document, try resolved(spec, in: try await library.open(document), options))
  }

  /// Keeps a selection for the lines to come. Only a line editor has such lines.
  package func select(_ selected: Selection, in open: OpenDocument, _ units: TextUnits) {
    guard terminal.isInteractive, open.document != nil || selection.file != nil else { return }
    selection.selected = SelectionState.Selected(
      document: open.document?.id, units: units, selection: selected)
  }

  /// Tells the person's own program what is selected now, in a line editor; also that nothing is any
  /// more.
  package func tellSelection() {
    guard terminal.isInteractive, terminal.suspendingTerminal == nil else { return }
    guard let selected = selection.selected else {
      return selection.hook.tellNothing(self, .none)
    }
    selection.hook.tell(
      selected.selection.range, in: selected.units.document, of: selected.document, self, .none)
  }

  /// Keeps a passage for the lines to come, and says what it is.
  package func select(_ passage: Passage, _ options: GlobalOptions) {
    select(passage.selection, in: passage.open, passage.units)
    answer(options, json: passage.json, plain: passage.text.linesSanitizedForTerminal)
  }
}
