/// A date with the precision that a bibliography has: a year, perhaps with a month and day, or
/// words such as “ca. 1600”.
package struct SourceDate: Hashable, Sendable, CustomStringConvertible {
  /// The year, negative before the common era; nil if the date is in words.
  package var year: Int?
  /// The month, 1 … 12; nil if unknown.
  package var month: Int?
  /// The day of the month, 1 … 31; nil if unknown.
  package var day: Int?
  /// The text of a date without a year, or of a date that CSL-JSON stores as text; empty otherwise.
  package var words = ""
  /// The date in CSL-JSON, from which it was read. It may contain more, such as the end of a range.
  private var original: JSONValue?

  /// Parses a date as it is usually typed: `1929`, `1929-10` or `1929-10-24`, with or without a
  /// time after it. Any other text is stored in `words`.
  package init(_ text: String) {
    let day = text.prefix { $0 != "T" && $0 != " " }
    let isNegative = day.hasPrefix("-")
    let parts = day.dropFirst(isNegative ? 1 : 0)
      .split(separator: day.contains("/") ? "/" : "-", omittingEmptySubsequences: false)
    let isWhole = day.count == text.count || text.dropFirst(day.count + 1).first?.isNumber == true
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (48...57).contains($0) } && part.count <= 4 ? Int(part) : nil
    }
    guard isWhole, numbers.count == parts.count, parts.first?.count ?? 0 >= 3,
      fits(isNegative ? [-numbers[0]] + numbers.dropFirst() : numbers)
    else {
      words = text
      return
    }
  }

  /// Reads a date in CSL-JSON, whose parts may be numbers or strings; nil if it is empty or
  /// invalid.
  init?(_ value: JSONValue) {
    if case .text(let text) = value {
      guard !text.isEmpty else { return nil }
      self.init(text)
      return
    }
    let literal = [value["literal"].text, value["raw"].text].first { !$0.isEmpty }
    self.init(literal ?? "")
    original = value
    let spans = value["date-parts"].list ?? []
    let numbers = spans.first?.values.compactMap(\.number).compactMap { Int(exactly: $0) } ?? []
    guard fits(numbers) || literal != nil else { return nil }
  }

  /// Sets the year, month and day. Returns false, and changes nothing, if they aren't valid.
  private mutating func fits(_ numbers: [Int]) -> Bool {
    guard (1...3).contains(numbers.count), (-9999...9999).contains(numbers[0]) else { return false }
    if numbers.count > 1, !(1...12).contains(numbers[1]) { return false }
    if numbers.count > 2, !(1...31).contains(numbers[2]) { return false }
    year = numbers[0]
    month = numbers.count > 1 ? numbers[1] : nil
    day = numbers.count > 2 ? numbers[2] : nil
    return true
  }

  /// The date in the form of CSL-JSON.
  var value: JSONValue {
    if let original { return original }
    guard let year else { return .object(["literal": .text(words)]) }
    let parts = [year, month, day].compactMap(\.self).map { JSONValue.number(Double($0)) }
    return .object(["date-parts": .list([.list(parts)])])
  }

  /// The date as the user types it: `1929-10-24`, or its words.
  package var description: String {
    guard let year else { return words }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let digits = String(abs(year))
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return ([(year < 0 ? "-" : "") + padded] + [month, day].compactMap(\.self).map(two))
      .joined(separator: "-")
  }
}
