import Glibc

extension LocalTime {
  /// The forms that ``seconds(of:now:)`` accepts, for messages.
  package static let forms =
    "today, yesterday, monday, 7d, 2 weeks, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z"

  /// Returns the time that a text names, in seconds since 1970. Nil for a text in another form than
  /// these:
  ///
  /// - `2026`, `2026-01` and `2026-01-31`, the start of a local year, month or day
  /// - `2026-01-31 12:00` or `2026-01-31T12:00:30`, local, or with `Z` or an offset as in RFC 3339
  /// - `today`, `yesterday`, or a weekday such as `monday` or `mon`, the last one up to today
  /// - a number with `min`, `h`, `d`, `w`, `mo` or `y`, or the word for the unit, optionally
  ///   followed by `ago`: so long before `now`, by the local calendar.
  ///
  /// Case and blanks around the words don't matter.
  package static func seconds(of text: String, now: Int) -> Int? {
    let words = text.lowercased().split(separator: " ")
    let text = words.joined(separator: " ")
    guard let clock = clock(at: now) else { return nil }
    let today = clock - clock.modulo(secondsOfDay)
    switch text {
    case "today": return seconds(ofClock: today)
    case "yesterday": return seconds(ofClock: today - secondsOfDay)
    default: break
    }
    if let weekday = weekdays.firstIndex(where: { text == $0 || text == $0.prefix(3) }) {
      // 1 January 1970 was a Thursday.
      let days = ((today / secondsOfDay + 3).modulo(7) - weekday).modulo(7)
      return seconds(ofClock: today - days * secondsOfDay)
    }
    return before(text, clock, now) ?? date(text)
  }

  private static let secondsOfDay = 86_400
  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// Returns the time that is so long before `now`; nil for another form.
  private static func before(_ text: String, _ clock: Int, _ now: Int) -> Int? {
    guard let parts = text.wholeMatch(of: /([0-9]{1,6}) ?([a-z]+)( ago)?/),
      let count = Int(parts.1)
    else { return nil }
    var unit = String(parts.2)
    if unit.count > 3, unit.hasSuffix("s") { unit.removeLast() }
    switch unit {
    case "min", "minute": return now - 60 * count
    case "h", "hour": return now - 3600 * count
    case "d", "day": return seconds(ofClock: clock - count * secondsOfDay)
    case "w", "week": return seconds(ofClock: clock - 7 * count * secondsOfDay)
    case "mo", "month": return seconds(ofClock: clock, monthsBefore: count)
    case "y", "year": return seconds(ofClock: clock, monthsBefore: 12 * count)
    default: return nil
    }
  }

  /// Returns the same day and time of an earlier month, or its last day if it is shorter.
  private static func seconds(ofClock clock: Int, monthsBefore count: Int) -> Int? {
    var time = time_t(clock)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return nil }
    let months = (Int(parts.tm_year) + 1900) * 12 + Int(parts.tm_mon) - count
    guard months >= 12 else { return nil }
    for day in stride(from: Int(parts.tm_mday), through: 28, by: -1) + [Int(parts.tm_mday)] {
      if let start = Self.clock(months / 12, months % 12 + 1, day) {
        return seconds(ofClock: start + clock.modulo(secondsOfDay))
      }
    }
    return nil
  }

  /// Returns the time of a date; nil for another form or a date that doesn't exist.
  private static func date(_ text: String) -> Int? {
    let form =
      #/
      ([0-9]{4}) (?: - ([0-9]{2}) (?: - ([0-9]{2})
      (?: [t\x20] ([0-9]{2}) : ([0-9]{2}) (?: : ([0-9]{2}) (?: [.,] [0-9]+ )? )?
      ( z | [+\-][0-9]{2}:?[0-9]{2} )? )? )? )?
      /#
    guard let parts = text.wholeMatch(of: form), let year = Int(parts.1) else { return nil }
    func number(_ part: Substring?, _ other: Int) -> Int { part.flatMap { Int($0) } ?? other }
    let (hour, minute, second) = (number(parts.4, 0), number(parts.5, 0), number(parts.6, 0))
    guard let day = clock(year, number(parts.2, 1), number(parts.3, 1)), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let time = day + hour * 3600 + minute * 60 + second
    guard let zone = parts.7 else { return seconds(ofClock: time) }
    if zone == "z" { return time }
    let digits = zone.filter { $0 != ":" }.dropFirst()
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24,
      minutes < 60
    else { return nil }
    return time - (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// Returns the start of a day, as seconds since 1970 in UTC; nil if the date doesn't exist.
  private static func clock(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = Int32(day)
    let time = timegm(&parts)
    return Int(parts.tm_mday) == day ? Int(time) : nil
  }

  /// Returns the date and time that the local clock shows, as seconds since 1970 in UTC.
  private static func clock(at seconds: Int) -> Int? {
    var time = time_t(seconds)
    var parts = tm()
    tzset()
    guard localtime_r(&time, &parts) != nil else { return nil }
    return Int(timegm(&parts))
  }
}

extension Int {
  /// Returns the remainder of a division, which is never negative.
  fileprivate func modulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
