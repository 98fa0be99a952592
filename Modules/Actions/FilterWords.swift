import FoundationEssentials
import Model
import SystemSupport
import Workspace

extension Library {
  /// Returns the conditions of a filter in the words of `HighlightCondition.parse`, with the labels
  /// of this library and the local time zone.
  ///
  /// - Throws: `usage` with the column of the first error; `damaged` or `conflict` if the library
  ///   cannot be read.
  func conditions(_ words: String) throws(UserError) -> [HighlightCondition] {
    let labels = try labels()
    let names = HighlightCondition.Names(
      colors: { name in
        if let color = HighlightColor(rawValue: name) { return [color] }
        let wanted = name.lowercased()
        return HighlightColor.allCases.filter { labels[$0]?.lowercased() == wanted }
      },
      colorNames: HighlightColor.allCases.map(\.rawValue) + labels.values.sorted(),
      date: { text in
        LocalTime.seconds(of: text, now: Int(Date().timeIntervalSince1970.rounded(.down)))
          .map { Date(timeIntervalSince1970: Double($0)) }
      })
    do throws(HighlightCondition.Problem) {
      return try HighlightCondition.parse(words, names: names)
    } catch {
      throw UserError(
        .usage, "the filter, character \(error.column): \(error.reason)",
        hint: error.suggestion.map { Hint($0) }
      ).about("filter")
    }
  }
}
