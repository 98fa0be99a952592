/// A length in twentieths of a point. RTF uses this unit, so lengths in files are kept exactly.
package struct Twips: Hashable, Comparable, Sendable {
  /// The number of twentieths of a point; may be negative.
  package var count: Int

  /// Creates a length of a number of twentieths of a point.
  package init(_ count: Int) { self.count = count }

  /// Returns a length of a number of points.
  package static func points(_ points: Int) -> Twips { Twips(points * 20) }

  /// The length in points.
  package var points: Double { Double(count) / 20 }

  /// Compares by length.
  package static func < (a: Twips, b: Twips) -> Bool { a.count < b.count }
}

extension Twips: CustomStringConvertible {
  /// The length in points, with as many decimals as needed: `18 pt`, `4.05 pt`.
  package var description: String { "\(decimal(hundredths: count * 5)) pt" }
}

/// Formats a number of hundredths as a decimal without trailing zeros: `250` is `2.5`.
func decimal(hundredths: Int) -> String {
  let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
  let sign = hundredths < 0 ? "-" : ""
  if rest == 0 { return "\(sign)\(whole)" }
  if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
  return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
}
