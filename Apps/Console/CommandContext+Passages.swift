import Actions
import Configuration
import DaemonKit
package import Editing
package import MarkdownParse
package import Model
import Rendering
package import SystemSupport
package import Workspace

extension CommandContext {
  /// Checks the files of documents for changes and reports what happened to their highlights.
  ///
  /// - Throws: ``UserError`` with the code `damaged` or `conflict` if the library cannot be read or
  ///   written.
  package func refresh(_ library: Library, _ documents: [Document]?, _ options: GlobalOptions)
    async throws
  {
    if documents == nil, libraries.filesAreSettled(library, options) { return }
    if let documents {
      notify(try await library.refresh(documents))
    } else {
      notify(try await library.refreshChanged())
    }
  }

  /// Returns the document for a command's DOC. In a REPL, nil refers to the current document.
  ///
  /// - Parameters:
  ///   - known: the document with the name, if it was found already.
  ///   - makesCurrent: whether a named document becomes the current document of the REPL.
  ///   - toChange: whether the command writes. Then a part of a name is only accepted if the user
  ///     confirms the document.
  /// - Throws: ``UserError`` with the code `usage` if no document is named and none is current,
  ///   `notFound` or `ambiguous` if the name doesn't match exactly one document.
  package func document(
    _ name: String?, _ known: Document? = nil, in library: Library, makesCurrent: Bool = true,
    toChange: Bool = false
  ) async throws -> Document {
    guard let name else {
      guard let document = selection.document else {
        throw UserError(
          .usage, "which document?",
          hint: terminal.isInteractive
            ? "name one, or make it the current one with \(command: "show", "DOC")"
            : "name its path or title; \(command: "doc", "list") shows them")
      }
      return try await library.document(id: document.id)
    }
    let found: Document
    if let known {
      found = known
    } else {
      let match = try await library.lookUp(name)
      notify(await library.drainFoundDocuments())
      found = match.document
      if toChange, match.isPart { try confirmPartialMatch(found, by: name) }
    }
    if terminal.isInteractive, makesCurrent { selection.document = found }
    return found
  }

  /// Returns whether a word is a complete name: an existing file, `-`, a folder of documents, or
  /// the path, title or id of a document.
  ///
  /// - Throws: ``UserError`` if the library cannot be read.
  package func isWholeName(_ word: String, in library: Library?) async throws -> Bool {
    if Library.isFile(word) || word == "-" { return true }
    guard let library else { return false }
    do {
      if try await library.documents(below: word) != nil { return true }
      return try await !library.lookUp(word).isPart
    } catch {
      guard error.code == .notFound || error.code == .ambiguous else { throw error }
      return false
    }
  }

  /// Asks the user to confirm a document of which only a part of the name was typed.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if there is no terminal for the question,
  ///   `nothing` if the user declines.
  private func confirmPartialMatch(_ document: Document, by name: String) throws {
    guard terminal.canPrompt else {
      throw UserError(
        .notFound, "'\(name)' is only a part of \(paths.name(document.path))",
        hint: "to change that document, name its whole path or title")
    }
    try terminal.confirm(
      "Use \(shown(document.path)), whose name contains '\(name.sanitizedForTerminal)'?", yes: false
    )
  }

  /// Returns a highlight and its document, after checking the document's file for changes.
  ///
  /// - Parameter id: the highlight's number, or its id or the beginning of it.
  /// - Throws: ``UserError`` with the code `notFound` if no highlight has the id, or `ambiguous` if
  ///   several ids begin with it.
  package func highlight(_ id: String, in library: Library) async throws -> (Highlight, Document) {
    let found = try await library.highlight(id)
    let document = try await library.document(id: found.document)
    if document.state == .removed { return (found, document) }
    notify(try await library.refresh([document]))
    return (
      try await library.highlight(id: found.id),
      try await library.document(id: found.document)
    )
  }
}

extension CommandContext {
  /// Adds a file to the library before a command uses it, if `--add` is set or the user agrees when
  /// asked. Creates the library if it doesn't exist.
  ///
  /// - Parameters:
  ///   - name: the command's DOC. Nothing happens unless it is a file that isn't in the library.
  ///   - isWanted: whether the command is useless without the file. Then an empty answer means yes.
  /// - Returns: the document of the file; nil if the name is not that of a file.
  /// - Throws: ``UserError`` with the code `notFound` if the file isn't in the library and there is
  ///   no terminal for the question, `nothing` if the user declines.
  @discardableResult
  package func addIfWanted(
    _ name: String, _ adding: AddOptions, _ options: GlobalOptions, isWanted: Bool = true
  ) async throws -> Document? {
    guard Library.isFile(name), libraries.hasPlace(options) else { return nil }
    let library = try libraries.library(options, .readOnlyOrEmpty)
    do { return try await document(name, in: library, makesCurrent: false) } catch let error
      as UserError where error.code == .notFound
    {}
    guard adding.adds || terminal.canPrompt else {
      throw UserError(
        .notFound, "\(name) is not in the library",
        hint: "\(command: "add", .word(name)) adds it, or pass --add")
    }
    let shown = name.sanitizedForTerminal
    let place = library.isAbsent ? "a new library" : "the library"
    let question = "Add \(shown) to \(place)? \(isWanted ? "[Y/n]" : "[y/N]")"
    if !adding.adds, !(try terminal.agrees(question, unlessSaid: isWanted)) {
      throw UserError(.nothing, "nothing was changed")
    }
    let result = try await libraries.library(options, .create).add([name]) { _ in }
    if let problem = result.problems.first { throw problem }
    terminal.errors.line("added \(shown)")
    return result.additions.first?.document
  }
}

extension CommandContext {
  /// Splits the words `[DOC] SPEC`. In a REPL with a current text, DOC may be omitted, and several
  /// words of the text need no quotation marks around them: `mark "Good morning," she said`.
  ///
  /// - Throws: ``UserError`` with the code `usage` for another number of words or an invalid SPEC;
  ///   the errors of ``isWholeName(_:in:)``.
  package func documentAndSpec(_ words: [String], _ options: GlobalOptions) async throws -> (
    doc: String?, spec: SelectionSpec
  ) {
    if words.count > 1, hasCurrentText {
      if try await isSpec(words, options) {
        return (nil, try selectionSpec(words.joined(separator: " ")))
      }
      return (
        unquoted(words[0]), try selectionSpec(words.dropFirst().joined(separator: " "))
      )
    }
    guard (1...2).contains(words.count), terminal.isInteractive || words.count == 2 else {
      let message = "expected DOC and SPEC, got \(words.count.counted("word"))"
      let library = try? libraries.library(options, .readOnlyOrEmpty)
      if words.count > 2, try await isWholeName(words[0], in: library) {
        let quote = words.dropFirst().joined(separator: " ")
        throw UserError(
          .usage, message,
          hint: "put the quote in quotation marks: \(words: .word(words[0]), .spec(quote))")
      }
      throw UserError(
        .usage, message,
        hint:
          """
          put a quote in quotation marks, for example \
          \(words: "essay.md", .spec("\"some words\"")); all is the whole document
          """
      )
    }
    return (
      words.count == 2 ? unquoted(words[0]) : nil, try selectionSpec(words[words.count - 1])
    )
  }

  /// Whether the session of a REPL or reader shows a text.
  private var hasCurrentText: Bool {
    terminal.isInteractive && (selection.document != nil || selection.file != nil)
  }

  /// Returns whether several words are a passage of the current text, not DOC and SPEC. DOC is the
  /// complete name of a document, or the path of a file before a SPEC that is more than unquoted
  /// words.
  private func isSpec(_ words: [String], _ options: GlobalOptions) async throws -> Bool {
    if ["\"", "“"].contains(words[0].first), !isQuoted(words[0]) { return true }
    // A file that is not in the library, before a SPEC that is more than unquoted words.
    let isPath = words[0].contains("/") || words[0].contains(#/\.[A-Za-z0-9]{1,8}$/#)
    if isPath, words.count == 2, let spec = try? SelectionSpec(parsing: words[1]),
      spec.namesItsKind
    {
      return false
    }
    let library = try? libraries.library(options, .readOnlyOrEmpty)
    return try await !isWholeName(unquoted(words[0]), in: library)
  }

  /// Parses a SPEC. `-` reads a quote from standard input. A quote may differ from the text in
  /// case and marks. Throws ``UserError`` with the code `usage` if the SPEC is invalid.
  package func selectionSpec(_ text: String) throws -> SelectionSpec {
    var text = text
    if text == "-" {
      let quote = String(decoding: try terminal.readInput(), as: UTF8.self)
      let escaped = quote.trimmed.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text = "\"\(escaped)\""
    }
    if text != TextUnit.all.rawValue, let unit = TextUnit(name: text) {
      throw UserError(
        .usage, "'\(text)' is a unit without a number",
        hint: """
          write a unit with a number, such as \(unit.numberedSpec), or for the word itself \
          type \(words: .spec("\"\(text)\""))
          """)
    }
    do {
      var spec = try SelectionSpec(parsing: text)
      spec.allowsOtherMarks = true
      return spec
    } catch { throw UserError(.usage, error.description.sanitizedForTerminal) }
  }

  /// Removes the quotation marks around a word that isn't a SPEC. The REPL keeps them in every
  /// argument that accepts a SPEC.
  package func unquoted(_ word: String) -> String {
    terminal.isInteractive && isQuoted(word) ? String(word.dropFirst().dropLast()) : word
  }

  private func isQuoted(_ word: String) -> Bool {
    word.count > 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
  }
}

extension TextUnit {
  /// Creates the unit with a name, in the singular or plural. `char` and `para` are accepted as
  /// abbreviations. Returns nil for an unknown name.
  package init?(name: String) {
    let singular = name.hasSuffix("s") && name != "s" ? String(name.dropLast()) : name
    let known = ["char": TextUnit.character, "para": .paragraph]
    guard let unit = TextUnit(rawValue: singular) ?? known[singular] else { return nil }
    self = unit
  }

  /// An example of a SPEC for this unit, as shown in a hint.
  fileprivate var numberedSpec: String {
    switch self {
    case .character: "u16:120-121"
    case .word, .sentence, .all: "word:12"
    case .line: "line:4"
    case .paragraph, .block: "para:3"
    case .section: "section:\"Intro\""
    }
  }
}

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
    if doc == "-" { return openText(try terminal.readInput(), options, in: dialect) }
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

  /// Opens a text that has no file.
  ///
  /// - Parameter dialect: the dialect of the text. Nil applies the settings.
  package func openText(
    _ bytes: [UInt8], _ options: GlobalOptions, in dialect: MarkdownDialect? = nil
  ) -> OpenDocument {
    OpenDocument(
      parsed: ParsedDocument(
        parsing: MarkdownSource(bytes),
        in: dialect ?? libraries.dialects(options).rules.dialect ?? .standard))
  }

  /// Opens a document of a library in the current version of its file and reports changes to its
  /// highlights.
  private func open(_ document: Document, in library: Library) async throws -> OpenDocument {
    let open = try await library.open(document)
    if let report = open.report { notify([report]) }
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
    let spec = try resolved(spec, in: open, options)
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

  /// Returns the passage of `[DOC] SPEC`. In the REPL, an empty list refers to the current
  /// selection, and the name of a unit alone refers to the unit around the selection.
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
    let (doc, spec) = try await documentAndSpec(words, options)
    let open = try await open(doc, options, in: dialect, makesCurrent: makesCurrent)
    let units = units(of: open)
    let range = try await range(of: spec, in: open, options)
    return Passage(open: open, units: units, selection: Selection(range, in: units))
  }

  /// Returns the passage of `[DOC] SPEC` or of a highlight, for which no DOC is typed. The current
  /// document stays the same.
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

  /// How to name a passage: only the line editor has a selection.
  package var howToSelect: Hint {
    terminal.isInteractive
      ? "select something: \(typed: "select", "SPEC")"
      : "name the document and the passage: DOC SPEC"
  }

  /// Returns the current selection in the current version of its text. If the text has changed, the
  /// selection is moved to the new position of its words. Throws ``UserError`` with the code
  /// `nothing` if nothing is selected or the words were deleted.
  private func selectedPassage(_ options: GlobalOptions) async throws -> Passage {
    guard let selected = selection.selected else {
      let place = promptName.isEmpty ? "" : " in \(promptName)"
      // Outside of the line editor nothing can be selected, so the words are missing.
      throw UserError(
        terminal.isInteractive ? .nothing : .usage, "nothing is selected\(place)",
        hint: howToSelect)
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
    let (doc, spec) = try await documentAndSpec(words, options)
    let library = try libraries.library(options, .existing)
    let document = try await document(doc, in: library, toChange: true)
    let open = try await open(document, in: library)
    let selected = try resolved(spec, in: open, options)
    reportFuzzyMatch(try await library.select(selected, in: open), for: selected, in: open)
    return (document, selected)
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

extension CommandContext {
  /// Converts the display rows of a SPEC to offsets in the text, so that it no longer depends on
  /// this terminal's width and on the settings. Returns a SPEC without rows unchanged.
  ///
  /// - Throws: ``UserError`` with the code `nothing` if there is no such row or the rows contain no
  ///   text.
  package func resolved(_ spec: SelectionSpec, in open: OpenDocument, _ options: GlobalOptions)
    throws
    -> SelectionSpec
  {
    guard let rows = spec.rows else { return spec }
    let page = Page(
      document: open.parsed, overlays: open.overlays, format: open.format,
      options: try terminal.pageOptions(.none, try libraries.settings(options)))
    // Where lines aren't wrapped, a very long one is laid out in several parts.
    var lines: [[Line.Span]] = []
    var continues = false
    PageLayout.forEachLine(of: page) { line in
      if continues { lines[lines.count - 1] += line.spans } else { lines.append(line.spans) }
      continues = line.isContinued
    }
    guard rows.upperBound <= lines.count else {
      throw UserError(
        .nothing, "there is no row \(rows.upperBound): the last is \(lines.count)")
    }
    let ranges = lines[rows.lowerBound - 1..<rows.upperBound].flatMap { $0.compactMap(\.range) }
    guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max()
    else {
      throw UserError(.nothing, "\(spec.description) shows no text")
    }
    return SelectionSpec(units: TextRange(first, last))
  }
}
