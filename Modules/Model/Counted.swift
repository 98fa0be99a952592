extension Int {
  /// Returns the number with its noun: “1 file”, “2 files”, “0 batches”. O(length).
  ///
  /// - Parameter noun: a singular noun with a regular English plural.
  public func counted(_ noun: String) -> String {
    "\(self) \(self == 1 ? noun : Self.plural(of: noun))"
  }

  /// Returns this number of seconds in the same way: “90 seconds”, “3 minutes”.
  package var secondsInWords: String {
    self < 120 ? counted("second") : ((self + 30) / 60).minutesInWords
  }

  /// Returns this number of minutes, rounded to the largest unit of which there are at least two:
  /// “90 minutes”, “3 hours”, “2 days”.
  package var minutesInWords: String {
    switch self {
    case ..<120: counted("minute")
    case ..<2_880: ((self + 30) / 60).counted("hour")
    default: ((self + 720) / 1_440).counted("day")
    }
  }

  private static func plural(of noun: String) -> String {
    if ["s", "x", "ch", "sh"].contains(where: noun.hasSuffix) { return noun + "es" }
    let vowelsBeforeY = ["ay", "ey", "oy", "uy"]
    if noun.hasSuffix("y"), !vowelsBeforeY.contains(where: noun.hasSuffix) {
      return noun.dropLast() + "ies"
    }
    return noun + "s"
  }
}
