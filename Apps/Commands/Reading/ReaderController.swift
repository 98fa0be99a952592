import Actions
import BuiltIn
import Configuration
import Console
import DaemonKit
import Editing
import Glibc
import Interchange
import MarkdownParse
import Model
package import Reader
package import Rendering
import Search
import SystemSupport
import Workspace

/// Connects a ``Reader`` with a document of the library or a file. It performs the reader's effects
/// and updates the text when the file changes.
///
/// ```swift
/// let controller = try await ReaderController(
///   environment, doc: "essay.md", library: nil, appearance: ReaderAppearance(.none),
///   columns: 80, rows: 24)
/// for effect in controller.reader.handle(.input(event), at: time) {
///   await controller.perform(effect) { body in body() }
/// }
/// ```
package final class ReaderController {
  /// The state of the screen.
  package var reader: Reader

  let context: CommandContext
  private var appearance: ReaderAppearance
  private let history: HistoryFile?
  /// The output of commands, which the reader shows.
  private let output = Output.collecting()
  var library: Library
  let globals: GlobalOptions
  /// The installed font families; nil until the palette is opened.
  var fonts: [String]?
  var open: OpenDocument
  var file: String
  /// The text of a pipe, which is opened by the name `-`; nil without one.
  private let input: OpenDocument?
  /// Whether the open text is that of the pipe.
  private(set) var isInput = false
  private let feed: ChangeFeed
  /// The daemon's events that are not shown yet.
  private var events: [LibraryEvent] = []
  /// The texts to which going back returns, most recent last, with the visited positions in each.
  var trail: [Stop] = []
  /// The query of the last `find` with options, and the id of its strategy; nil if there was none.
  var asked: (query: SearchQuery, strategy: String)?
  /// The escape sequences that delete the pictures of previous texts from the terminal's memory.
  private var formerPictures = ""
  /// The texts that were left by going back, most recent last.
  var ahead: [Stop] = []
  /// The place of an orphaned highlight that was shown last; nil if none was shown.
  var seenPlace: SeenPlace?
  /// The highlight that a key made; it is the current one when it is displayed.
  var made: Highlight.ID?
  /// The view with which the open text was opened; nil until it is shown.
  var arrival: Reader.View?
  /// The view whose place was stored last; nil if that of the open text was not stored yet.
  var keptView: Reader.View?

  /// Opens a document.
  ///
  /// - Parameters:
  ///   - startsAtTop: whether to begin at the top of the document instead of the place where the
  ///     user stopped reading it.
  ///   - input: the content of a pipe, which is opened by the name `-`.
  /// - Throws: ``UserError`` with the code `usage` if the settings are invalid; the errors of
  ///   opening the library, of finding the document and of reading its file.
  package init(
    _ environment: [String: String], doc: String, library folder: String?,
    appearance: ReaderAppearance, columns: Int, rows: Int, startsAtTop: Bool = false,
    input: [UInt8]? = nil
  ) async throws {
    context = CommandContext(
      Terminal(environment: environment, output: output, errors: output, isInteractive: true))
    context.terminal.allowsPrompts = false
    context.terminal.listsLostHighlights = false
    var globals = GlobalOptions.none
    globals.library = folder
    self.globals = globals
    self.appearance = appearance
    history = try HistoryFile(context, library: folder)
    let options = try appearance.options(try context.libraries.settings(globals), environment)
    library = try context.libraries.library(globals, .readOnlyOrEmpty)
    feed = ChangeFeed(library.location)
    self.input = input.map { [context] in context.openText($0, globals) }
    open =
      if doc == "-", let input = self.input { input } else { try await context.open(doc, globals) }
    file = ""
    reader = Reader(
      await Self.text(open, doc, library), columns: columns, rows: rows, options: options,
      typed: history?.lines ?? [], search: Self.matches)
    becomeCurrent(doc)
    if !startsAtTop { await resumePlace() }
    noteArrival()
  }

  /// Returns the matches of the strategy for literal text. Empty for an invalid query.
  private static func matches(_ query: String, _ text: [UInt16]) -> [TextRange] {
    guard let query = try? SearchQuery(query),
      let strategy = try? PluginSet.builtIn.search.strategy("literal")
    else { return [] }
    return ((try? strategy.matches(query, in: text)) ?? []).map(\.range)
  }

  /// - Parameter known: the embedded notes, if they were read before.
  static func text(
    _ open: OpenDocument, _ name: String, _ library: Library, embeds known: PageEmbeds? = nil
  ) async -> ReaderText {
    let highlights = open.highlights.map { highlight in
      ReaderHighlight(
        id: highlight.id, range: highlight.anchor.range, color: highlight.color,
        state: highlight.anchor.state, note: highlight.note, tags: highlight.tags,
        quote: highlight.selector.exact.shortened, name: highlight.shortID,
        isDetached: highlight.isDetached)
    }
    let embeds: PageEmbeds
    if let known {
      embeds = known
    } else {
      let path = open.document.map { library.location.absolute($0.path) }
      embeds = await library.embeds(
        in: open.parsed, file: path ?? FileSystem.resolved(name) ?? name, of: open.document)
    }
    var text = ReaderText(
      document: open.parsed, highlights: highlights, format: open.format,
      title: open.document?.title ?? name.split(separator: "/").last.map(String.init) ?? name,
      canMark: open.document != nil && !library.isReadOnly, canAdd: open.document == nil,
      head: open.head.lines, embeds: embeds.isEmpty ? nil : embeds)
    if name == inputName {
      (text.title, text.canAdd, text.refusal) = ("standard input", false, noHighlights)
    }
    return text
  }

  /// The name by which the text of a pipe is opened.
  static let inputName = "-"
  private static let noHighlights = "standard input is not stored, so it cannot be highlighted"
  /// The error for a change of the text of a pipe.
  static let inputIsNotStored = UserError(
    .usage, noHighlights, hint: "save it to a file, and read that")

  /// The name by which the open text is opened again.
  var name: String {
    isInput ? Self.inputName : open.document.map(\.id.description) ?? file
  }

  /// Opens the document, file or pipe with a name.
  func openText(named name: String) async throws -> OpenDocument {
    if name == Self.inputName, let input { return input }
    return try await context.open(name, globals)
  }

  /// Makes the open document the current one of the context, which commands refer to.
  func becomeCurrent(_ name: String) {
    context.selection.document = open.document
    let place = open.document.map { library.location.absolute($0.path) }
    isInput = name == Self.inputName && input != nil
    // The links of a pipe's text are relative to the current folder.
    file = isInput ? FileSystem.absolute(name) : place ?? FileSystem.resolved(name) ?? name
    context.selection.file = open.document == nil && !isInput ? file : nil
    (arrival, keptView) = (nil, nil)
    feed.follow(isInput ? [] : [file])
    passOwnChanges()
    (reader.canLeave, reader.canAdvance) = (!trail.isEmpty, !ahead.isEmpty)
    if let settings = try? context.libraries.settings(globals) { usePictures(settings) }
    show(output.takeAnswer(), isNotice: true, unsure: unsureCount)
  }

  /// The number of highlights of the open text that need a review.
  private var unsureCount: Int { reader.text.highlights.count(where: \.needsReview) }

  /// Skips the changes that this reader has made. The daemon's events are kept.
  private func passOwnChanges() { events += feed.take().events }

  // MARK: - Changes

  /// A descriptor that is readable when the file or the library may have changed.
  package var changes: Int32 { feed.descriptor }

  /// The time in seconds after which to call `takeChanges()` although `changes` is not readable;
  /// nil if there is none.
  package var checkTime: Double? { feed.checkTime.map { Double($0) / 1_000 } }

  /// Updates the text if the file or the library has changed, and shows the first notice of the
  /// daemon.
  package func takeChanges() async {
    let change = feed.take()
    events += change.events
    // The daemon stores a change before it reports it.
    if change.isStored || !change.files.isEmpty { await reload() }
    let lines = CommandContext.DaemonNotices.lines(of: events, context.paths, listsLost: false)
    events = []
    guard let first = lines.first else { return }
    let rest = lines.count - 1
    reader.notify(rest > 0 ? "\(first) (and \(rest.counted("more line")))" : first)
  }

  /// Runs the user's program for selections if the selection has changed since the last call.
  package func reportSelection() {
    context.selection.hook.notify(
      reader.selection.range, in: open.parsed, of: open.document?.id, context, globals)
  }

  /// Opens the text again and shows it.
  ///
  /// - Parameter keepsEmbeds: whether embedded notes are not read again unless the text changed.
  func reload(keepsEmbeds: Bool = false) async {
    let (old, unsure) = (open.parsed, unsureCount)
    do {
      open = try await reopened()
      passOwnChanges()
      let new = open.parsed
      let embeds = keepsEmbeds && new.isSame(as: old) ? reader.text.embeds : nil
      reader.replace(await Self.text(open, name, library, embeds: embeds)) { [library] range in
        library.plugins.place(of: range, from: old.text, to: new.text)
      }
      show(output.takeAnswer(), isNotice: true, unsure: unsureCount - unsure)
    } catch {
      _ = output.takeAnswer()
      // The answer to the last key is still true.
      reader.notify(reason(error))
    }
  }

  /// Opens the text again. If its file was renamed, the reader follows the new one.
  private func reopened() async throws -> OpenDocument {
    let open = try await openText(named: name)
    if open.report?.movedFrom != nil, let document = open.document {
      context.selection.document = document
      file = library.location.absolute(document.path)
      feed.follow([file])
    }
    return open
  }

  /// Appends the typed commands to the history file.
  package func keepLines() {
    if reader.newLines.isEmpty { return }
    for line in reader.newLines { history?.append(line) }
    reader.forgetNewLines()
  }

  // MARK: - Effects

  /// Performs an effect of the reader. Errors are shown as messages.
  ///
  /// - Parameter suspendingTerminal: Restores the terminal while its argument runs.
  package func perform(_ effect: Reader.Effect, suspendingTerminal: @escaping (() -> Void) -> Void)
    async
  {
    context.terminal.suspendingTerminal = suspendingTerminal
    defer {
      context.terminal.suspendingTerminal = nil
      noteArrival()
    }
    do {
      switch effect {
      case .mark(let range, let color):
        let isAdded = open.document == nil
        reader.message = try await mark(range, color: color) + (isAdded ? "; \(addition)" : "")
      case .recolor(let id, let color):
        let outcome = try await perform(ChangeHighlight(highlight: id, color: color))
        reader.message = "highlight \(outcome.highlight.shortID) is \(color)"
      case .remove(let id):
        let removed = try await perform(RemoveHighlights([id])).highlights
        let names = removed.map(\.highlight.shortID).joined(separator: " ")
        reader.message = "removed highlight \(names); u undoes"
      case .note(let subject, let draft, let seen):
        try await editNote(subject, draft, seen, suspendingTerminal)
      case .setNote(let subject, let note, let seen):
        try await store(note, of: subject, seen: seen)
      case .tag(let subject, let tags): try await tag(subject, tags)
      case .copy(let range, let format):
        let text = try await text(of: range, format)
        let settings = try context.libraries.settings(globals)
        let isHTML =
          format != .markdown && settings.choice(.copyAs) == CopyPassage.Format.html
        let clipboard = try context.terminal.copy(
          text, as: isHTML ? "text/html" : nil, by: settings.clipboard)
        if settings.isOn(.copyClears) { reader.collapse() }
        reader.message = clipboard.copied(text)
        return
      case .follow(let destination): return try await follow(destination)
      case .open(let address): return open(address)
      case .listCommands: return listCommands()
      case .complete(let line, let typed): return await complete(line, typed)
      case .visit(let destination): return try await visit(destination)
      case .run(let line): return await run(line)
      case .leave: return try await leave()
      case .advance: return try await advance()
      case .accept(let id): return try await accept(id)
      case .findPlace(let id): return try await findPlace(of: id)
      case .detach(let id):
        let outcome = try await perform(DetachHighlight(highlight: id))
        reader.message =
          "highlight \(outcome.highlight.shortID) is marked as gone: "
          + "it is kept, but no longer searched for"
      case .add: return try await add()
      case .readLinks: return try await readLinks()
      case .readFormat:
        return reader.show(await paletteState(of: reader.selection.range))
      case .answer(let answer): return try await take(answer)
      case .reload: return await reload()
      case .quit, .suspend, .redraw, .captureMouse, .pick: return
      }
      await reload(keepsEmbeds: true)
      if let made { reader.focus(on: made) }
      made = nil
    } catch {
      reader.message = reason(error)
      if case .setNote(let subject, let note, _) = effect {
        reader.keep(unsavedNote: note, of: subject)
      }
    }
  }

  private func text(of range: TextRange, _ format: Reader.Format) async throws -> String {
    let parsed = open.parsed
    let defaultFormat: CopyPassage.Format = try context.libraries.settings(globals).choice(.copyAs)
    switch format {
    case .usual: return defaultFormat.text(of: range, in: parsed)
    case .markdown: return parsed.markdown(of: range)
    case .cited:
      let source = Citation(
        try await context.source(of: open, globals).whole,
        location: CopyPassage.location(of: range, in: open))
      return defaultFormat.citation(of: range, in: parsed, source: source.text)
    }
  }

  /// Runs a command line with the current selection.
  private func run(_ line: String) async {
    do { await run(try Diple.words(in: line)) } catch { reader.message = error.description }
  }

  /// Runs a command with the current selection.
  func run(_ words: [String]) async {
    if let name = words.last, words.count > 1, !name.hasPrefix("-") {
      let rest = words.dropLast()
      if [["read"], ["open"], ["show"]].contains(rest) { return await read(name) }
      if [["read", "--start"], ["open", "--start"]].contains(rest) {
        return await read(name, startsAtTop: true)
      }
    }
    if open.document == nil, words == ["undo"] || words == ["redo"] {
      // Without a document, the command would be about the whole library.
      reader.message = """
        this text is not in the library, so there is nothing to \(words[0]); :\(words[0]) --all \
        includes the documents
        """
      return
    }
    offerSelection()
    offerMatches()
    let (selection, document) = (reader.selection, open.document?.id)
    let isFind = words.first == "find"
    let clears = isFind && words.contains("--clear")
    if isFind, !clears { context.selection.find = nil }
    context.selection.made = nil
    let code = await Diple.run(words, in: context)
    let answer = output.takeAnswer()
    // The command may have changed the settings.
    useSettings()
    if let document = context.selection.document, document.id != open.document?.id {
      do {
        // A text that was added stays the same.
        let isSame = open.document == nil && library.location.absolute(document.path) == file
        let name = document.id.description
        if isSame { try await move(to: name) } else { try await openDocument(named: name) }
        if let made = context.selection.made, reader.select(highlight: made), !isSame {
          reader.arrive()
        }
      } catch { reader.message = reason(error) }
    } else {
      await reload()
      if let made = context.selection.made, reader.select(highlight: made, lands: false) {
        // The other highlights of the same command follow it.
      } else if let selected = context.selection.selected,
        selected.units.document.isSame(as: open.parsed)
      {
        if selected.selection != reader.selection { reader.select(selected.selection) }
      } else if code == 0 {
        reader.collapse()
      }
    }
    if isFind, code == 0 {
      do {
        if clears { reader.stopFinding() } else { try await showFound() }
      } catch { reader.message = reason(error) }
    }
    show(answer, isShort: ["undo", "redo"].contains(words.first))
    if let proposal = context.selection.replacing?.proposal {
      reader.ask(proposal.question, about: proposal.edit.range)
    } else if code == 0, answer.rows.isEmpty, !isFind, reader.message.isEmpty,
      reader.selection == selection, open.document?.id == document
    {
      // Some commands, such as `export -o`, print nothing if they succeed.
      reader.message = "done"
    }
  }

  /// Makes the reader's selection available to commands.
  func offerSelection() {
    context.selection.selected = SelectionState.Selected(
      document: open.document?.id, units: reader.textUnits, selection: reader.selection)
  }

  /// Applies the current settings. Invalid settings are ignored.
  private func useSettings() {
    guard let settings = try? context.libraries.settings(globals),
      var options = try? appearance.options(settings, context.terminal.environment)
    else { return }
    options.pictures = pictures(settings)
    reader.use(options)
  }

  /// Updates the pictures for the open text and deletes those of the previous one.
  private func usePictures(_ settings: Settings) {
    let pictures = pictures(settings)
    guard pictures != nil || reader.options.pictures != nil else { return }
    var options = reader.options
    options.pictures = pictures
    reader.use(options)
  }

  private func pictures(_ settings: Settings) -> PictureShow? {
    formerPictures += reader.options.pictures?.cleanupSequence() ?? ""
    return PictureShow.pictures(
      of: file, open.document, in: library.location, settings, context.terminal.environment,
      isReader: true)
  }

  /// Returns and clears the output that must precede the next screen: new pictures and the deletion
  /// of old ones.
  package func takePictures() -> String {
    defer { formerPictures = "" }
    return formerPictures + (reader.options.pictures?.takePending() ?? "")
  }

  /// The escape sequences that delete all pictures from the terminal's memory.
  package var cleanupSequence: String {
    formerPictures + (reader.options.pictures?.cleanupSequence() ?? "")
  }

  /// Whether the terminal should be queried for its background.
  package var needsBackground: Bool {
    let settings = try? context.libraries.settings(globals)
    return settings.map { appearance.needsBackground($0, context.terminal.environment) } ?? false
  }

  /// Whether the terminal should display characters in logical order.
  package var refusesOrdering: Bool {
    let settings = try? context.libraries.settings(globals)
    return settings?.refusesOrdering(context.terminal.environment) ?? false
  }

  /// Applies the terminal's answer to the query for its background.
  package func use(_ background: Background) {
    guard appearance.background != background else { return }
    appearance.background = background
    useSettings()
  }

  // MARK: - Messages

  /// Shows what a command wrote: one line at the bottom of the screen, several lines in a list
  /// beside the text.
  ///
  /// - Parameter isShort: Whether the lines are shown as a message, so that the next key acts on the
  ///   text.
  /// - Parameter unsure: The number of highlights that need a review since the answer; a notice
  ///   names the key that lists them.
  private func show(
    _ answer: Answer, isNotice: Bool = false, isShort: Bool = false, unsure: Int = 0
  ) {
    var rows = answer.rows.map { row in
      let isError = row.text.hasPrefix("diple: ")
      let text = isError ? String(row.text.dropFirst(7)) : row.text
      return (text: text, about: row.destination)
    }
    guard let first = rows.first else { return }
    if answer.kind == .help {
      // The first line is the summary of the command.
      rows[0].text = first.text.replacing(#/^OVERVIEW: /#, with: "")
      return reader.showHelp(rows.map(\.text))
    }
    // A list would take the keys that the user is about to press.
    if isNotice {
      let last = rows.count - 1
      let review = unsure > 0 ? "; \(unsure) to review: i" : ""
      for (index, row) in rows.enumerated() {
        reader.notify(row.text + (index == last ? review : ""))
      }
      return
    }
    let lines = rows.map(\.text)
    // Documents, tags and places are listed, so that the user can open them. Highlights of a message
    // are those that the command has changed.
    let isReport = rows.allSatisfy { row in
      if case .highlight? = row.about { true } else { row.about == nil }
    }
    if answer.kind == .messages, isReport, rows.count <= Self.shortLimit,
      reader.fitsAtBottom(lines)
    {
      for line in lines { reader.say(line) }
      return
    }
    if isShort, rows.allSatisfy({ $0.about == nil }) || lines.count == 1 {
      let rest = lines.count - Self.messageLimit
      for line in lines.prefix(Self.messageLimit) { reader.say(line) }
      if rest > 0 { reader.say("and \(rest.counted("more line"))") }
      return
    }
    var title = answer.rows.contains { $0.text.hasPrefix("diple: ") } ? "Error" : "Answer"
    if answer.kind == .allHighlights {
      // List the highlights of the open document first.
      let here = Set(open.highlights.map { Destination.highlight($0.id) })
      let isHere = { (row: (text: String, about: Destination?)) in
        row.about.map(here.contains) == true
      }
      rows = rows.filter(isHere) + rows.filter { !isHere($0) }
      title = "All highlights of the library"
    }
    // A single search result is shown as a list, so that the user can go to it.
    if rows.count > 1 || answer.kind != .messages && first.about != nil
      || !reader.fitsAtBottom(lines)
    {
      return reader.show(title, rows)
    }
    reader.say(first.text)
  }

  /// The maximum number of lines about changes that are shown as a message. A list would hide the
  /// text.
  private static let shortLimit = 2

  /// The maximum number of lines of an answer that is shown as a message.
  private static let messageLimit = 3

  /// Returns the message of an error.
  func reason(_ error: any Error) -> String {
    (error as? UserError)?.withCommand.description(in: .lineEditor) ?? "\(error)"
  }
}
