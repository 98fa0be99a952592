import Model
public import Search

/// Finds the very characters of the query.
public struct Literal: SearchStrategy {
  /// The name by which it is chosen.
  public static let id = "literal"
  /// What it does, in one line.
  public static let summary = "the characters as they are written"
  /// What it must do; these are its tests.
  public static let examples = [
    SearchExample("smart case", query: "fox", text: "«Fox» and «fox»"),
    SearchExample("a capital means itself", query: "Fox", text: "«Fox» and fox"),
    SearchExample("beyond ASCII", query: "größe", text: "die «GRÖßE» der «größe»"),
    SearchExample("signs are no pattern", query: "a.c", text: "abc «a.c»"),
    SearchExample("whole words", query: "the", text: "«the» other, «The» end", wholeWords: true),
    SearchExample("no overlap", query: "aa", text: "«aa»«aa»a"),
  ]

  /// Makes the strategy.
  public init() {}

  /// Gives each match to `found`, in order, and says how it ended.
  public func search(_ query: SearchQuery, in text: [UInt16], found: (Match) -> Bool)
    throws(PatternError) -> SearchOutcome
  {
    let fold = query.ignoresCase ? Self.folded : { $0 }
    let wanted = query.text.utf16.map(fold)
    guard wanted.count <= text.count else { return .complete }
    var index = 0
    while index + wanted.count <= text.count {
      let isMatch =
        fold(text[index]) == wanted[0]
        && (1..<wanted.count).allSatisfy { fold(text[index + $0]) == wanted[$0] }
      guard isMatch else {
        index += 1
        continue
      }
      let range = index..<index + wanted.count
      if query.wholeWords, !WordBorder.surrounds(range, in: text) {
        index += 1
        continue
      }
      guard found(Match(range: TextRange(utf16: range))) else { return .cancelled }
      index = range.upperBound
    }
    return .complete
  }

  /// The lower-case form of a unit, where that is one unit as well.
  private static func folded(_ unit: UInt16) -> UInt16 {
    if unit < 0x80 { return unit &- 65 < 26 ? unit | 32 : unit }
    guard let scalar = Unicode.Scalar(unit) else { return unit }
    let lower = scalar.properties.lowercaseMapping.utf16
    return lower.count == 1 ? lower.first ?? unit : unit
  }
}
