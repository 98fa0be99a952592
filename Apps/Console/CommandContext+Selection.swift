import Actions
package import Editing
package import MarkdownParse
package import Model
import Rendering
import SystemSupport
package import Workspace

/// A passage of the current version of a text.
package struct Passage {
  /// The text with its highlights.
  package var open: OpenDocument
  /// The units of the text, such as words and sentences.
  package var units: TextUnits
  /// The selected range of the text.
  package var selection: Selection
  /// The highlight, if the user named one.
  package var highlight: Highlight?

  package init(
    open: OpenDocument, units: TextUnits, selection: Selection, highlight: Highlight? = nil
  ) {
    (self.open, self.units, self.selection, self.highlight) = (open, units, selection, highlight)
  }

  /// The range of the passage in the rendered text.
  package var range: TextRange { selection.range }
  /// The text of the passage.
  package var text: String { open.parsed.text.substring(range) }
  /// The passage as a line of JSON with the schema `diple.selection/1`.
  package var json: String { SelectionRecord.line(range, in: open.parsed) }
}

extension CommandContext {
  /// Opens a document of the library in the current version of its file, or a file that is in no
  /// library. `-` reads standard input. Nil refers to the current document or file.
  ///
  /// - Parameters:
  ///   - dialect: the dialect of a file or of standard input. Nil applies the settings.
  ///   - makesCurrent: whether the document becomes the current document of the REPL.
  /// - Throws: ``UserError`` with the code `usage` if a dialect is passed for a document of the
  ///   library, `notFound` if neither a document nor a file has the name.
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

  /// Opens a document of a library in the current version of its file and reports changes to its
  /// highlights.
  private func open(_ document: Document, in library: Library) async throws -> OpenDocument {
    let open = try await library.open(document)
    if let report = open.report { terminal.notify([report]) }
    return open
  }

  /// Returns the passage of a highlight in the current version of its text.
  private func passage(ofHighlight id: String, _ options: GlobalOptions) async throws -> Passage {
    let library = try libraries.library(options, .readOnlyOrEmpty)
    let highlight = try await library.highlight(id)
    let open = try await open(try await library.document(id: highlight.document), in: library)
    let units = units(of: open)
    let range = try await library.select(SelectionSpec(highlight: highlight.id), in: open)
    return Passage(
      open: open, units: units, selection: Selection(range, in: units), highlight: highlight)
  }

  /// Returns the bibliographic source of a text. For a file outside the library, this is its front
  /// matter.
  ///
  /// - Throws: the errors of ``LibraryContext/library(_:_:)``.
  package func source(of open: OpenDocument, _ options: GlobalOptions) async throws
    -> DocumentSource
  {
    guard let document = open.document else { return DocumentSource(of: open) }
    return try await libraries.library(options, .readOnlyOrEmpty).source(of: document)
  }

  /// Returns the range of a SPEC in an open text. Reports on standard error if a quote was only
  /// found approximately.
  ///
  /// - Throws: the errors of `Library.select(_:in:)`, such as `notFound` for a quote that the text
  ///   does not contain.
  package func range(of spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions)
    async throws -> TextRange
  {
    var spec = try resolved(spec, in: open, options)
    spec.allowsOtherMarks = true
    let range =
      libraries.hasPlace(options)
      ? try await libraries.library(options, .readOnlyOrEmpty).select(spec, in: open)
      : try Library.select(spec, inFile: open.parsed, libraries.plugins)
    reportFuzzyMatch(range, for: spec, in: open)
    return range
  }

  /// Reports on standard error which words were selected if they differ from the quote of the SPEC.
  package func reportFuzzyMatch(_ range: TextRange, for spec: SelectionSpec, in open: OpenDocument)
  {
    guard let difference = spec.difference(from: range, in: open.parsed) else { return }
    let words = open.parsed.text.substring(range).shortened
    terminal.errors.line("found \(difference): “\(words)”")
  }

  /// Returns the units of a text. Reuses those of the current selection if it is in the same text.
  package func units(of open: OpenDocument) -> TextUnits {
    if let units = selection.selected?.units, units.document.isSame(as: open.parsed) {
      return units
    }
    return TextUnits(open.parsed)
  }

  /// Returns the passage of `[DOC] SPEC`. In the REPL, no words refer to the current selection, and
  /// the name of a unit alone refers to the unit around the selection.
  ///
  /// - Parameter makesCurrent: whether DOC becomes the current document of the REPL.
  /// - Throws: ``UserError`` with the code `nothing` if nothing is selected, `usage` for an invalid
  ///   SPEC; otherwise the errors of opening DOC and of ``range(of:in:_:)``.
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

  /// Returns the passage of `[DOC] SPEC` or of a highlight, which doesn't need a document. The
  /// current document stays the same.
  ///
  /// - Throws: ``UserError`` with the code `notFound` or `ambiguous` for the id of a highlight;
  ///   otherwise the errors of ``passage(_:_:in:makesCurrent:)``.
  package func passage(
    ofHighlightOr words: [String], _ options: GlobalOptions, in dialect: MarkdownDialect? = nil
  ) async throws -> Passage {
    guard let id = highlightID(words) else {
      return try await passage(words, options, in: dialect, makesCurrent: false)
    }
    return try await passage(ofHighlight: id, options)
  }

  /// Returns the highlight's id if the only word is `hl:ID` or an id. The id isn't looked up.
  package func highlightID(_ words: [String]) -> String? {
    guard words.count == 1 else { return nil }
    if words[0].hasPrefix("hl:") { return String(words[0].dropFirst(3)) }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].isEmpty, parts[0].allSatisfy({ ("0"..."9").contains($0) }),
      parts.dropFirst().allSatisfy({ $0.allSatisfy(\.isHexDigit) })
    else { return nil }
    return words[0]
  }

  /// Returns whether the words of a command refer to the current selection. This is the case in the
  /// REPL if there are no words, or if the only word is the name of a unit and text is selected.
  package func refersToSelection(_ words: [String]) -> Bool {
    guard terminal.isInteractive else { return false }
    return words.isEmpty || words.count == 1 && TextUnit(name: words[0]) != nil && hasSelection
  }

  private var hasSelection: Bool { terminal.isInteractive && selection.selected != nil }

  /// Returns the unit around the caret, or the range of all units that the selection overlaps.
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

  /// Returns the current selection in the current version of its text. If the text has changed, the
  /// selection is moved to the new position of its words. Throws ``UserError`` with the code
  /// `nothing` if nothing is selected or the words were deleted.
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
      throw UserError(.nothing, "the selected passage is no longer in the text")
    }
    select(moved, in: open, units)
    return Passage(open: open, units: units, selection: moved)
  }

  /// Returns the document and the SPEC for a command that writes. The words are the same as for
  /// ``passage(_:_:in:makesCurrent:)``.
  ///
  /// - Throws: the errors of ``passage(_:_:in:makesCurrent:)``; ``UserError`` if the document is
  ///   not in the library.
  package func subject(_ words: [String], _ options: GlobalOptions) async throws -> (
    document: Document, spec: SelectionSpec
  ) {
    if refersToSelection(words) {
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

  /// Makes a selection the current one. Does nothing unless this is a REPL or reader.
  package func select(_ selected: Selection, in open: OpenDocument, _ units: TextUnits) {
    guard terminal.isInteractive, open.document != nil || selection.file != nil else { return }
    selection.selected = SelectionState.Selected(
      document: open.document?.id, units: units, selection: selected)
  }

  /// Runs the user's selection hook in the REPL, also when the selection was cleared. In the
  /// reader, the reader itself runs the hook.
  package func notifySelection() {
    guard terminal.isInteractive, terminal.suspendingTerminal == nil else { return }
    guard let selected = selection.selected else {
      return selection.hook.notifyCleared(self, .none)
    }
    selection.hook.notify(
      selected.selection.range, in: selected.units.document, of: selected.document, self, .none)
  }

  /// Makes a passage the current selection and prints it.
  package func select(_ passage: Passage, _ options: GlobalOptions) {
    select(passage.selection, in: passage.open, passage.units)
    answer(options, json: passage.json, plain: passage.text.linesSanitizedForTerminal)
  }
}
