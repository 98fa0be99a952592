import BuiltIn
import Configuration
import Editing
import Glibc
import MarkdownParse
import Model
public import Reader
import Rendering
import Search
import Workspace

/// What a reader sits at: a document of the library, or a file, and all that can be done with it. It
/// does what a `Reader` asks for, and keeps it to the file as it is on disk.
public final class Desk {
  /// What the person sees.
  public var reader: Reader

  private let session: Session
  private let look: ReaderLook
  private let history: HistoryFile?
  private let notices: Session.DaemonNotices
  private let scratch: ScratchOutput
  private let library: Library
  private let globals: GlobalOptions
  private var open: OpenDocument
  private var file: String
  private var seen: [FileLook?] = []
  /// The texts that led here, with the place in each.
  private var trail: [(name: String, place: TextOffset)] = []

  /// Opens a document.
  ///
  /// - Throws: what keeps it from being opened, as for every command.
  public init(
    _ environment: [String: String], doc: String, library folder: String?,
    look: ReaderLook, columns: Int, rows: Int
  ) async throws {
    scratch = try ScratchOutput()
    session = Session(
      environment: environment, output: scratch.output, errors: scratch.output, isInteractive: true)
    session.canAsk = false
    var globals = GlobalOptions.none
    globals.library = folder
    self.globals = globals
    self.look = look
    history = try HistoryFile(session, library: folder)
    notices = Session.DaemonNotices(session, library: folder)
    notices.connect()
    let options = look.options(try session.settings(globals), environment)
    library = try session.library(globals, .lookOnly)
    open = try await session.open(doc, globals)
    file = ""
    reader = Reader(
      Self.text(open, doc, library), columns: columns, rows: rows, options: options,
      typed: history?.lines ?? [], search: Self.matches)
    sit(doc)
  }

  /// Whatever a strategy for literal text finds.
  private static func matches(_ query: String, _ text: [UInt16]) -> [TextRange] {
    guard let query = try? SearchQuery(query),
      let strategy = try? PluginSet.builtIn.search.strategy("literal")
    else { return [] }
    return ((try? strategy.matches(query, in: text)) ?? []).map(\.range)
  }

  private static func text(_ open: OpenDocument, _ name: String, _ library: Library) -> ReaderText {
    let highlights = open.highlights.map { highlight in
      ReaderHighlight(
        id: highlight.shortID, range: highlight.anchor.range, color: highlight.color,
        state: highlight.anchor.state, note: highlight.note, tags: highlight.tags,
        quote: highlight.selector.exact.shortened)
    }
    return ReaderText(
      document: open.parsed, highlights: highlights,
      title: open.document?.title ?? name.split(separator: "/").last.map(String.init) ?? name,
      canMark: open.document != nil && !library.isReadOnly)
  }

  /// Makes the open document the session's, for the commands to come.
  private func sit(_ name: String) {
    session.document = open.document
    let place = open.document.map { library.location.absolute($0.path) }
    file = place ?? realpath(name, nil).map { Self.taken($0) } ?? name
    session.file = open.document == nil ? file : nil
    seen = looks()
    reader.canLeave = !trail.isEmpty
    say(scratch.take())
  }

  private static func taken(_ path: UnsafeMutablePointer<CChar>) -> String {
    defer { free(path) }
    return String(cString: path)
  }

  private func looks() -> [FileLook?] {
    let database = library.location.database
    return [file, database, database + "-wal"].map(FileLook.init)
  }

  // MARK: - The file

  /// Readable when the daemon tells something; negative when none runs.
  public var notice: Int32 { notices.descriptor }

  /// Takes in what the daemon tells, as soon as it does, and says it.
  public func takeNotices() async {
    let lines = notices.take()
    guard let first = lines.first else { return }
    await look()
    notify(lines.count > 1 ? "\(first) (and \(lines.count - 1) lines more)" : first)
  }

  /// Looks whether the file or the library changed, and takes it in: for what no daemon tells.
  public func look() async {
    // One may have begun by now.
    notices.connect()
    session.hook.tell(
      reader.selection.range, in: open.parsed, of: open.document?.id, session, globals)
    let now = looks()
    guard now != seen else { return }
    seen = now
    await reload()
  }

  private func reload() async {
    let old = open.parsed
    do {
      open = try await session.open(open.document.map(\.id.description) ?? file, globals)
      seen = looks()
      let new = open.parsed
      reader.replace(Self.text(open, file, library)) { [library] range in
        library.plugins.place(of: range, from: old.text, to: new.text)
      }
      say(scratch.take(), isNotice: true)
    } catch {
      _ = scratch.take()
      reader.message = reason(error)
    }
  }

  /// Goes to another document or file.
  private func move(to name: String) async throws {
    open = try await session.open(name, globals)
    reader.replace(Self.text(open, name, library)) { _ in nil }
    reader.begin()
    sit(name)
  }

  /// Keeps the commands that were typed, for the sessions to come.
  public func keepLines() {
    if reader.newLines.isEmpty { return }
    for line in reader.newLines { history?.append(line) }
    reader.forgetNewLines()
  }

  // MARK: - What the person wants

  /// Does what a reader asks for.
  ///
  /// - Parameter outside: gives the terminal back while its argument runs.
  public func perform(_ effect: Reader.Effect, outside: @escaping (() -> Void) -> Void) async {
    session.outside = outside
    defer { session.outside = nil }
    do {
      switch effect {
      case .mark(let range, let color):
        try await mark(range) { $0.color = color }
        reader.message = "highlighted in \(color)"
      case .recolor(let id, let color):
        try await change(id) { $0.color = color }
        reader.message = "highlight \(id) is \(color)"
      case .remove(let id):
        try await writable().setTrashed(true, [try await library.highlight(id)])
        reader.message = "removed; `hl restore \(id)` brings it back"
      case .note(let subject): try await note(subject, outside)
      case .tag(let subject, let tags): try await tag(subject, tags)
      case .copy(let range, let format):
        let text = try text(of: range, format)
        let way = try session.copy(text, by: try session.settings(globals).clipboard)
        if try session.settings(globals).isOn(.copyClears) { reader.collapse() }
        reader.message = "copied \(text.count.counted("character")) (\(way.rawValue))"
        return
      case .follow(let destination): return try await follow(destination)
      case .run(let line): return await run(line)
      case .leave:
        guard let last = trail.popLast() else { return }
        try await move(to: last.name)
        return reader.go(to: last.place)
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

  private func text(of range: TextRange, _ format: Reader.Format) throws -> String {
    let parsed = open.parsed
    let usual: CopyCommand.Format = try session.settings(globals).choice(.copyAs)
    return switch format {
    case .usual: usual.text(of: range, in: parsed)
    case .markdown: parsed.markdown(of: range)
    case .cited: usual.citation(of: range, in: parsed, title: open.title)
    }
  }

  private func writable() throws -> Library { try session.library(globals, .existing) }

  private func mark(_ range: TextRange, _ fill: (inout MarkRequest) -> Void) async throws {
    guard let document = open.document else {
      throw LibraryError(.usage, "the file is in no library", hint: "diple add \(file)")
    }
    // The offsets are of the text on the screen: it must still be that of the file.
    let before = open.parsed
    await look()
    guard open.parsed.source == before.source else {
      throw LibraryError(.conflict, "the file changed just now", hint: "mark it again")
    }
    var request = MarkRequest(spec: try session.selectionSpec(range.description))
    request.color = try session.settings(globals).highlightColor
    fill(&request)
    _ = try await writable().mark(document, request)
    // What was selected is a highlight now.
    reader.collapse()
  }

  private func change(_ id: String, _ fill: (inout HighlightChange) -> Void) async throws {
    var change = HighlightChange()
    fill(&change)
    _ = try await writable().change(try await library.highlight(id), change)
  }

  private func tag(_ subject: Reader.Subject, _ tags: [String]) async throws {
    switch subject {
    case .highlight(let id): try await change(id) { $0.addedTags = tags }
    case .passage(let range): try await mark(range) { $0.tags = tags }
    }
    reader.message = "tagged " + tags.map { "#\($0)" }.joined(separator: " ")
  }

  private func note(_ subject: Reader.Subject, _ outside: (() -> Void) -> Void) async throws {
    var old = ""
    if case .highlight(let id) = subject { old = try await library.highlight(id).note }
    let command = try session.settings(globals).text(.editor)
    let editor = PersonsEditor(command, environment: session.environment)
    var result: Result<String, LibraryError> = .success(old)
    outside {
      result = Result { () throws(LibraryError) in try editor.edit(note: old) }
    }
    let new = try result.get()
    guard new != old else {
      reader.message = "the note stays as it was"
      return
    }
    switch subject {
    case .highlight(let id): try await change(id) { $0.note = new }
    case .passage(let range): try await mark(range) { $0.note = new }
    }
    reader.message = new.isEmpty ? "the note is gone" : "noted"
  }

  private func follow(_ destination: String) async throws {
    switch LinkTarget(destination, from: file) {
    case .heading(let slug): try go(to: slug)
    case .file(let path, let slug):
      guard Library.isFile(path) else { throw LibraryError(.notFound, "no such file: \(path)") }
      let here = (open.document.map(\.id.description) ?? file, reader.selection.head)
      try await move(to: path)
      trail.append(here)
      reader.canLeave = true
      if let slug { try go(to: slug) }
    case .address(let address):
      let scheme = address.prefix { $0 != ":" }.lowercased()
      guard ["http", "https", "mailto"].contains(scheme) else {
        throw LibraryError(.usage, "it leads to \(address), which is not opened from here")
      }
      let code = ShellCommand("exec >/dev/null 2>&1; xdg-open", address).run()
      reader.message = code == 0 ? "opened \(address)" : "it leads to \(address)"
    }
  }

  private func go(to slug: String) throws {
    guard let heading = open.parsed.heading(slug: slug) else {
      throw LibraryError(.nothing, "there is no heading '#\(slug)'")
    }
    reader.go(to: heading.lowerBound)
  }

  /// Runs a line of the one grammar, with what is selected here.
  private func run(_ line: String) async {
    if let words = try? LineWords.words(in: line), words.count == 2,
      ["read", "show"].contains(words[0]),
      !words[1].hasPrefix("-")
    {
      return await read(words[1])
    }
    let units = reader.textUnits
    session.selected = Session.Selected(
      document: open.document?.id, units: units, selection: reader.selection)
    let words: [String]
    do { words = try LineWords.words(in: line) } catch {
      reader.message = error.description
      return
    }
    let code = await Diple.run(words, in: session)
    let said = scratch.take()
    // It may have been one that changes the settings.
    if let settings = try? session.settings(globals) {
      reader.use(look.options(settings, session.environment))
    }
    if let document = session.document, document.id != open.document?.id {
      do { try await move(to: document.id.description) } catch { reader.message = reason(error) }
    } else {
      await reload()
      if let selected = session.selected, selected.units.document.source == open.parsed.source {
        if selected.selection != reader.selection { reader.select(selected.selection) }
      } else if code == 0 {
        reader.collapse()
      }
    }
    say(said)
  }

  /// Reads another document here; back leads to this one.
  private func read(_ name: String) async {
    let here = (open.document.map(\.id.description) ?? file, reader.selection.head)
    do {
      try await move(to: name)
      trail.append(here)
      reader.canLeave = true
    } catch { reader.message = reason(error) }
  }

  // MARK: - Telling

  /// One line at the bottom, several beside the text.
  private func say(_ text: String, isNotice: Bool = false) {
    let lines = text.split(separator: "\n").map { line in
      String(line.hasPrefix("diple: ") ? line.dropFirst(7) : line)
    }
    guard let first = lines.first else { return }
    if lines.count > 1 { return reader.show("Answer", lines) }
    if isNotice { notify(first) } else { reader.message = first }
  }

  /// Says what nobody asked for. Paths are long, and what lies beside the text is known by its name.
  private func notify(_ line: String) {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "/"
    reader.notify(line.replacing(folder, with: ""))
  }

  /// What went wrong, with the file's name in place of its path, as a screen is not wide.
  private func reason(_ error: any Error) -> String {
    let text = (error as? LibraryError)?.description ?? "\(error)"
    return text.replacing(file, with: file.split(separator: "/").last ?? "")
  }
}
