import Model
import Search
import SystemSupport

/// A search strategy that runs a program.
struct ProcessSearch: SearchStrategy {
  static let id = "process-search"
  static let summary = "a program that searches"
  static let examples: [SearchExample] = []

  let program: PluginProgram

  func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    Searcher(
      program: program, query: query,
      session: program.manifest.persistent ? PluginSession() : nil)
  }

  /// Sends the program a request for each text. A program that answers several requests runs once
  /// for all texts of a search.
  private struct Searcher: TextSearcher {
    let program: PluginProgram
    let query: SearchQuery
    let session: PluginSession?

    /// The texts can't be filtered, because the program's algorithm is unknown.
    var filter: TextFilter { .everything }

    private struct Request: Encodable {
      var diple = PluginManifest.version
      var request = "search"
      var query: String
      var ignoresCase: Bool
      var wholeWords: Bool
      var text: String
    }

    func search(
      _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
      found: (Range<Int>) -> Bool
    ) -> SearchOutcome {
      if let reason = watch.reasonToStop { return reason }
      let string = String(decoding: text, as: UTF8.self)
      do {
        let answers = try program.answers(
          to: Request(
            query: query.text, ignoresCase: query.ignoresCase, wholeWords: query.wholeWords,
            text: string), in: session)
        let ranges = try program.ranges(answers, in: Array(string.utf16))
        for (first, second) in zip(ranges, ranges.dropFirst())
        where second.lowerBound < first.upperBound {
          throw PluginError("its matches overlap or are not in order")
        }
        var borders = GraphemeBorders(text)
        for range in Self.bytes(ranges, in: string)
        where range.lowerBound >= start && borders.surrounds(range) {
          if !found(range) { return .cancelled }
        }
        return .complete
      } catch let problem as PluginError {
        return .failed(program.named(problem))
      } catch { return .failed("\(error)") }
    }

    /// Converts ranges of UTF-16 units, in order, to ranges of bytes. O(text).
    private static func bytes(_ ranges: [TextRange], in string: String) -> [Range<Int>] {
      var (index, byte, unit) = (string.utf16.startIndex, 0, 0)
      func move(to target: Int) -> Int {
        let next = string.utf16.index(index, offsetBy: target - unit)
        byte += string.utf8.distance(from: index, to: next)
        (index, unit) = (next, target)
        return byte
      }
      return ranges.map {
        let start = move(to: $0.utf16.lowerBound)
        return start..<move(to: $0.utf16.upperBound)
      }
    }
  }
}
