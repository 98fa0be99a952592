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

/// The work behind a `Reader`: a document of the library, or a file, and what can be done with it. It
/// performs what the reader asks for, and keeps its text as the file is on disk.
package final class ReaderController {
  /// What the person sees.
  package var reader: Reader

  let context: CommandContext
  private var appearance: ReaderAppearance
  private let history: HistoryFile?
  private let notices: CommandContext.DaemonNotices
  private let capturedOutput: CapturedOutput
  var library: Library
  let globals: GlobalOptions
  var open: OpenDocument
  var file: String
  private var seen: [FileFingerprint?] = []
  /// The texts that led here, and those that were left by going back, with the places in each.
  var trail: [Stop] = []
  /// What makes the terminal forget the pictures of texts that are no longer shown.
  private var formerPictures = ""
  var ahead: [Stop] = []

  /// Opens a document.
  ///
  /// - Throws: what keeps it from being opened, as for every command.
  package init(
    _ environment: [String: String], doc: String, library folder: String?,
    appearance: ReaderAppearance, columns: Int, rows: Int
  ) async throws {
    capturedOutput = try CapturedOutput()
    context = CommandContext(
      Terminal(
        environment: environment, output: capturedOutput.output, errors: capturedOutput.output,
        isInteractive: true))
    context.terminal.allowsPrompts = false
    var globals = GlobalOptions.none
    globals.library = folder
    self.globals = globals
    self.appearance = appearance
    history = try HistoryFile(context, library: folder)
    notices = CommandContext.DaemonNotices(context, library: folder)
    notices.connect()
    let options = try appearance.options(try context.libraries.settings(globals), environment)
    library = try context.libraries.library(globals, .readOnlyOrEmpty)
    open = try await context.open(doc, globals)
    file = ""
    reader = Reader(
      Self.text(open, doc, library), columns: columns, rows: rows, options: options,
      typed: history?.lines ?? [], search: Self.matches)
    becomeCurrent(doc)
  }

  /// Whatever a strategy for literal text finds.
  private static func matches(_ query: String, _ text: [UInt16]) -> [TextRange] {
    guard let query = try? SearchQuery(query),
      let strategy = try? PluginSet.builtIn.search.strategy("literal")
    else { return [] }
    return ((try? strategy.matches(query, in: text)) ?? []).map(\.range)
  }

  static func text(_ open: OpenDocument, _ name: String, _ library: Library) -> ReaderText {
    let highlights = open.highlights.map { highlight in
      ReaderHighlight(
        id: highlight.id, range: highlight.anchor.range, color: highlight.color,
        state: highlight.anchor.state, note: highlight.note, tags: highlight.tags,
        quote: highlight.selector.exact.shortened, name: highlight.shortID)
    }
    return ReaderText(
      document: open.parsed, highlights: highlights, format: open.format,
      title: open.document?.title ?? name.split(separator: "/").last.map(String.init) ?? name,
      canMark: open.document != nil && !library.isReadOnly, canAdd: open.document == nil,
      head: open.head.lines)
  }

  /// Makes the open document the context's, for the commands to come.
  func becomeCurrent(_ name: String) {
    context.selection.document = open.document
    let place = open.document.map { library.location.absolute($0.path) }
    file = place ?? FileSystem.resolved(name) ?? name
    context.selection.file = open.document == nil ? file : nil
    seen = fingerprints()
    (reader.canLeave, reader.canAdvance) = (!trail.isEmpty, !ahead.isEmpty)
    if let settings = try? context.libraries.settings(globals) { usePictures(settings) }
    say(capturedOutput.take())
  }

  private func fingerprints() -> [FileFingerprint?] {
    let database = library.location.database
    return [file, database, database + "-wal"].map(FileFingerprint.init)
  }

  // MARK: - The file

  /// Readable when the daemon tells something; negative when none runs.
  package var notice: Int32 { notices.descriptor }

  /// Takes in what the daemon tells, as soon as it does, and says it.
  package func takeNotices() async {
    let lines = notices.take()
    guard let first = lines.first else { return }
    await pollForChanges()
    notify(lines.count > 1 ? "\(first) (and \((lines.count - 1).counted("more line")))" : first)
  }

  /// Looks whether the file or the library changed, and takes it in: for what no daemon tells.
  package func pollForChanges() async {
    // One may have begun by now.
    notices.connect()
    context.selection.hook.tell(
      reader.selection.range, in: open.parsed, of: open.document?.id, context, globals)
    let now = fingerprints()
    guard now != seen else { return }
    seen = now
    await reload()
  }

  func reload() async {
    let old = open.parsed
    do {
      open = try await context.open(open.document.map(\.id.description) ?? file, globals)
      seen = fingerprints()
      let new = open.parsed
      reader.replace(Self.text(open, file, library)) { [library] range in
        library.plugins.place(of: range, from: old.text, to: new.text)
      }
      say(capturedOutput.take(), isNotice: true)
    } catch {
      _ = capturedOutput.take()
      reader.message = reason(error)
    }
  }

  /// Keeps the commands that were typed, for the sessions to come.
  package func keepLines() {
    if reader.newLines.isEmpty { return }
    for line in reader.newLines { history?.append(line) }
    reader.forgetNewLines()
  }

  // MARK: - What the person wants

  /// Does what a reader asks for.
  ///
  /// - Parameter suspendingTerminal: gives the terminal back while its argument runs.
  package func perform(_ effect: Reader.Effect, suspendingTerminal: @escaping (() -> Void) -> Void)
    async
  {
    context.terminal.suspendingTerminal = suspendingTerminal
    defer { context.terminal.suspendingTerminal = nil }
    do {
      switch effect {
      case .mark(let range, let color):
        let isAdded = open.document == nil
        try await mark(range) { $0.color = color }
        reader.message =
          "highlighted in \(color)"
          + (isAdded ? "; added to the library in \(library.location.folder)" : "")
      case .recolor(let id, let color):
        try await change(id) { $0.color = color }
        reader.message = "highlight \(try await library.highlight(id: id).shortID) is \(color)"
      case .remove(let id):
        let highlight = try await library.highlight(id: id)
        try await writable().setTrashed(true, [highlight])
        reader.message = "removed; `hl restore \(highlight.shortID)` restores it"
      case .note(let subject): try await note(subject, suspendingTerminal)
      case .tag(let subject, let tags): try await tag(subject, tags)
      case .copy(let range, let format):
        let text = try await text(of: range, format)
        let way = try context.terminal.copy(
          text, by: try context.libraries.settings(globals).clipboard)
        if try context.libraries.settings(globals).isOn(.copyClears) { reader.collapse() }
        reader.message = "copied \(text.count.counted("character")) (\(way.rawValue))"
        return
      case .follow(let destination): return try await follow(destination)
      case .open(let address): return open(address)
      case .visit(let destination): return try await visit(destination)
      case .run(let line): return await run(line)
      case .leave: return try await leave()
      case .advance: return try await advance()
      case .accept(let id):
        let highlight = try await library.highlight(id: id)
        _ = try await writable().accept(highlight)
        reader.message = "highlight \(highlight.shortID) accepted"
      case .detach(let id):
        let highlight = try await library.highlight(id: id)
        _ = try await writable().detach(highlight)
        reader.message =
          "highlight \(highlight.shortID) is marked as gone; it is kept and no longer searched for"
      case .add: return try await add()
      case .tellFormat:
        return reader.show(await paletteState(of: reader.selection.range))
      case .answer(let answer): return try await take(answer)
      case .reload: return await reload()
      case .quit, .suspend, .redraw, .captureMouse: return
      }
      let message = reader.message
      await reload()
      reader.message = message
    } catch {
      reader.message = reason(error)
    }
  }

  private func text(of range: TextRange, _ format: Reader.Format) async throws -> String {
    let parsed = open.parsed
    let usual: CopyCommand.Format = try context.libraries.settings(globals).choice(.copyAs)
    switch format {
    case .usual: return usual.text(of: range, in: parsed)
    case .markdown: return parsed.markdown(of: range)
    case .cited:
      let source = Citation(try await context.source(of: open, globals).whole)
      return usual.citation(of: range, in: parsed, source: source.text)
    }
  }

  /// Runs a line of the one grammar, with what is selected here.
  private func run(_ line: String) async {
    if let words = try? Diple.words(in: line), words.count == 2,
      ["read", "show"].contains(words[0]),
      !words[1].hasPrefix("-")
    {
      return await read(words[1])
    }
    let units = reader.textUnits
    context.selection.selected = SelectionState.Selected(
      document: open.document?.id, units: units, selection: reader.selection)
    offerMatches()
    let words: [String]
    do { words = try Diple.words(in: line) } catch {
      reader.message = error.description
      return
    }
    let code = await Diple.run(words, in: context)
    let answer = capturedOutput.take()
    // It may have been one that changes the settings.
    useSettings()
    if let document = context.selection.document, document.id != open.document?.id {
      do { try await move(to: document.id.description) } catch { reader.message = reason(error) }
    } else {
      await reload()
      if let selected = context.selection.selected,
        selected.units.document.isSame(as: open.parsed)
      {
        if selected.selection != reader.selection { reader.select(selected.selection) }
      } else if code == 0 {
        reader.collapse()
      }
    }
    say(answer, after: words)
    if let proposal = context.selection.replacing?.proposal {
      reader.ask(proposal.question, about: proposal.edit.range)
    }
  }

  /// Draws as it is set now; as before where the settings have a mistake.
  private func useSettings() {
    guard let settings = try? context.libraries.settings(globals),
      var options = try? appearance.options(settings, context.terminal.environment)
    else { return }
    options.pictures = pictures(settings)
    reader.use(options)
  }

  /// Draws the pictures of what is open; what was drawn of another text is forgotten.
  private func usePictures(_ settings: Settings) {
    let pictures = pictures(settings)
    guard pictures != nil || reader.options.pictures != nil else { return }
    var options = reader.options
    options.pictures = pictures
    reader.use(options)
  }

  private func pictures(_ settings: Settings) -> PictureShow? {
    formerPictures += reader.options.pictures?.farewell() ?? ""
    return PictureShow.pictures(
      of: file, open.document, in: library.location, settings, context.terminal.environment,
      isReader: true)
  }

  /// What must be written before the screen: pictures that came, and those that are gone.
  package func takePictures() -> String {
    defer { formerPictures = "" }
    return formerPictures + (reader.options.pictures?.takePending() ?? "")
  }

  /// What makes the terminal forget all pictures.
  package var farewell: String { formerPictures + (reader.options.pictures?.farewell() ?? "") }

  /// Whether the terminal should be asked for its background.
  package var needsBackground: Bool {
    let settings = try? context.libraries.settings(globals)
    return settings.map { appearance.needsBackground($0, context.terminal.environment) } ?? false
  }

  /// Whether the terminal should show characters in the order in which they come.
  package var refusesOrdering: Bool {
    let settings = try? context.libraries.settings(globals)
    return settings?.refusesOrdering(context.terminal.environment) ?? false
  }

  /// Takes what the terminal answered when it was asked for its background.
  package func use(_ background: Background) {
    guard appearance.background != background else { return }
    appearance.background = background
    useSettings()
  }

  // MARK: - Telling

  /// One line at the bottom, several beside the text.
  ///
  /// - Parameter words: the command that says it.
  private func say(_ text: String, isNotice: Bool = false, after words: [String] = []) {
    let lines = text.split(separator: "\n").map { line in
      String(line.hasPrefix("diple: ") ? line.dropFirst(7) : line)
    }
    guard let first = lines.first else { return }
    var shown = lines.map { (text: $0, about: Self.destination(of: $0, after: words)) }
    var title = "Answer"
    if Self.isWholeList(words) {
      // Those of what is read come first.
      let here = Set(open.highlights.map { Reader.Destination.highlight($0.shortID) })
      let isHere = { (line: (text: String, about: Reader.Destination?)) in
        line.about.map(here.contains) == true
      }
      shown = shown.filter(isHere) + shown.filter { !isHere($0) }
      title = "All highlights of the library"
    }
    // What changed one highlight is told; of what was looked for, one is enough to go to.
    let isList = ["search", "query", "list", "ls", "at"].contains(words.first ?? "")
    if lines.count > 1 || isList && shown[0].about != nil { return reader.show(title, shown) }
    if isNotice { notify(first) } else { reader.message = first }
  }

  /// Shows a notice. Paths are long, and what lies beside the text is known by its name.
  private func notify(_ line: String) {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "/"
    reader.notify(line.replacing(folder, with: ""))
  }

  /// What went wrong, with the file's name in place of its path, as a screen is not wide.
  func reason(_ error: any Error) -> String {
    let text = (error as? UserError)?.description(in: .lineEditor) ?? "\(error)"
    return text.replacing(file, with: file.split(separator: "/").last ?? "")
  }
}
