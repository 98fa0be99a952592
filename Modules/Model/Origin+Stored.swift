import FoundationEssentials

extension Origin {
  /// Parses the JSON of a `StoredOrigin` in one pass, in a twentieth of the time that `JSONDecoder`
  /// needs.
  ///
  /// Returns nil for JSON that only a decoder can read: with escapes, whitespace, unknown or
  /// unsorted members, earlier versions of the highlight, or dates in another form than
  /// `JSONEncoder` writes.
  init?(plainJSON bytes: UnsafeBufferPointer<UInt8>) {
    var object = PlainJSONObject(bytes)
    do throws(PlainJSONObject.OtherForm) {
      try object.begin()
      let author = try object.text("author")
      let color = try object.text("color")
      let created = try object.date("created")
      let earlierKeys = try object.texts("earlierKeys")
      let format = try object.text("format")
      let key = try object.text("key")
      let location = try object.text("location")
      let marked = try object.text("marked").flatMap(HighlightColor.init)
      let note = try object.text("note")
      let passageDigest = try object.text("passageDigest")
      let quote = try object.text("quote")
      let quoteDigest = try object.text("quoteDigest")
      let source = try object.text("source")
      let tags = try object.texts("tags")
      let title = try object.text("title")
      let updated = try object.date("updated")
      try object.end()
      guard let format, let key, let marked, let quoteDigest, let passageDigest else { return nil }
      self.init(
        format: format, key: key, marked: marked, quoteDigest: quoteDigest,
        passageDigest: passageDigest)
      (self.author, self.title, self.source) = (author, title, source)
      (self.color, self.location, self.quote) = (color, location, quote)
      (self.note, self.tags, self.earlierKeys) = (note, tags, earlierKeys)
      (self.created, self.updated) = (created, updated)
    } catch { return nil }
  }
}

/// Parses the members of a JSON object without whitespace and escapes, in the order of their names.
private struct PlainJSONObject {
  /// The error thrown when the JSON is in another form, which only a decoder can read.
  struct OtherForm: Error {}

  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0
  private var isFirst = true

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func begin() throws(OtherForm) { try take("{") }

  /// Reads the closing brace. Throws ``OtherForm`` if anything follows it.
  mutating func end() throws(OtherForm) {
    try take("}")
    guard place == bytes.count else { throw OtherForm() }
  }

  /// Reads a string member; nil if the next member has another name.
  mutating func text(_ name: StaticString) throws(OtherForm) -> String? {
    skipName(name) ? String(decoding: try string(), as: UTF8.self) : nil
  }

  /// Reads a member that is an array of strings; nil if the next member has another name.
  mutating func texts(_ name: StaticString) throws(OtherForm) -> [String]? {
    guard skipName(name) else { return nil }
    try take("[")
    var list: [String] = []
    if skip("]") { return list }
    repeat { list.append(String(decoding: try string(), as: UTF8.self)) } while skip(",")
    try take("]")
    return list
  }

  /// Reads a member that is an ISO 8601 date; nil if the next member has another name.
  mutating func date(_ name: StaticString) throws(OtherForm) -> Date? {
    guard skipName(name) else { return nil }
    guard let date = Date(plainISO8601: try string()) else { throw OtherForm() }
    return date
  }

  /// Skips a name with its colon, and the comma before it. Returns false if the next member has
  /// another name.
  private mutating func skipName(_ name: StaticString) -> Bool {
    let size = name.utf8CodeUnitCount
    let start = isFirst ? place : place + 1
    guard start + size + 3 <= bytes.count, isFirst || bytes[place] == UInt8(ascii: ","),
      bytes[start] == UInt8(ascii: "\""), bytes[start + size + 1] == UInt8(ascii: "\""),
      bytes[start + size + 2] == UInt8(ascii: ":")
    else { return false }
    for index in 0..<size where bytes[start + 1 + index] != name.utf8Start[index] { return false }
    place = start + size + 3
    isFirst = false
    return true
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) throws(OtherForm) {
    guard skip(character) else { throw OtherForm() }
  }

  /// Reads a string without escapes. Throws ``OtherForm`` if there is none.
  private mutating func string() throws(OtherForm) -> Slice<UnsafeBufferPointer<UInt8>> {
    try take("\"")
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      guard bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\\") else { throw OtherForm() }
      place += 1
    }
    let text = bytes[start..<place]
    try take("\"")
    return text
  }
}

extension Date {
  /// Parses a time such as `2026-01-31T12:00:00Z`, from 1970 on; nil if it has any other form.
  init?(plainISO8601 text: some Collection<UInt8>) {
    guard text.count == 20 else { return nil }
    // The year, month, day, hour, minute and second.
    var numbers: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)
    for (index, byte) in text.enumerated() {
      switch index {
      case 4, 7: guard byte == UInt8(ascii: "-") else { return nil }
      case 10: guard byte == UInt8(ascii: "T") else { return nil }
      case 13, 16: guard byte == UInt8(ascii: ":") else { return nil }
      case 19: guard byte == UInt8(ascii: "Z") else { return nil }
      default:
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        let digit = Int(byte - UInt8(ascii: "0"))
        switch index {
        case 0...3: numbers.0 = numbers.0 * 10 + digit
        case 5...6: numbers.1 = numbers.1 * 10 + digit
        case 8...9: numbers.2 = numbers.2 * 10 + digit
        case 11...12: numbers.3 = numbers.3 * 10 + digit
        case 14...15: numbers.4 = numbers.4 * 10 + digit
        default: numbers.5 = numbers.5 * 10 + digit
        }
      }
    }
    let (year, month, day, hour, minute, second) = numbers
    guard year >= 1970, 1...12 ~= month, day >= 1, hour < 24, minute < 60, second < 60 else {
      return nil
    }
    let civil = CivilDay(year: year, month: month, day: day)
    let days = civil.number
    // A day that doesn't exist, such as 31 April, has the number of a day in the next month.
    guard CivilDay(number: days) == civil else { return nil }
    self.init(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDay: Hashable, Sendable {
  /// The year, the month (1 … 12) and the day of the month (from 1).
  package let year: Int, month: Int, day: Int

  /// Creates a day from its parts, which are not checked.
  package init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates a day from the number of days since 1 January 1970. The algorithm is Howard Hinnant's
  /// `civil_from_days`.
  package init(number: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1 January 1970. The algorithm is Howard Hinnant's `days_from_civil`.
  package var number: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
  }
}
