import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc statistics` command, which counts a document's words and highlights.
  struct Statistics: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "statistics",
      abstract: "Count a document's words and highlights, and estimate the time to read it.",
      discussion: """
        Example:
          diple doc statistics essay.md
        """, aliases: ["stats"])
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String?

    func request(in context: CommandContext) async throws -> DocumentStatistics {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      return DocumentStatistics(document: try await context.document(doc, in: library).id)
    }

    func notices(of outcome: DocumentStatistics.Outcome) -> [RefreshReport] {
      outcome.open.report.map { [$0] } ?? []
    }

    func write(_ outcome: DocumentStatistics.Outcome, to context: CommandContext) {
      func counts<Key: RawRepresentable<String> & CaseIterable>(_ count: (Key) -> Int) -> String {
        let counted = Key.allCases.filter { count($0) > 0 }.map { "\(count($0)) \($0.rawValue)" }
        return counted.isEmpty ? "none" : counted.joined(separator: ", ")
      }
      let output = context.terminal.output
      output.line("document    \(context.shown(outcome.document.path))")
      output.line("words       \(outcome.words)")
      output.line("characters  \(outcome.characters)")
      output.line(
        """
        to read     \(outcome.minutes.minutesInWords) \
        (\(DocumentStatistics.wordsPerMinute.counted("word")) a minute)
        """
      )
      output.line("highlights  \(counts { (color: HighlightColor) in outcome.count(color) })")
      output.line("states      \(counts { (state: AnchorState) in outcome.count(state) })")
    }
  }
}
