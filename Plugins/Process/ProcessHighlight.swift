import Editing
import MarkdownParse
import Model
import SystemSupport

/// A highlight strategy that runs a program.
struct ProcessHighlight: HighlightStrategy {
  static let id = "process-highlight"
  static let summary = "a program that makes highlights of a selection"
  static let examples: [HighlightExample] = []

  let program: PluginProgram

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "highlight"
    var start: Int
    var end: Int
    var text: String
  }

  func ranges(from selection: TextRange, in document: ParsedDocument) throws(StrategyError)
    -> [TextRange]
  {
    let text = document.text.utf16
    var places = OffsetConverter(text, program.manifest.offsets)
    let start = places.theirs(selection.utf16.lowerBound)
    let end = places.theirs(selection.utf16.upperBound)
    do {
      let answers = try program.answers(
        to: Request(start: start, end: end, text: document.text.string))
      // A repeated range is the same highlight.
      var seen: Set<TextRange> = []
      return try program.ranges(answers, in: text).filter { seen.insert($0).inserted }
    } catch { throw StrategyError(program.named(error)) }
  }
}
