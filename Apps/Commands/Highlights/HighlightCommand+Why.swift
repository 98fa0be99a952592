import Actions
import ArgumentParser
import Console
import Editing
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight why` command. It compares the highlighted words with the current ones if they
  /// differ.
  struct Why: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "why",
      abstract: "Explain how a highlight's place was found, and how certain it is.",
      discussion: """
        If the highlight is doubtful or orphaned, its candidates follow, as `anchor review` lists \
        them.

        Example:
          diple hl why 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let (highlight, document) = try await context.highlight(id, in: library)
      var now: String?
      if let range = highlight.anchor.range, document.state == .present {
        let text = try await library.open(document).parsed.text
        guard range.utf16.upperBound <= text.utf16.count else {
          throw UserError(
            .damaged, "the place of highlight \(highlight.id), \(range), is beyond its text",
            hint: "\(command: "anchor", "reattach", "ID", "SPEC") gives it another")
        }
        now = text.substring(range)
      }
      let anchor = highlight.anchor
      let candidates =
        [.doubtful, .orphaned].contains(anchor.state) && !highlight.isDetached
        ? try await library.candidates(for: highlight) : []
      context.answer(
        options, "diple.why/1",
        WhyRecord(highlight, in: document, now: now, candidates: candidates)
      ) {
        defer {
          let writer = context.listWriter(options)
          for (index, candidate) in candidates.enumerated() {
            writer.write("    \(index + 1)  \(candidate.summary.sanitizedForTerminal)")
          }
        }
        context.terminal.output.line(
          "state      \(anchor.state)\(highlight.isDetached ? " (marked as gone)" : "")"
            + (document.state == .missing ? " where last seen; the file is missing" : ""))
        if anchor.range != nil {
          context.terminal.output.line("method     \(anchor.method.sanitizedForTerminal)")
          context.terminal.output.line("score      \(anchor.score.percent)")
          context.terminal.output.line("runner-up  \(anchor.runnerUp.percent)")
          context.terminal.output.line("margin     \(anchor.margin.percent)")
        }
        let marked = highlight.selector.exact
        guard let now, anchor.state == .edited || anchor.state == .doubtful else {
          context.terminal.output.line("marked     “\(marked.shortened)”")
          if let now { context.terminal.output.line("now        “\(now.shortened)”") }
          return
        }
        let (old, new) = WordChanges(from: marked, to: now).sides
        context.terminal.output.line("marked     “\(old.sanitizedForTerminal)”")
        context.terminal.output.line("now        “\(new.sanitizedForTerminal)”")
      }
    }
  }
}

/// How a highlight's position was found, a record of the schema `diple.why/1`.
struct WhyRecord: Encodable {
  struct RunRecord: Encodable {
    var kind: WordChanges.Kind
    var words: String
  }

  var highlight: HighlightRecord
  var runnerUp: Double
  var margin: Double
  var detached: Bool
  @Nullable var now: String?
  var changes: [RunRecord]
  var candidates: [ReviewRecord.CandidateRecord]

  init(
    _ highlight: Highlight, in document: Document, now: String?, candidates: [ReviewCandidate]
  ) {
    self.highlight = HighlightRecord(highlight, in: document)
    runnerUp = highlight.anchor.runnerUp
    margin = highlight.anchor.margin
    detached = highlight.isDetached
    self.now = now
    self.candidates = candidates.map(ReviewRecord.CandidateRecord.init)
    changes =
      now.map {
        WordChanges(from: highlight.selector.exact, to: $0).runs.map {
          RunRecord(kind: $0.kind, words: $0.words)
        }
      } ?? []
  }
}

extension WordChanges {
  /// The old and the new words. Words that only occur in one of the texts are in brackets.
  var sides: (old: String, new: String) {
    func side(_ own: Kind) -> String {
      runs.filter { $0.kind == .kept || $0.kind == own }
        .map { $0.kind == .kept ? $0.words : "[\($0.words)]" }.joined(separator: " ")
    }
    return (side(.removed), side(.added))
  }
}

extension Double {
  /// The value as a rounded percentage, such as `87 %`.
  fileprivate var percent: String { "\(Int((self * 100).rounded())) %" }
}
