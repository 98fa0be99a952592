import BuiltIn
import Console
import Editing
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Reader
import Rendering
import SystemSupport
import TestSupport
import Testing
import Workspace

@testable import Commands

/// Tests the reader's requests with real files and a real library.
@Suite final class ReaderControllerTests {
  private let folder = NSTemporaryDirectory() + "/diple-controller-" + UUID().uuidString
  private var environment: [String: String]
  /// The number of times that the reader released the terminal.
  private var suspensions = 0

  private static let essay = """
    # Essay

    The quick brown fox jumps over the [lazy dog](other.md#deeper).

    ## Second

    A [link](#essay) back, and [one](missing.md) to nothing.

    """

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    environment = [
      "HOME": folder, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "DIPLE_LIBRARY": folder + "/library", "TERM": "xterm-256color", "DIPLE_NO_DAEMON": "1",
    ]
    try write("essay.md", Self.essay)
    try write("other.md", "# Other\n\nSome words.\n\n## Deeper\n\nThe end.\n")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  private var library: Library {
    get throws {
      try Library(
        at: LibraryLocation(folder: folder + "/library"), plugins: .builtIn, opening: .create)
    }
  }

  /// Opens a reader at a document of the library, or at a file.
  private func reader(_ name: String = "essay.md", adding: Bool = true) async throws
    -> ReaderController
  {
    if adding { _ = try await library.add([folder]) }
    return try await ReaderController(
      environment, doc: folder + "/" + name, library: nil, appearance: ReaderAppearance(.none),
      columns: 80, rows: 24)
  }

  private func perform(_ effect: Reader.Effect, _ controller: ReaderController) async {
    await controller.perform(effect) { body in
      self.suspensions += 1
      body()
    }
  }

  private func range(of words: String, in controller: ReaderController) throws -> TextRange {
    let text = controller.reader.text.document.text.string
    let found = try #require(text.firstRange(of: words), "\(words) in \(text)")
    return TextRange(
      utf16: text[..<found.lowerBound].utf16.count..<text[..<found.upperBound].utf16.count)
  }

  private func stored() async throws -> [Highlight] {
    try await library.highlights(HighlightFilter())
  }

  /// Sets a script as the editor. Its argument is the file's path.
  private func edit(by script: String) throws {
    try write("editor", "#!/bin/sh\n\(script)\n")
    // `sh` reads the script. Executing it directly could fail with ETXTBSY, because a process that
    // another test starts at this moment may inherit the descriptor by which it was written.
    environment["VISUAL"] = "sh '\(folder)/editor'"
  }

  @Test func `a passage is highlighted, and the highlight is displayed`() async throws {
    let controller = try await reader()
    let range = try range(of: "quick brown", in: controller)
    await perform(.mark(range, .pink), controller)
    #expect(controller.reader.message == "highlighted in pink: 1 “quick brown”")
    let highlight = try #require(try await stored().first)
    #expect(highlight.selector.exact == "quick brown" && highlight.color == .pink)
    #expect(controller.reader.text.highlights.map(\.id) == [highlight.id])
    #expect(controller.reader.text.highlights.map(\.range) == [range])
    // Marking a second time has no effect.
    await perform(.mark(range, .pink), controller)
    #expect(try await stored().count == 1)
    #expect(
      controller.reader.message == "that passage is highlighted in pink already: highlight 1")
  }

  @Test func `a command's highlight is the current one, and its answer takes no key`() async throws
  {
    let controller = try await reader()
    func press(_ key: Character) -> [Reader.Effect] {
      controller.reader.handle(.input(.key(.character(key), [])), at: 0)
    }
    await perform(.run("mark \"lazy dog\""), controller)
    #expect(controller.reader.message == "highlighted in yellow: 1 “lazy dog”")
    #expect(press("u") == [.run("undo")])
    await perform(.run("undo"), controller)
    #expect(try await stored().isEmpty && press("U") == [.run("redo")])
    await perform(.run("redo"), controller)
    controller.reader.message = ""
    await perform(.run("mark \"quick brown\""), controller)
    let new = try #require(
      controller.reader.text.highlights.first { $0.quote == "quick brown" })
    #expect(controller.reader.message == "highlighted in yellow: \(new.shortID) “quick brown”")
    #expect(press("2") == [.recolor(id: new.id, .green)])
    // Of several highlights, the first one is the current one.
    controller.reader.message = ""
    await perform(.run("mark --strategy links all -c blue"), controller)
    let blue = controller.reader.text.highlights.filter { $0.color == .blue }
    let first = try #require(blue.first { $0.quote == "lazy dog" })
    #expect(
      controller.reader.message.hasPrefix("highlighted 3 passages in blue: \(first.shortID), "),
      "\(controller.reader.message)")
    #expect(press("x") == [.remove(id: first.id)])
  }

  @Test func `a second colour on the same words is reported, and both can be chosen`() async throws
  {
    let controller = try await reader()
    func press(_ key: Character) -> [Reader.Effect] {
      controller.reader.handle(.input(.key(.character(key), [])), at: 0)
    }
    func run(_ line: String) async {
      controller.reader.message = ""
      await perform(.run(line), controller)
    }
    await run("mark \"lazy dog\"")
    await run("mark --dry-run \"lazy dog\"")
    let already = "that passage is highlighted in yellow already: highlight 1"
    #expect(controller.reader.message == already)
    await run("mark \"lazy dog\"")
    #expect(controller.reader.message == already)
    await run("mark \"lazy dog\" -c green")
    let ids = controller.reader.text.highlights.map(\.id)
    #expect(
      controller.reader.message
        == "highlighted in green: 2 “lazy dog”; 1 in yellow is on the same words")
    #expect(press("x") == [.remove(id: ids[1])])
    #expect(press("[").isEmpty && press("x") == [.remove(id: ids[0])])
    #expect(press("]").isEmpty && press("3") == [.recolor(id: ids[1], .blue)])
    // A key makes the third one, which is the current one then.
    controller.reader.select(highlight: ids[0])
    await perform(.mark(controller.reader.selection.range, .pink), controller)
    let third = try #require(controller.reader.text.highlights.first { $0.color == .pink })
    #expect(
      controller.reader.message
        == "highlighted in pink: 3 “lazy dog”; 1 in yellow and 2 in green are on the same words")
    #expect(press("x") == [.remove(id: third.id)])
  }

  @Test func `a long error is shown from its beginning, in a list`() async throws {
    let controller = try await reader()
    let words = (1...40).map { "word\($0)" }.joined(separator: " ")
    await perform(.run("mark 'essay \(words)' --color green --tag x"), controller)
    let lines = controller.reader.screenLines
    #expect(lines.contains { $0.contains("│ Error") }, "\(lines)")
    #expect(lines.contains { $0.contains("│ 'essay word1 word2") }, "\(lines)")
    #expect(lines.contains { $0.contains("not in the text") }, "\(lines)")
    // Keys of the text close the list.
    let effects = controller.reader.handle(.input(.key(.character("u"), [])), at: 0)
    #expect(effects == [.run("undo")])
    #expect(!controller.reader.screenLines.contains { $0.contains("│ Error") })
  }

  @Test func `find takes the options of the command`() async throws {
    let controller = try await reader()
    await perform(.run("find --regex \"q.*?k|d.g\""), controller)
    #expect(controller.reader.message == "" && controller.reader.matches.all.count == 2)
    #expect(controller.reader.selection.range == (try range(of: "quick", in: controller)))
    await perform(.run("find --case-sensitive Second"), controller)
    #expect(controller.reader.selection.range == (try range(of: "Second", in: controller)))
    await perform(.run("find --case-sensitive second"), controller)
    #expect(controller.reader.message.contains("no match for 'second'"))
    await perform(.run("find --strategy nope x"), controller)
    #expect(controller.reader.message.contains("nope"))
    // `replace` uses the query and its options.
    await perform(.run("find --regex \"(qu)ick\""), controller)
    await perform(.run("replace --all --yes $1iet"), controller)
    let text = try String(contentsOfFile: folder + "/essay.md", encoding: .utf8)
    #expect(text.contains("The quiet brown fox"))
  }

  @Test func `find in another document opens it`() async throws {
    let controller = try await reader()
    await perform(.run("find \(folder)/other.md --regex \"w.rds\""), controller)
    #expect(controller.reader.text.title == "Other")
    #expect(controller.reader.selection.range == (try range(of: "words", in: controller)))
    await perform(.leave, controller)
    #expect(controller.reader.text.title != "Other")
  }

  @Test func `a piped text is shown, and cannot be highlighted or stored`() async throws {
    let controller = try await ReaderController(
      environment, doc: "-", library: nil, appearance: ReaderAppearance(.none), columns: 80,
      rows: 24, input: Array(Self.essay.utf8))
    #expect(controller.reader.text.title == "standard input")
    let range = try range(of: "quick brown", in: controller)
    await perform(.mark(range, .pink), controller)
    #expect(
      controller.reader.message
        == "standard input is not stored, so it cannot be highlighted; "
        + "save it to a file, and read that")
    await perform(.reload, controller)
    #expect(controller.reader.text.title == "standard input")
    #expect(controller.reader.text.document.text.string.contains("quick brown"))
    // Going back from another text returns to it.
    await perform(.run("read \(folder)/other.md"), controller)
    #expect(controller.reader.text.document.text.string.contains("Some words."))
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "standard input")
    controller.keepPlace()
    let places = try #require(ReadingPlaces(environment: environment)).latest
    #expect(places.map(\.place.title) == ["Other"])
  }

  @Test func `a place is stored, renewed without a move, and not remembered if that is off`()
    async throws
  {
    let essay = Self.essay + String(repeating: "More of it.\n\n", count: 60) + "The last words.\n"
    try write("essay.md", essay)
    var controller = try await reader()
    controller.reader.go(to: try range(of: "The last", in: controller).lowerBound)
    controller.keepPlace()
    try write("essay.md", "A new start.\n\n" + essay.replacing("Second", with: "Next"))
    controller = try await reader(adding: false)
    let last = try range(of: "The last", in: controller).lowerBound
    #expect(controller.reader.selection.head == last)
    controller = try await ReaderController(
      environment, doc: folder + "/essay.md", library: nil, appearance: ReaderAppearance(.none),
      columns: 80, rows: 24, startsAtTop: true)
    #expect(controller.reader.selection.head.utf16 == 0 && controller.reader.message.isEmpty)
    controller.keepPlace()
    controller = try await reader(adding: false)
    #expect(controller.reader.selection.head == last, "the place is kept without a move")
    environment["DIPLE_READER_REMEMBER"] = "false"
    controller = try await reader(adding: false)
    #expect(controller.reader.selection.head.utf16 == 0)
    controller.reader.go(to: try range(of: "Next", in: controller).lowerBound)
    controller.keepPlace()
    environment["DIPLE_READER_REMEMBER"] = nil
    controller = try await reader(adding: false)
    #expect(controller.reader.selection.head == last)
  }

  @Test func `a document is chosen from those read last, and opened at a heading`() async throws {
    var controller = try await reader("other.md")
    controller.keepPlace()
    let choices = try await controller.documentChoices()
    #expect(choices.entries.map(\.title) == ["Other", "Essay"])
    #expect(choices.entries.map(\.time) == ["just now", ""])
    let headings = choices.readHeadings()
    #expect(choices.isComplete)
    #expect(headings.map(\.headings) == [["Other", "Deeper"], ["Essay", "Second"]])
    controller = try await reader(adding: false)
    await controller.read(choices.choice(0, heading: 1))
    let deeper = try range(of: "Deeper", in: controller).lowerBound
    #expect(controller.reader.selection.head == deeper)
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "Essay")
  }

  @Test func `the time since a document was read is in its largest unit`() {
    let ago = { DocumentChoices.ago($0, since: Date(timeIntervalSince1970: 0)) }
    #expect([0, 59, 60, 3_599].map(ago) == ["just now", "just now", "1 min ago", "59 min ago"])
    #expect([3_600, 86_399, 86_400].map(ago) == ["1 h ago", "23 h ago", "1 day ago"])
    #expect([172_800, 1_209_599].map(ago) == ["2 days ago", "13 days ago"])
    #expect(ago(1_209_600).hasPrefix("19"))
    #expect(ago(-5) == "just now")
  }

  @Test func `words are highlighted in the source, which stays after changes of file and settings`()
    async throws
  {
    let controller = try await reader()
    func press(_ key: Character) -> [Reader.Effect] {
      controller.reader.handle(.input(.key(.character(key), [])), at: 0)
    }
    #expect(press("M").isEmpty && controller.reader.showsSource)
    await perform(.mark(try range(of: "the lazy dog", in: controller), .pink), controller)
    #expect(try await stored().map(\.selector.exact) == ["the lazy dog"])
    await perform(.run("config set reader.width 70"), controller)
    try write("essay.md", Self.essay.replacing("quick", with: "*slow*"))
    await perform(.reload, controller)
    #expect(controller.reader.showsSource && controller.reader.text.highlights.count == 1)
    let screen = controller.reader.screen()
    let rows = (0..<screen.rows).map { screen.text(ofRow: $0) }
    #expect(rows.contains { $0.contains("3  The *slow* brown fox jumps over") })
  }

  @Test func `a highlight is recoloured, tagged, removed and restored`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    let id = try #require(controller.reader.text.highlights.first?.id)
    await perform(.recolor(id: id, .green), controller)
    #expect(controller.reader.message == "highlight 1 is green")
    #expect(controller.reader.text.highlights.map(\.color) == [.green])
    await perform(.tag(.highlight(id), ["a", "b"]), controller)
    #expect(controller.reader.message == "tagged #a #b")
    await perform(.tag(.passage(try range(of: "jumps", in: controller)), ["c"]), controller)
    #expect(try await stored().map(\.tags) == [["a", "b"], ["c"]])
    await perform(.remove(id: id), controller)
    #expect(controller.reader.text.highlights.map(\.quote) == ["jumps"])
    await perform(.run("hl restore 1"), controller)
    #expect(controller.reader.text.highlights.map(\.quote) == ["fox", "jumps"])
    await perform(
      .recolor(id: Highlight.ID(Dot(replica: id.dot.replica, sequence: 99)), .green), controller)
    #expect(controller.reader.message.contains("no highlight '99-"), "\(controller.reader.message)")
  }

  @Test func `a note is written in an editor, which uses the terminal`() async throws {
    try edit(by: "cp \"$1\" '\(folder)/seen'; printf 'first\\nsecond 日本\\n' > \"$1\"")
    let controller = try await reader()
    await perform(.note(.passage(try range(of: "fox", in: controller))), controller)
    #expect(controller.reader.message == "note saved" && suspensions == 1)
    #expect(try await stored().map(\.note) == ["first\nsecond 日本"])
    // The second time, the editor begins with the existing note, and changes nothing.
    let id = try #require(controller.reader.text.highlights.first?.id)
    await perform(.note(.highlight(id)), controller)
    #expect(controller.reader.message == "note unchanged" && suspensions == 2)
    let seen = try String(contentsOfFile: folder + "/seen", encoding: .utf8)
    #expect(seen.hasPrefix("first\nsecond 日本\n\n<!-- ") && seen.hasSuffix("\nfox\n-->\n"))
    // A line that the reader asked for is stored like one of the editor.
    await perform(
      .setNote(.highlight(id), "third", seen: "first\nsecond 日本"), controller)
    #expect(controller.reader.message == "note saved")
    #expect(try await stored().map(\.note) == ["third"])
  }

  @Test func `a note that the editor leaves as it was typed is asked for again`() async throws {
    try edit(by: "true")
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    let id = try #require(controller.reader.text.highlights.first?.id)
    await perform(.note(.highlight(id), draft: "half a note", seen: ""), controller)
    #expect(controller.reader.message != "note saved")
    #expect(try await stored().map(\.note) == [""])
    // Enter saves it.
    let effects = controller.reader.handle(.input(.key(.enter, [])), at: 0)
    #expect(effects == [.setNote(.highlight(id), "half a note", seen: "")])
    await perform(.setNote(.highlight(id), "ends with a break\n", seen: ""), controller)
    await perform(.note(.highlight(id)), controller)
    #expect(controller.reader.message == "note unchanged")
  }

  @Test(arguments: ["exit 3", "rm \"$1\""])
  func `a failing editor changes nothing`(script: String) async throws {
    try edit(by: script)
    let controller = try await reader()
    await perform(.note(.passage(try range(of: "fox", in: controller))), controller)
    #expect(suspensions == 1 && !controller.reader.message.isEmpty)
    #expect(controller.reader.message != "note saved")
    #expect(try await stored().isEmpty)
  }

  @Test func `a note that cannot be stored is kept in a file that the message names`()
    async throws
  {
    try edit(
      by: """
        printf 'hours of work\\n' > "$1"
        sqlite3 '\(folder)/library/library.sqlite' 'DELETE FROM highlight'
        """)
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    let id = try #require(controller.reader.text.highlights.first?.id)
    await perform(.note(.highlight(id)), controller)
    let message = controller.reader.message
    let place = try #require(message.components(separatedBy: "what you wrote is in ").last)
    #expect(place != message, "\(message)")
    #expect(try String(contentsOfFile: place, encoding: .utf8) == "hours of work")
    try? FileManager.default.removeItem(atPath: place)
  }

  @Test func `an empty note removes the note`() async throws {
    try edit(by: ": > \"$1\"")
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    let id = try #require(controller.reader.text.highlights.first?.id)
    await perform(.run("hl note 1 'why?'"), controller)
    #expect(controller.reader.text.highlights.map(\.note) == ["why?"])
    await perform(.note(.highlight(id)), controller)
    #expect(controller.reader.message == "note removed")
    #expect(try await stored().map(\.note) == [""])
  }

  @Test func `choosing a row of a command's output opens its highlight or document`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "brown fox", in: controller), .pink), controller)
    let other = try await library.mark(
      try await library.document("other.md"),
      try SelectionSpec(parsing: "\"The end\""))
    let id = try #require(other.highlights.first).id
    func choose(_ text: String) async {
      #expect(controller.reader.screenLines.contains { $0.contains(text) })
      for effect in controller.reader.handle(.input(.key(.enter, [])), at: 0) {
        await perform(effect, controller)
      }
    }
    await perform(.run("search 'Some words'"), controller)
    await choose("│ Answer")
    #expect(controller.reader.text.title == "Other")
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "Essay")
    await perform(.visit(.highlight(id)), controller)
    #expect(controller.reader.text.title == "Other")
    let text = controller.reader.text.document.text
    #expect(text.substring(controller.reader.selection.range) == "The end")
  }

  @Test func `the rows of a command's output have destinations`() async throws {
    _ = try await library.add([folder])
    let document = try await library.document("other.md")
    let marked = try await library.mark(
      document, try SelectionSpec(parsing: "\"The end\""))
    let id = try #require(marked.highlights.first).id
    func rows(_ line: String) async throws -> [Answer.Row] {
      let output = Output.collecting()
      let context = CommandContext(
        Terminal(environment: environment, output: output, errors: output, isInteractive: true))
      #expect(await Diple.run(try Diple.words(in: line), in: context) == 0)
      return output.takeAnswer().rows
    }
    // The notices that the check of files prints are also rows, but have no destination.
    func destinations(_ line: String) async throws -> [Destination] {
      try await rows(line).compactMap(\.destination)
    }
    let file = "'\(folder)/other.md'"
    #expect(try await destinations("list \(file)") == [.highlight(id)])
    #expect(try await destinations("at \(file) '\"The end\"'") == [.highlight(id)])
    #expect(try await destinations("doc list").contains(.document(document.id)))
    let found = try await rows("search 'The end' \(file)")
    let position = try #require(marked.highlights.first?.anchor.line)
    #expect(found.compactMap(\.destination) == [.place(document.id, position)])
    let start = "\(document.path.string):\(position.line):\(position.column): "
    #expect(found.last?.text.hasPrefix(start) == true, "\(found)")
    #expect(try await rows("list \(file) --json").map(\.destination) == [nil])
  }

  @Test func `the menu offers to open a web address, and other schemes are not opened`()
    async throws
  {
    let controller = try await reader()
    await perform(.follow("https://diple.example/p"), controller)
    #expect(
      controller.reader.screenLines.contains { $0.contains("o  Open https://diple.example/p") })
    #expect(
      controller.reader.handle(.input(.key(.character("o"), [])), at: 0)
        == [.open("https://diple.example/p")])
    await perform(.open("javascript:alert(1)"), controller)
    #expect(controller.reader.message.contains("is not opened"))
    await perform(.follow("javascript:alert(1)"), controller)
    #expect(controller.reader.message.contains("which the reader does not open"))
  }

  @Test func `a link opens a heading of another document, and going back returns to the position`()
    async throws
  {
    let controller = try await reader()
    let place = try range(of: "lazy", in: controller).lowerBound
    controller.reader.go(to: place)
    #expect(!controller.reader.canLeave)
    await perform(.follow("other.md#deeper"), controller)
    #expect(controller.reader.text.title == "Other" && controller.reader.canLeave)
    let heading = try range(of: "Deeper", in: controller).lowerBound
    #expect(controller.reader.selection.head == heading)
    // A link to the heading at the start, and a link to a missing heading.
    await perform(.follow("#other"), controller)
    #expect(controller.reader.selection.head == TextOffset(utf16: 0))
    await perform(.follow("#nothing"), controller)
    #expect(controller.reader.message == "there is no heading '#nothing'")
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "Essay" && !controller.reader.canLeave)
    #expect(controller.reader.selection.head == place)
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "Essay", "there is no earlier text")
  }

  @Test func `a link that cannot be opened is reported, and the text stays`() async throws {
    let controller = try await reader()
    for (destination, says) in [
      ("missing.md", "no such file"), ("file:///etc/passwd", "which the reader does not open"),
      ("javascript:alert(1)", "which the reader does not open"),
    ] {
      await perform(.follow(destination), controller)
      #expect(controller.reader.message.contains(says), "\(controller.reader.message)")
      #expect(controller.reader.text.title == "Essay" && !controller.reader.canLeave)
    }
  }

  @Test func `a command uses the selection of the reader`() async throws {
    let controller = try await reader()
    let range = try range(of: "brown fox", in: controller)
    await perform(.run("select '\"brown fox\"'"), controller)
    #expect(controller.reader.selection.range == range)
    await perform(.run("mark -c blue"), controller)
    #expect(try await stored().map(\.selector.exact) == ["brown fox"])
    #expect(controller.reader.text.highlights.map(\.color) == [.blue])
    await perform(.run("nonsense"), controller)
    #expect(controller.reader.message.contains("nonsense"), "\(controller.reader.message)")
    await perform(.run("mark 'open"), controller)
    #expect(!controller.reader.message.isEmpty)
    #expect(try await stored().count == 1)
    // Another document opens in this reader, and leaving it returns to the first.
    await perform(.run("read other.md"), controller)
    #expect(controller.reader.text.title == "Other" && controller.reader.canLeave)
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "Essay")
  }

  @Test func `an external edit is loaded, and highlights follow it`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    let before = try #require(controller.reader.text.highlights.first?.range)
    try write("essay.md", "A new beginning.\n\n" + Self.essay)
    await controller.takeChanges()
    let now = try #require(controller.reader.text.highlights.first?.range)
    #expect(controller.reader.text.document.text.string.hasPrefix("A new beginning."))
    let fox = try range(of: "fox", in: controller)
    #expect(now != before && now == fox)
    // Further checks, and reading it again, change nothing.
    let text = controller.reader.text.document.text.string
    await controller.takeChanges()
    await perform(.reload, controller)
    #expect(controller.reader.text.document.text.string == text)
    // If the file is missing, the reader keeps its text. The answer and the notice are dismissed.
    for _ in 1...3 { _ = controller.reader.handle(.input(.key(.escape, [])), at: 0) }
    try FileManager.default.removeItem(atPath: folder + "/essay.md")
    await controller.takeChanges()
    #expect(controller.reader.text.document.text.string == text)
    #expect(controller.reader.message.contains("missing"), "\(controller.reader.message)")
  }

  @Test func `a highlight by another program appears at the next check`() async throws {
    let controller = try await reader()
    let other = try library
    _ = try await other.mark(
      try await other.document("essay.md"),
      try SelectionSpec(parsing: "\"jumps\""))
    await controller.takeChanges()
    #expect(controller.reader.text.highlights.map(\.quote) == ["jumps"])
  }

  @Test func `a passage of a text that has just changed is not highlighted`() async throws {
    let controller = try await reader()
    let range = try range(of: "fox", in: controller)
    try write("essay.md", "Other words, quite long ones, that stand where the old ones were.\n")
    await perform(.mark(range, .yellow), controller)
    #expect(controller.reader.message.contains("changed just now"), "\(controller.reader.message)")
    #expect(try await stored().isEmpty)
    #expect(controller.reader.text.document.text.string.hasPrefix("Other words"))
  }

  @Test func `highlighting adds a file that is not in the library`() async throws {
    let controller = try await reader(adding: false)
    controller.reader.select(
      Selection(try range(of: "fox", in: controller), in: controller.reader.textUnits))
    controller.reader.openMenu()
    #expect(
      controller.reader.screenLines.contains { $0.contains("h  Highlight, and add to the library") }
    )
    let effects = controller.reader.handle(.input(.key(.character("h"), [])), at: 0)
    #expect(effects == [.mark(try range(of: "fox", in: controller), .yellow)])
    for effect in effects { await perform(effect, controller) }
    #expect(
      controller.reader.message.contains("; added to the library in"),
      "\(controller.reader.message)")
    #expect(try await stored().map(\.selector.exact) == ["fox"])
    #expect(controller.reader.text.canMark)
  }

  @Test func `one step back leaves a text that was opened at a heading`() async throws {
    let controller = try await reader()
    await perform(.follow("other.md#deeper"), controller)
    #expect(controller.reader.text.title == "Other")
    let effects = controller.reader.handle(.input(.key(.character("<"), [])), at: 0)
    #expect(effects == [.leave])
  }

  @Test func `a list of all highlights has a title, and begins with those of the current document`()
    async throws
  {
    let controller = try await reader("other.md")
    await perform(.mark(try range(of: "Deeper", in: controller), .green), controller)
    await perform(.run("read essay.md"), controller)
    await perform(.mark(try range(of: "fox", in: controller), .pink), controller)
    await perform(.run("read other.md"), controller)
    for line in ["list", "ls"] {
      await perform(.run(line), controller)
      let lines = controller.reader.screenLines
      #expect(lines.contains { $0.contains("All highlights of the library") }, "\(lines)")
      let places = ["Deeper", "fox"].map { word in
        lines.firstIndex { $0.contains("│") && $0.contains("“\(word)”") }
      }
      #expect(places[0] != nil && places[0] ?? 99 < places[1] ?? 0, "\(lines)")
    }
  }

  @Test func `undo in a text outside the library undoes nothing in other documents`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .pink), controller)
    try write("outside.md", "Not added.\n")
    await perform(.run("read \(folder)/outside.md"), controller)
    await perform(.run("undo"), controller)
    #expect(controller.reader.message.contains("not in the library"))
    #expect(try await stored().count == 1)
  }

  @Test func `undo does not remove the text that is read from the library`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .pink), controller)
    await perform(.run("undo"), controller)
    #expect(try await stored().isEmpty)
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    // The document was added alone.
    try write("alone.md", "Alone.\n")
    _ = try await library.add([folder + "/alone.md"])
    await perform(.run("read \(folder)/alone.md"), controller)
    await perform(.run("undo"), controller)
    #expect(
      controller.reader.message.contains("would remove the open document"),
      "\(controller.reader.message)")
    #expect(controller.reader.message.contains("`doc remove "))
    // In a terminal of 80 columns, the message fits in one row unless the name is long.
    let parts = controller.reader.message.split(separator: "`")
    #expect(parts.count == 3 && parts[0].count + parts[2].count < 50, "\(parts)")
    #expect(try await library.documents().count == 3)
  }

  @Test func `undo answers with a message, and the next key acts on the text`() async throws {
    let controller = try await reader()
    await perform(.run("replace fox cat --all --yes"), controller)
    #expect(controller.reader.text.document.text.string.contains("brown cat"))
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("undo"), controller)
    #expect(controller.reader.text.document.text.string.contains("brown fox"))
    let lines = controller.reader.screenLines
    #expect(!lines.contains { $0.contains("│") }, "\(lines)")
    #expect(controller.reader.message.split(separator: "\n").count > 1, "several lines")
    #expect(controller.reader.message.contains("undid: replaced"), "\(lines)")
    #expect(!controller.reader.message.contains("(step"))
    let before = controller.reader.selection.head
    _ = controller.reader.handle(.input(.key(.character("j"), [])), at: 0)
    #expect(controller.reader.selection.head != before)
  }

  @Test func `a notice of a change is shown after the answer to the last key`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    try write("essay.md", "A new beginning.\n\n" + Self.essay.replacing(" fox", with: ""))
    await controller.takeChanges()
    #expect(controller.reader.message == "highlighted in yellow: 1 “fox”")
    _ = controller.reader.handle(.input(.key(.character("l"), [])), at: 0)
    #expect(controller.reader.message.contains("essay.md changed"), "\(controller.reader.message)")
    #expect(!controller.reader.screenLines.contains { $0.contains("│") }, "no list is opened")
  }

  @Test func `a change of the file is one notice, which counts the highlights to review`()
    async throws
  {
    let controller = try await reader()
    for words in ["quick brown fox jumps", "back, and one", "lazy dog"] {
      await perform(.mark(try range(of: words, in: controller), .yellow), controller)
    }
    _ = controller.reader.handle(.input(.key(.character("l"), [])), at: 0)
    try write("essay.md", "# Essay\n\nThe slow brown fox leaps high.\n\nNothing else.\n")
    await controller.takeChanges()
    let unsure = controller.reader.text.highlights.filter(\.needsReview)
    #expect(unsure.count >= 2)
    let message = controller.reader.message
    #expect(message.hasSuffix("; \(unsure.count) to review: i"), "\(message)")
    // The next key ends the only notice.
    _ = controller.reader.handle(.input(.key(.character("l"), [])), at: 0)
    #expect(controller.reader.message == "")
    let highlight = try #require(unsure.first { $0.quote.hasPrefix("quick brown") })
    await perform(.findPlace(id: highlight.id), controller)
    #expect(controller.reader.message == "no similar passage for “quick brown fox jumps”")
  }

  @Test func `the likeliest place of a moved passage is shown with its percentage`() async throws {
    let controller = try await reader()
    let passage = "The quick brown fox jumps over the lazy dog."
    await perform(.mark(try range(of: passage, in: controller), .yellow), controller)
    try write("other.md", "# Other\n\nSome words.\n\n\(passage)\n")
    _ = try await reader("other.md")
    try write("essay.md", "# Essay\n\n## Second\n\nNothing else is here.\n")
    await controller.takeChanges()
    let lost = try #require(controller.reader.text.highlights.first { $0.needsReview })
    await perform(.findPlace(id: lost.id), controller)
    let message = controller.reader.message
    let number = try #require(
      message.firstMatch(of: #/, ([0-9]+)% certain; :anchor accept 1 -c 1 moves it here$/#)?.1)
    #expect((50...100).contains(Int(number) ?? 0), "\(message)")
    #expect(
      controller.reader.text.document.text.substring(controller.reader.selection.range) == passage)
    #expect(message.hasPrefix("the likeliest place of highlight "), "\(message)")
    #expect(controller.reader.screenLines.contains { $0.contains(passage) }, "other.md is open")
    await perform(.run("anchor accept 1 -c 1"), controller)
    #expect(try await stored().map(\.anchor.state) == [.exact])
  }

  @Test func `the likeliest place is selected in the file's current text, and a accepts it`()
    async throws
  {
    let controller = try await reader()
    func press(_ key: InputEvent.Key) async {
      for effect in controller.reader.handle(.input(.key(key, [])), at: 0) {
        await perform(effect, controller)
      }
    }
    let passage = "The quick brown fox jumps over the lazy dog."
    await perform(.mark(try range(of: passage, in: controller), .yellow), controller)
    try write("essay.md", "# Essay\n\n## Second\n\nNothing else is here.\n")
    await controller.takeChanges()
    let lost = try #require(controller.reader.text.highlights.first { $0.needsReview })
    #expect(lost.range == nil)
    // The controller has not seen this change of the file yet.
    let words = "The quick brown fox jumped over the"
    try write("essay.md", "# Essay\n\nA long new beginning.\n\n\(words) hound.\n")
    await perform(.findPlace(id: lost.id), controller)
    let selected = { [controller] in
      controller.reader.text.document.text.substring(controller.reader.selection.range)
    }
    #expect(selected() == words)
    #expect(
      controller.reader.message
        == "highlight 1 may belong here; i lists it: a accepts, r rejects")
    await press(.character("i"))
    await press(.character("a"))
    #expect(controller.reader.message == "highlight 1 accepted here; u undoes")
    let highlight = try #require(try await stored().first)
    #expect(highlight.anchor.state == .exact && highlight.selector.exact == words)
  }

  @Test func `a place that was not shown is shown before it is accepted, and r ends the review`()
    async throws
  {
    let controller = try await reader()
    let passage = "The quick brown fox jumps over the lazy dog."
    await perform(.mark(try range(of: passage, in: controller), .yellow), controller)
    try write("essay.md", "# Essay\n\nNothing else is here.\n")
    await controller.takeChanges()
    try write("other.md", "# Other\n\nSome words.\n\n\(passage)\n")
    try write("third.md", "# Third\n\n\(passage)\n")
    _ = try await library.add([folder])
    let lost = try #require(controller.reader.text.highlights.first { $0.needsReview })
    await perform(.accept(id: lost.id), controller)
    #expect(controller.reader.message.hasPrefix("the likeliest place of highlight 1, "))
    #expect(try await stored().map(\.anchor.state) == [.orphaned])
    // Of several places, the one that was shown is accepted.
    let shown = controller.reader.text.title
    await perform(.accept(id: lost.id), controller)
    #expect(controller.reader.message == "highlight 1 accepted here; u undoes")
    #expect(controller.reader.text.title == shown && shown != "Essay")
    #expect(try await stored().map(\.anchor.state) == [.exact])
    await perform(.run("undo"), controller)
    while controller.reader.text.title != "Essay" { await perform(.leave, controller) }
    await perform(.detach(id: lost.id), controller)
    #expect(!controller.reader.text.highlights.contains { $0.needsReview })
    #expect(!controller.reader.screenLines.joined().contains("to review"))
  }

  @Test func `commands, their words, documents and tags are completed`() async throws {
    let controller = try await reader()
    await perform(.tag(.passage(try range(of: "fox", in: controller)), ["a b", "ab"]), controller)
    func typed(_ line: String) async -> String {
      let letters = line.map { InputEvent.Key.character($0) }
      for key in [InputEvent.Key.escape, .character(":")] + letters + [.tab] {
        for effect in controller.reader.handle(.input(.key(key, [])), at: 0) {
          await perform(effect, controller)
        }
      }
      return controller.reader.screenLines.last ?? ""
    }
    #expect(await typed("outl") == ":outline")
    #expect(await typed("comman") == ":commands")
    #expect(await typed("hl re").hasPrefix(":hl re"))
    #expect(controller.reader.screenLines.contains { $0.hasPrefix(" restore") })
    #expect(await typed("mark --color pi") == ":mark --color pink")
    #expect(await typed("read Oth") == ":read Other")
    #expect(await typed("list --tag 'a ") == ":list --tag 'a b'")
    #expect(await typed("config set reader.mouse t") == ":config set reader.mouse true")
    // The word is quoted where it is completed, and files are completed too.
    try write("a file.csv", "")
    #expect(await typed("import \(folder)/a").hasSuffix("/a file.csv'"))
    #expect(await typed("export -o \(folder)/lib").hasSuffix("/library/"))
    #expect(await typed("zzz") == ":zzz")
    #expect(controller.reader.screenLines.contains { $0.hasPrefix(" nothing completes this") })
    // Tags are completed after each comma, but not twice.
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    controller.reader.select(
      Selection(try range(of: "dog", in: controller), in: controller.reader.textUnits))
    let keys: [InputEvent.Key] = [
      .character("t"), .character("a"), .tab, .tab, .character(","), .character("a"), .tab,
    ]
    for key in keys {
      for effect in controller.reader.handle(.input(.key(key, [])), at: 0) {
        await perform(effect, controller)
      }
    }
    #expect(controller.reader.screenLines.last == "tags, with commas: a b,ab")
  }

  @Test func `a command without output is answered, and open reads like read`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("export --to csv -o \(folder)/out.csv"), controller)
    #expect(controller.reader.message.hasSuffix("out.csv (1 highlight)"))
    #expect(FileManager.default.fileExists(atPath: folder + "/out.csv"))
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("select fox"), controller)
    #expect(controller.reader.message != "done")
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("open Other"), controller)
    #expect(controller.reader.text.title == "Other" && controller.reader.message != "done")
  }

  @Test func `a file that is renamed while it is read is followed`() async throws {
    let controller = try await reader()
    await perform(.mark(try range(of: "fox", in: controller), .yellow), controller)
    _ = controller.reader.handle(.input(.key(.character("l"), [])), at: 0)
    try FileManager.default.moveItem(atPath: folder + "/essay.md", toPath: folder + "/moved.md")
    await controller.takeChanges()
    #expect(controller.reader.message.contains("renamed to"), "\(controller.reader.message)")
    #expect(!controller.reader.message.contains("missing"))
    await perform(.mark(try range(of: "brown", in: controller), .pink), controller)
    #expect(controller.reader.message == "highlighted in pink: 2 “brown”")
    // Further changes of the file are seen at its new place.
    try write("moved.md", Self.essay.replacing("Second", with: "Next"))
    await controller.takeChanges()
    #expect(controller.reader.text.document.text.string.contains("Next"))
  }

  @Test func `a note that cannot be stored is offered again`() async throws {
    let controller = try await reader()
    let fox = try range(of: "fox", in: controller)
    await perform(.mark(fox, .yellow), controller)
    let id = try #require(controller.reader.text.highlights.first).id
    controller.reader.select(Selection(fox, in: controller.reader.textUnits))
    // A missing file does not hide that a note was stored.
    try FileManager.default.moveItem(atPath: folder + "/essay.md", toPath: folder + "/away.txt")
    await perform(.setNote(.highlight(id), "saved", seen: ""), controller)
    #expect(controller.reader.message == "note saved")
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    #expect(controller.reader.message.contains("essay.md is missing"))
    try FileManager.default.moveItem(atPath: folder + "/away.txt", toPath: folder + "/essay.md")
    await perform(.reload, controller)
    while !controller.reader.message.isEmpty {
      _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    }
    controller.reader.select(Selection(fox, in: controller.reader.textUnits))
    // Another program has changed the note.
    await perform(.setNote(.highlight(id), "some work", seen: "another note"), controller)
    #expect(controller.reader.message.hasSuffix("\nn continues your note"))
    _ = controller.reader.handle(.input(.key(.character("n"), [])), at: 0)
    #expect(controller.reader.screenLines.last?.hasPrefix("note: some work") == true)
  }

  @Test func `edit opens the editor at the caret, and commands are listed in groups`()
    async throws
  {
    try edit(by: "true")
    let controller = try await reader()
    await perform(.run("edit"), controller)
    #expect(controller.reader.message.hasSuffix("essay.md is unchanged") && suspensions == 1)
    await perform(.listCommands, controller)
    let lines = controller.reader.screenLines
    #expect(lines[0].contains("Commands · ") && lines[1].contains("DOCUMENTS:"))
    #expect(lines.contains { $0.contains("  add         Add Markdown files, ") })
  }

  @Test func `messages, panels and the list of documents name a file as commands do`() async throws
  {
    let controller = try await reader("other.md")
    let shown = { FileSystem.shown(FileSystem.absolute(self.folder + "/" + $0)) }
    let choices = try await controller.documentChoices()
    #expect(choices.entries.map(\.path) == ["essay.md", "other.md"].map(shown))
    await perform(.run("links"), controller)
    #expect(controller.reader.screenLines.joined().contains("/essay.md:3:36"))
    try FileManager.default.removeItem(atPath: folder + "/essay.md")
    await perform(.run("read Essay"), controller)
    #expect(
      controller.reader.message.contains(shown("essay.md")), "\(controller.reader.message)")
    await perform(.follow("missing.md"), controller)
    #expect(
      controller.reader.message.contains(shown("missing.md")), "\(controller.reader.message)")
  }

  @Test func `help is shown as a text with its empty lines, and wrong words are explained`()
    async throws
  {
    let controller = try await reader()
    await perform(.run("help mark"), controller)
    let lines = controller.reader.screenLines
    #expect(lines[0].contains("Help · PgDn scrolls") && lines[1].contains("Highlight a"))
    #expect(!lines[1].contains("OVERVIEW") && lines[2].hasSuffix("│"))
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("outline essay.md two words"), controller)
    #expect(controller.reader.message.hasPrefix("'outline' does not accept 'two', 'words'; "))
    _ = controller.reader.handle(.input(.key(.escape, [])), at: 0)
    await perform(.run("list --tag"), controller)
    #expect(controller.reader.message.hasPrefix("--tag needs a value; "))
  }

  @Test func `Enter on a tag lists its highlights`() async throws {
    let controller = try await reader()
    await perform(.tag(.passage(try range(of: "fox", in: controller)), ["a b"]), controller)
    await perform(.tag(.passage(try range(of: "brown", in: controller)), ["c"]), controller)
    await perform(.run("tags"), controller)
    #expect(controller.reader.screenLines.contains { $0.contains("#\"a b\"") })
    for effect in controller.reader.handle(.input(.key(.enter, [])), at: 0) {
      await perform(effect, controller)
    }
    let lines = controller.reader.screenLines.filter { $0.contains("│") }
    #expect(lines.contains { $0.contains("“fox”") } && !lines.contains { $0.contains("“brown”") })
  }

  @Test func `the settings of the reader's width apply, and a width in the command line instead`()
    async throws
  {
    environment["DIPLE_READER_MEASURE"] = "50"
    environment["DIPLE_READER_FOOTER"] = "false"
    let controller = try await reader()
    #expect(controller.reader.options.measure == 50 && !controller.reader.options.hasFooter)
    #expect(!controller.reader.screenLines.joined().contains("? keys"))
    var drawing = DrawOptions.none
    drawing.width = 70
    let wide = try await ReaderController(
      environment, doc: folder + "/essay.md", library: nil, appearance: ReaderAppearance(drawing),
      columns: 80, rows: 24)
    #expect(wide.reader.options.measure == 70 && wide.reader.options.width == 70)
  }

  @Test func `a file outside the library can be opened`() async throws {
    let controller = try await reader(adding: false)
    #expect(controller.reader.text.title == "essay.md" && !controller.reader.text.canMark)
    await perform(.follow("other.md"), controller)
    #expect(controller.reader.text.title == "other.md")
    await perform(.leave, controller)
    #expect(controller.reader.text.title == "essay.md")
    #expect(!FileManager.default.fileExists(atPath: folder + "/library"), "no library was created")
  }

  @Test func `opening a missing file is an error`() async throws {
    await #expect(throws: UserError.self) { _ = try await self.reader("nothing.md") }
  }
}

extension Reader {
  /// The text of each row of the screen, from the top.
  fileprivate var screenLines: [String] {
    mutating get {
      let screen = screen()
      return (0..<screen.rows).map { screen.text(ofRow: $0) }
    }
  }
}
