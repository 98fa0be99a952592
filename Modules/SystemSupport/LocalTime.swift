import Glibc

/// Times in the time zone of `TZ`, or else of `/etc/localtime`.
package enum LocalTime {
  /// Formats a time by RFC 3339 with the offset of that time: `2026-01-31T13:00:00+01:00`, or `Z`
  /// for a zero offset.
  ///
  /// - Parameter secondsSince1970: clamped to the years 0 to 9999.
  package static func timestamp(secondsSince1970 seconds: Int) -> String {
    var time = time_t(min(max(seconds, -62_167_132_800), 253_402_214_400))
    var parts = tm()
    tzset()
    guard localtime_r(&time, &parts) != nil else { return "?" }
    func two(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = String(Int(parts.tm_year) + 1900)
    let date =
      String(repeating: "0", count: max(0, 4 - year.count)) + year
      + "-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let minutes = parts.tm_gmtoff / 60
    let zone =
      minutes == 0
      ? "Z" : (minutes < 0 ? "-" : "+") + "\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
    return "\(date)T\(clock)\(zone)"
  }

  /// Returns the time, in seconds since 1970, at which the local clock shows a date and time. When
  /// the clock is set back, this is the earlier of two times. Nil for years before 1 and after
  /// 9999.
  ///
  /// - Parameter clock: the date and time, as seconds since 1970 in UTC.
  package static func seconds(ofClock clock: Int) -> Int? {
    guard (-62_135_596_800...253_402_300_799).contains(clock) else { return nil }
    var time = time_t(clock)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return nil }
    parts.tm_isdst = -1
    tzset()
    return Int(mktime(&parts))
  }
}
