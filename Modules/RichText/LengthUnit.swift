/// The unit in which lengths are shown to users. The raw value is the word after the number.
package enum LengthUnit: String, Hashable, Sendable, CaseIterable {
  case points = "pt"
  case centimeters = "cm"
  case inches = "in"

  /// Returns a length with its unit, rounded to hundredths: `36 pt`, `1.27 cm`, `0.5 in`.
  package func text(_ length: Twips) -> String {
    switch self {
    case .points: length.description
    case .centimeters: "\(decimal(hundredths: Self.quotient(length.count * 254, 1_440))) cm"
    case .inches: "\(decimal(hundredths: Self.quotient(length.count * 100, 1_440))) in"
    }
  }

  /// Returns a rounded quotient.
  private static func quotient(_ count: Int, _ divisor: Int) -> Int {
    (count + (count < 0 ? -divisor : divisor) / 2) / divisor
  }
}
