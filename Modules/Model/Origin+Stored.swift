import FoundationEssentials

/// The members of a `StoredOrigin`'s JSON, found in one pass, which takes a twentieth of a
/// decoder's time. The texts are the bytes of the JSON, which contain no escapes except in the
/// object of the source.
package struct PlainOrigin {
  /// UTF-8 between quotation marks.
  package typealias Text = Slice<UnsafeBufferPointer<UInt8>>

  /// The optional members.
  package private(set) var author, color, created, location, note: Text?
  package private(set) var quote, source, title, updated: Text?
  package private(set) var tags: [Text]?
  fileprivate var earlierKeys: [Text]?
  /// The object of the source as it is written, with escapes.
  fileprivate var object: Text?
  package private(set) var format, key: Text
  fileprivate var passageDigest, quoteDigest: Text
  fileprivate var marked: HighlightColor

  /// Parses the JSON that ``Origin/plainJSON`` writes, also with an object of the source. Returns nil
  /// for other JSON, which a decoder may accept: with escapes elsewhere, blanks, unknown or unordered members, earlier versions, or dates in
  /// another notation.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var json = PlainJSONObject(bytes)
    do throws(PlainJSONObject.UnsupportedFormError) {
      try json.begin()
      author = try json.text("author")
      color = try json.text("color")
      created = try json.date("created")
      earlierKeys = try json.texts("earlierKeys")
      let format = try json.text("format")
      let key = try json.text("key")
      location = try json.text("location")
      let marked = try json.text("marked").map { String(decoding: $0, as: UTF8.self) }
        .flatMap(HighlightColor.init)
      note = try json.text("note")
      object = try json.writtenText("object")
      let passageDigest = try json.text("passageDigest")
      quote = try json.text("quote")
      let quoteDigest = try json.text("quoteDigest")
      source = try json.text("source")
      tags = try json.texts("tags")
      title = try json.text("title")
      updated = try json.date("updated")
      try json.end()
      guard let format, let key, let marked, let quoteDigest, let passageDigest else { return nil }
      (self.format, self.key, self.marked) = (format, key, marked)
      (self.quoteDigest, self.passageDigest) = (quoteDigest, passageDigest)
    } catch { return nil }
  }

  /// The id of the record in the other application, without copying the key; see `Origin.id`.
  package var id: Text? { key.starts(with: "id:".utf8) ? key.dropFirst(3) : nil }
}

extension Origin {
  /// Reads JSON that `PlainOrigin` accepts.
  init?(plainJSON bytes: UnsafeBufferPointer<UInt8>) {
    guard let plain = PlainOrigin(bytes) else { return nil }
    func string(_ text: PlainOrigin.Text) -> String { String(decoding: text, as: UTF8.self) }
    self.init(
      format: string(plain.format), key: string(plain.key), marked: plain.marked,
      quoteDigest: string(plain.quoteDigest), passageDigest: string(plain.passageDigest))
    if let written = plain.object {
      let list = Data("[\"".utf8) + Data(written) + Data("\"]".utf8)
      guard let text = try? JSONDecoder().decode([String].self, from: list).first else {
        return nil
      }
      object = text
    }
    author = plain.author.map(string)
    title = plain.title.map(string)
    source = plain.source.map(string)
    color = plain.color.map(string)
    location = plain.location.map(string)
    quote = plain.quote.map(string)
    note = plain.note.map(string)
    tags = plain.tags.map { $0.map(string) }
    earlierKeys = plain.earlierKeys.map { $0.map(string) }
    created = plain.created.flatMap { Date(plainISO8601: $0) }
    updated = plain.updated.flatMap { Date(plainISO8601: $0) }
  }
}

extension Origin {
  /// The same JSON that `JSONEncoder` writes with sorted keys, in a twentieth of its time. Nil for
  /// an origin with earlier versions or an object, with a text that needs an escape, or with a date before 1970
  /// or after 9999.
  var plainJSON: String? {
    guard earlier == nil, object == nil else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    var isPlain = true
    func add(_ text: String) {
      bytes.append(UInt8(ascii: "\""))
      for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C { isPlain = false }
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\""))
    }
    func add(_ name: StaticString, _ text: String?) {
      guard let text else { return }
      begin(name)
      add(text)
    }
    func add(_ name: StaticString, _ date: Date?) {
      guard let date else { return }
      let text = date.plainISO8601
      if text == nil { isPlain = false }
      add(name, text)
    }
    func add(_ name: StaticString, _ texts: [String]?) {
      guard let texts else { return }
      begin(name)
      bytes.append(UInt8(ascii: "["))
      for (index, text) in texts.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        add(text)
      }
      bytes.append(UInt8(ascii: "]"))
    }
    func begin(_ name: StaticString) {
      bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
      bytes.append(UInt8(ascii: "\""))
      name.withUTF8Buffer { bytes.append(contentsOf: $0) }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(UInt8(ascii: ":"))
    }
    add("author", author)
    add("color", color)
    add("created", created)
    add("earlierKeys", earlierKeys)
    add("format", format)
    add("key", key)
    add("location", location)
    add("marked", marked.rawValue)
    add("note", note)
    add("passageDigest", passageDigest)
    add("quote", quote)
    add("quoteDigest", quoteDigest)
    add("source", source)
    add("tags", tags)
    add("title", title)
    add("updated", updated)
    bytes.append(UInt8(ascii: "}"))
    return isPlain ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// Parses the members of a JSON object without whitespace and escapes, in the order of their names.
private struct PlainJSONObject {
  /// The error thrown when the JSON is in another form, which only a decoder can read.
  struct UnsupportedFormError: Error {}

  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0
  private var isFirst = true

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func begin() throws(UnsupportedFormError) { try take("{") }

  /// Reads the closing brace. Throws ``UnsupportedFormError`` if anything follows it.
  mutating func end() throws(UnsupportedFormError) {
    try take("}")
    guard place == bytes.count else { throw UnsupportedFormError() }
  }

  /// Reads a member that is a text; nil if another member is next.
  mutating func text(_ name: StaticString) throws(UnsupportedFormError) -> PlainOrigin.Text? {
    skipName(name) ? try string() : nil
  }

  /// Reads a member that is a text, with its escapes; nil if another member is next.
  mutating func writtenText(_ name: StaticString) throws(UnsupportedFormError) -> PlainOrigin.Text?
  {
    guard skipName(name) else { return nil }
    try take("\"")
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      // The character after a backslash does not end the text.
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard place < bytes.count else { throw UnsupportedFormError() }
    let text = bytes[start..<place]
    try take("\"")
    return text
  }

  /// Reads a member that is a list of texts; nil if another member is next.
  mutating func texts(_ name: StaticString) throws(UnsupportedFormError) -> [PlainOrigin.Text]? {
    guard skipName(name) else { return nil }
    try take("[")
    var list: [PlainOrigin.Text] = []
    if skip("]") { return list }
    repeat { list.append(try string()) } while skip(",")
    try take("]")
    return list
  }

  /// Reads a member that is a date in ISO 8601; nil if another member is next.
  mutating func date(_ name: StaticString) throws(UnsupportedFormError) -> PlainOrigin.Text? {
    guard skipName(name) else { return nil }
    let text = try string()
    guard Date(plainISO8601: text) != nil else { throw UnsupportedFormError() }
    return text
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

  private mutating func take(_ character: Unicode.Scalar) throws(UnsupportedFormError) {
    guard skip(character) else { throw UnsupportedFormError() }
  }

  /// Reads a string without escapes.
  private mutating func string() throws(UnsupportedFormError) -> PlainOrigin.Text {
    try take("\"")
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      guard bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\\") else {
        throw UnsupportedFormError()
      }
      place += 1
    }
    let text = bytes[start..<place]
    try take("\"")
    return text
  }
}

extension Date {
  /// The date as `2026-01-31T12:00:00Z`, without fractions of a second; nil before 1970 and after
  /// 9999.
  fileprivate var plainISO8601: String? {
    let seconds = timeIntervalSince1970.rounded(.down)
    guard 0..<253_402_300_800 ~= seconds else { return nil }
    let (day, time) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    let civil = CivilDay(number: day)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(civil.year)-\(digits(civil.month))-\(digits(civil.day))T\(digits(time / 3_600))"
      + ":\(digits(time / 60 % 60)):\(digits(time % 60))Z"
  }

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
