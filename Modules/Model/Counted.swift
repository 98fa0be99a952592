extension Int {
  /// Returns the number with its noun: “1 file”, “2 files”, “0 batches”. O(length).
  ///
  /// - Parameter noun: a singular noun with a regular English plural.
  public func counted(_ noun: String) -> String {
    "\(self) \(self == 1 ? noun : Self.plural(of: noun))"
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
