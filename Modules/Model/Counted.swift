extension Int {
  /// This number with what it counts: “1 file”, “2 files”, “0 batches”.
  ///
  /// - Parameter noun: in the singular; one whose plural follows English rules. O(length).
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
