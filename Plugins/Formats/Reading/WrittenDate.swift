import FoundationEssentials

/// A date and time written by another program: in UTC if a time zone is stated, or else in an
/// unknown local time.
struct WrittenDate: Hashable {
  /// The time; if the zone is unknown, as if it were UTC.
  var date: Date
  /// Whether the time zone is unknown.
  var isLocal: Bool

  /// Creates a date from its parts; nil if a part is out of its range.
  ///
  /// - Parameter offset: the offset from UTC in seconds, positive to the east; nil if it is
  ///   unknown.
  init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    offset: Int? = nil
  ) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...24).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    // The number of days since 1970 in the Gregorian calendar, computed with years that begin in
    // March.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0)
    date = Date(timeIntervalSince1970: TimeInterval(seconds))
    isLocal = offset == nil
  }

  /// Parses `2026-01-27T05:56:46.123+00:00` and similar forms: with a space instead of the `T`,
  /// without seconds, without a time, with `Z`, with a zone without a colon, or without a zone. Nil
  /// for other text.
  init?(_ text: String) {
    var rest = text.utf8[...]
    while rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    func number(_ digits: ClosedRange<Int>) -> Int? {
      let found = rest.prefix { (0x30...0x39).contains($0) }
      guard digits.contains(found.count) else { return nil }
      rest = rest[found.endIndex...]
      return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    func skip(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4...4), skip("-/"), let month = number(1...2), skip("-/"),
      let day = number(1...2)
    else { return nil }
    var (hour, minute, second) = (0, 0, 0)
    var offset: Int?
    if skip("T "), let found = number(1...2), skip(":"), let next = number(2...2) {
      (hour, minute) = (found, next)
      if skip(":"), let found = number(2...2) {
        second = found
        if skip(".,") { rest = rest.drop { (0x30...0x39).contains($0) } }
      }
      while skip(" ") {}
      if skip("Zz") {
        offset = 0
      } else if let sign = rest.first, skip("+-"), let hours = number(2...4) {
        var minutes = 0
        var whole = hours
        if hours >= 100 {
          (whole, minutes) = (hours / 100, hours % 100)
        } else if skip(":"), let found = number(2...2) {
          minutes = found
        }
        guard whole <= 15, minutes < 60 else { return nil }
        offset = (whole * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
      }
    }
    self.init(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second,
      offset: offset)
  }

  /// The date with the time zone UTC, for programs that omit the zone of such dates.
  var inUTC: WrittenDate {
    var date = self
    date.isLocal = false
    return date
  }

  /// Creates a date from seconds since 1970; nil if the number is nil, not finite or implausibly
  /// large.
  init?(secondsSince1970 seconds: Double?) {
    guard let seconds, seconds.isFinite, abs(seconds) < 1e11 else { return nil }
    date = Date(timeIntervalSince1970: seconds.rounded(.down))
    isLocal = false
  }
}
