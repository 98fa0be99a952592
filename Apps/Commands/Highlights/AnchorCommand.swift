import ArgumentParser
import Console
import DaemonKit
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

/// `anchor`: the places of highlights.
struct AnchorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchor",
    abstract: "Review highlights whose place is doubtful or lost.",
    discussion: """
      Examples:
        diple anchor review
        diple anchor check
      """,
    subcommands: [
      Review.self, Accept.self, Reject.self, Reattach.self, Check.self, InstallHook.self,
    ], defaultSubcommand: Review.self)

  /// `anchor review`.
  struct Review: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "review",
      abstract: "List doubtful and orphaned highlights with the places where they may belong.",
      discussion: """
        Examples:
          diple anchor review
          diple anchor review essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let documents = try await context.documents(docs, in: library)
      let (items, reports) = try await library.review(documents)
      context.terminal.notify(reports)
      if options.json {
        let records = items.map(ReviewRecord.init)
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.review/1", data: records)))
      } else {
        let writer = context.listWriter(options)
        for item in items {
          writer.write(item.highlight, item.document)
          for (index, candidate) in item.candidates.enumerated() {
            writer.write("    \(index + 1)  \(candidate.summary.sanitizedForTerminal)")
          }
          if item.candidates.isEmpty { context.terminal.output.line("    no similar passage") }
        }
        if !items.isEmpty {
          context.say(
            """
            \(line: "anchor accept ID") takes a place (`--candidate N` another than the first), \
            \(line: "anchor reject ID") marks it as gone, \
            \(line: "anchor reattach ID SPEC") names another
            """)
        }
      }
      if items.isEmpty { throw context.nothing("no highlight is doubtful or orphaned", options) }
    }
  }

  /// `anchor accept`.
  struct Accept: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "accept",
      abstract: "Accept a highlight's place, or one of the places that `anchor review` lists.",
      discussion: """
        Examples:
          diple anchor accept 12
          diple anchor accept 12 --candidate 2
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(
      name: [.customShort("c"), .long], help: "Number of a place that `anchor review` lists.")
    var candidate: Int?
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let (highlight, _) = try await context.highlight(id, in: library)
      if writing.dryRun {
        let place = try await library.place(of: highlight, candidate: candidate)
        let open = try await library.open(place.document)
        context.answer(
          options, json: SelectionRecord.line(place.range, in: open.parsed),
          plain: "would be placed at: \(place.summary.sanitizedForTerminal)")
        return
      }
      let accepted = try await library.accept(highlight, candidate: candidate)
      let document = try await library.document(id: accepted.document)
      context.say(accepted, in: document, options)
    }
  }

  /// `anchor reject`.
  struct Reject: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "reject",
      abstract: "Mark a highlight's passage as gone; it is kept, and no longer searched for.",
      discussion: """
        Example:
          diple anchor reject 12
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let (highlight, home) = try await context.highlight(id, in: library)
      if writing.dryRun {
        context.answer(
          options, json: HighlightRecord.lines([highlight], in: home),
          plain: "would be marked as gone: “\(highlight.selector.exact.shortened)”")
        return
      }
      context.say(try await library.detach(highlight), in: home, options)
    }
  }

  /// `anchor reattach`, and `highlight reattach`.
  struct Reattach: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "reattach",
      abstract: "Move a highlight to another passage; colour, note and tags stay.",
      discussion: """
        SPEC is as for `mark`.

        Examples:
          diple anchor reattach 12 '"new words"'
          diple anchor reattach 12 para:3 --doc other.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(
      name: .customLong("doc"), help: "Document of the passage; the highlight's when omitted.",
      completion: .values(.document))
    var doc: String?
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String
    @Argument(help: "Passage, as for `mark`.", completion: .values(.spec)) var spec: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let (highlight, home) = try await context.highlight(id, in: library)
      let document =
        if let doc { try await context.document(doc, in: library, toChange: true) } else { home }
      let wanted = try context.selectionSpec(spec)
      if writing.dryRun {
        let open = try await library.open(document)
        let range = try await library.select(wanted, in: open)
        context.answer(
          options, json: SelectionRecord.line(range, in: open.parsed),
          plain: "would be placed at: “\(open.parsed.text.substring(range).shortened)”")
        return
      }
      context.say(
        try await library.reattach(highlight, to: wanted, in: document), in: document, options)
    }
  }

  /// `anchor check`.
  struct Check: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "List the highlights that edits have damaged; exit code 3 if there are any.",
      discussion: """
        Examples:
          diple anchor check
          diple anchor check --staged
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Check what is staged for the next git commit instead of the files.")
    var staged = false
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func validate() throws {
      if staged, !docs.isEmpty {
        throw ValidationError("--staged checks the staged content, and takes no documents")
      }
    }

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let documents = try await context.documents(docs, in: library)
      let affected =
        staged
        ? try await library.checkStaged(around: ".")
        : try await library.check(documents)
      if options.json {
        let records = affected.map(CheckRecord.init)
        context.terminal.output.line(JSON.line(Envelope(schema: "diple.check/1", data: records)))
      } else {
        for item in affected {
          let words = item.words.map { " now “\($0.shortened)”" } ?? ""
          let state = item.document.state == .missing && !staged ? "missing" : "\(item.after.state)"
          context.terminal.output.line(
            "\(item.document.path.string.sanitizedForTerminal): \(state) "
              + "\(item.highlight.shortID) “\(item.highlight.selector.exact.shortened)”\(words)")
        }
        let missing = staged ? 0 : affected.count { $0.document.state == .missing }
        if affected.count > missing {
          context.say(
            """
            \((affected.count - missing).counted("highlight")) affected; \
            \(command: "anchor", "review") shows possible places
            """)
        }
        if missing > 0 {
          context.say(
            """
            \(missing.counted("highlight")) in missing files, kept as they were; restore the files, \
            or relink them: \(line: "doc link DOC PATH")
            """)
        }
      }
      if !affected.isEmpty { throw ExitCode(3) }
    }
  }

  /// `anchor install-hook`.
  struct InstallHook: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "install-hook",
      abstract: "Install a git hook that runs `anchor check --staged` before each commit.",
      discussion: """
        Example:
          diple anchor install-hook
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let path = try await library.installHook(around: ".", naming: options.library != nil)
      if options.json {
        context.terminal.output.line(
          JSON.line(Envelope(schema: "diple.file/1", data: ["path": path])))
      } else {
        context.terminal.output.line("installed \(path.sanitizedForTerminal)")
      }
    }
  }
}

/// One highlight of `diple.review/1`.
struct ReviewRecord: Encodable {
  struct CandidateRecord: Encodable {
    var document: HighlightRecord.DocumentReference
    var range: TextRange
    var line: Int
    var column: Int
    var words: String
    var score: Double
  }

  var highlight: HighlightRecord
  var candidates: [CandidateRecord]

  init(_ item: ReviewItem) {
    highlight = HighlightRecord(item.highlight, in: item.document)
    candidates = item.candidates.map {
      CandidateRecord(
        document: .init($0.document), range: $0.range, line: $0.line.line,
        column: $0.line.column, words: $0.words, score: $0.score)
    }
  }
}

/// One highlight of `diple.check/1`.
struct CheckRecord: Encodable {
  var highlight: HighlightRecord
  var state: AnchorState
  @Nullable var words: String?

  init(_ item: AffectedHighlight) {
    highlight = HighlightRecord(item.highlight, in: item.document)
    state = item.after.state
    words = item.words
  }
}
