import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension AnchorCommand {
  /// The `anchor review` command. It exits with 1 if no highlight is doubtful or orphaned.
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
      context.answer(options, "diple.review/1", items.map(ReviewRecord.init)) {
        let writer = context.listWriter(options)
        for item in items {
          writer.write(item.highlight, item.document)
          for (index, candidate) in item.candidates.enumerated() {
            writer.write("    \(index + 1)  \(candidate.summary.sanitizedForTerminal)")
          }
          if item.candidates.isEmpty { context.terminal.output.line("    no similar passage") }
        }
        if !items.isEmpty {
          context.show(
            """
            \(line: "anchor accept ID") accepts the first place (`--candidate 2` the second), \
            \(line: "anchor reject ID") gives up, \
            \(line: "anchor reattach ID SPEC") names another passage
            """)
        }
      }
      if items.isEmpty { throw context.nothing("no highlight is doubtful or orphaned", options) }
    }
  }
}

/// A highlight and its possible positions, an element of `diple.review/1`.
struct ReviewRecord: Encodable {
  struct CandidateRecord: Encodable {
    var document: HighlightRecord.DocumentReference
    var range: TextRange
    var line: Int
    var column: Int
    var words: String
    var score: Double

    init(_ candidate: ReviewCandidate) {
      document = .init(candidate.document)
      range = candidate.range
      (line, column) = (candidate.line.line, candidate.line.column)
      (words, score) = (candidate.words, candidate.score)
    }
  }

  var highlight: HighlightRecord
  var candidates: [CandidateRecord]

  init(_ item: ReviewItem) {
    highlight = HighlightRecord(item.highlight, in: item.document)
    candidates = item.candidates.map(CandidateRecord.init)
  }
}
