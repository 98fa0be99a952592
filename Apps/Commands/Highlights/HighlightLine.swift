import Console
import Model

extension CommandContext {
  /// Writes how a highlight is now, as JSON or as the line of a list.
  func say(_ highlight: Highlight, in document: Document, _ options: GlobalOptions) {
    answer(
      options, json: HighlightRecord.lines([highlight], in: document),
      plain: ListCommand.line(highlight, document))
  }
}
