import ArgumentParser
import Configuration
import Editing
import Model
import Rendering
import Search
import Workspace

/// `find`: looks for something in one document.
struct FindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find something in one document.",
    discussion: """
      In the REPL the first match is shown, and `next` and `prev` go on from it; DOC may be left \
      out there. Nothing is stored, unless --mark makes highlights of the matches.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var matching: MatchOptions
  @OptionGroup var width: WidthOptions
  @Option(name: .customLong("in"), help: "Only in this passage: a SPEC, as for mark.")
  var passage: String?
  @Option(help: "Make highlights of all matches, in this colour.") var mark: HighlightColor?
  @Option(help: "A tag for these highlights; may be given several times.") var tag: [String] = []
  @Flag(help: "Forget what was looked for.") var clear = false
  @Argument(help: "[DOC] QUERY; DOC may be left out in the REPL.") var words: [String] = []

  func validate() throws {
    if mark == nil, !tag.isEmpty { throw ValidationError("--tag goes with --mark") }
  }

  func run() async throws {
    let session = Session.current
    if clear { return try clearSession(session) }
    guard (1...2).contains(words.count), session.isInteractive || words.count == 2 else {
      throw LibraryError(
        .usage, "this takes DOC and QUERY, and got \(words.count.counted("word"))",
        hint: "put a query of several words in quotation marks")
    }
    let library = try session.library(options, .lookOnly)
    let document = try await session.document(words.count == 2 ? words[0] : nil, in: library)
    let query = matching.query(words[words.count - 1])
    if let mark { return try await markMatches(query, document, mark, session) }
    let open = try await library.open(document)
    if let report = open.report { session.notify([report]) }
    let found = try await library.find(
      try query.request().query, strategy: matching.strategy, in: open,
      within: try passage.map(session.selectionSpec))
    if session.isInteractive { session.finding = Finding(session: found, document: document) }
    if options.json {
      session.output.line(FindRecord.line(found, in: open, library))
    } else if session.isInteractive, found.match != nil {
      session.draw(found, in: open, width: width.width, try session.settings(options))
    } else {
      for (index, hit) in library.hits(of: found, in: open).enumerated() {
        let record = MatchRecord(hit, in: open.document ?? document)
        session.output.line("\(index + 1)/\(found.matches.count)  \(record.plain)")
      }
    }
    if found.matches.isEmpty { throw ExitCode(1) }
  }

  private func clearSession(_ session: Session) throws {
    guard words.isEmpty else { throw LibraryError(.usage, "--clear takes no words") }
    guard session.finding != nil else {
      throw LibraryError(.nothing, "nothing is being looked for")
    }
    session.finding = nil
    if options.json {
      session.output.line(JSON.line(Envelope(schema: "diple.find/1", data: FindRecord())))
    }
  }

  private func markMatches(
    _ query: SavedQuery, _ document: Document, _ color: HighlightColor, _ session: Session
  ) async throws {
    let library = try session.library(options, .existing)
    var request = MarkRequest(spec: try session.selectionSpec(passage ?? "all"))
    request.matching = query
    request.color = color
    request.tags = tag
    let (made, report) = try await library.mark(document, request)
    session.notify([report])
    if options.json {
      session.output.line(HighlightRecord.lines(made, in: report.document))
    } else {
      for highlight in made { session.output.line(ListCommand.line(highlight, report.document)) }
    }
  }
}

/// `next`: goes to the next match.
struct NextCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "In the REPL: go to the next match of `find`.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var width: WidthOptions

  func run() async throws {
    try await Session.current.step(options, width: width.width) { $0.next() }
  }
}

/// `prev`: goes to the match before.
struct PreviousCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prev", abstract: "In the REPL: go to the match of `find` before.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var width: WidthOptions

  func run() async throws {
    try await Session.current.step(options, width: width.width) { $0.previous() }
  }
}

/// What a person looks for, and in which document.
struct Finding {
  var session: FindSession
  var document: Document
}

/// `diple.find/1`.
private struct FindRecord: Encodable {
  @Nullable var document: HighlightRecord.DocumentReference?
  var query: String = ""
  var strategy: String = ""
  /// The number of the match at hand, from 1.
  @Nullable var current: Int?
  var wrapped = false
  var matches: [MatchRecord] = []

  /// Nothing is looked for.
  init() {}

  static func line(_ found: FindSession, in open: OpenDocument, _ library: Library) -> String {
    var record = FindRecord()
    record.query = found.query.text
    record.strategy = found.strategy
    record.current = found.current.map { $0 + 1 }
    record.wrapped = found.hasWrapped
    if let document = open.document {
      record.document = .init(document)
      record.matches = library.hits(of: found, in: open).map { MatchRecord($0, in: document) }
    }
    return JSON.line(Envelope(schema: "diple.find/1", data: record))
  }
}

extension Session {
  /// Goes to another match of what is looked for, in the document as its file is now.
  fileprivate func step(
    _ options: GlobalOptions, width: Int?, _ go: (inout FindSession) -> TextRange?
  ) async throws {
    guard var finding else {
      throw LibraryError(
        .usage, "nothing is being looked for",
        hint: isInteractive ? "`find QUERY` does" : "this is for the REPL: diple repl")
    }
    let library = try library(options, .lookOnly)
    let open = try await library.open(finding.document)
    if let report = open.report, report.change != .unchanged {
      notify([report])
      let anew = try await library.find(
        finding.session.query, strategy: finding.session.strategy, in: open)
      finding.session.replaceMatches(anew.matches)
    }
    let match = go(&finding.session)
    self.finding = finding
    if options.json {
      output.line(FindRecord.line(finding.session, in: open, library))
    } else {
      draw(finding.session, in: open, width: width, try settings(options))
    }
    if match == nil { throw ExitCode(1) }
  }

  /// Draws the paragraphs around the match at hand, with the matches decorated.
  fileprivate func draw(
    _ found: FindSession, in open: OpenDocument, width asked: Int?, _ settings: Settings
  ) {
    let wrapped = found.hasWrapped ? " (went round)" : ""
    output.line("\(found.position)\(wrapped)")
    guard let match = found.match else { return }
    let page = Page(
      document: open.parsed, overlays: open.overlays, decorations: found.decorations(in: match),
      options: pageOptions(width: asked, settings, around: match))
    let writer = ANSIWriter(page.options)
    var text = ""
    for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    output.write(text)
  }
}
