import Model
import Search

/// A search strategy that is a program.
struct ProcessSearch: SearchStrategy {
  static let id = "process-search"
  static let summary = "a program that searches"
  static let examples: [SearchExample] = []

  let program: PluginProgram

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "search"
    var query: String
    var ignoresCase: Bool
    var wholeWords: Bool
    var text: String
  }

  func search(_ query: SearchQuery, in text: [UInt16], found: (Match) -> Bool)
    throws(PatternError) -> SearchOutcome
  {
    do {
      let answers = try program.answers(
        to: Request(
          query: query.text, ignoresCase: query.ignoresCase, wholeWords: query.wholeWords,
          text: String(decoding: text, as: UTF16.self)))
      let ranges = try program.ranges(answers, in: text)
      for (first, second) in zip(ranges, ranges.dropFirst())
      where second.lowerBound < first.upperBound {
        throw PluginProblem("its matches overlap or are not in order")
      }
      for range in ranges where !found(Match(range: range)) { return .cancelled }
      return .complete
    } catch let problem as PluginProblem {
      return .failed(program.named(problem))
    } catch { return .failed("\(error)") }
  }
}
