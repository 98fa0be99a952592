import Foundation
import SystemSupport
import Testing

/// `TZ` applies to the whole process, so other time zones are tested with the programs.
@Suite struct LocalTimeTests {
  @Test(arguments: [0, 1_769_860_800, 1_782_900_000, -2_208_988_800, 253_402_214_400])
  func `a timestamp is parsed to the same time`(seconds: Int) throws {
    let text = LocalTime.timestamp(secondsSince1970: seconds)
    let date = try Date(text, strategy: .iso8601)
    // Early offsets included seconds, which RFC 3339 cannot express.
    #expect(abs(date.timeIntervalSince1970 - Double(seconds)) < 60, "\(text)")
  }

  @Test(arguments: [Int.min, Int.max])
  func `a time beyond all calendars does not crash`(seconds: Int) {
    #expect(LocalTime.timestamp(secondsSince1970: seconds).count >= 20)
  }

  /// Returns the local time of a text, as at 14:06:40 on Sunday, 29 March 2026, in UTC.
  private func time(_ text: String) -> String? {
    LocalTime.seconds(of: text, now: Self.now).map {
      LocalTime.timestamp(secondsSince1970: $0)
    }
  }

  private static let now = 1_774_793_200

  @Test(arguments: [
    ("2026-01-31", "2026-01-31T00:00:00"), ("2026-11", "2026-11-01T00:00:00"),
    ("2025", "2025-01-01T00:00:00"), ("2026-01-31 12:30", "2026-01-31T12:30:00"),
    ("2026-01-31T12:30:15", "2026-01-31T12:30:15"),
  ])
  func `a date and time is local`(text: String, local: String) throws {
    #expect(try #require(time(text)).hasPrefix(local))
  }

  @Test func `days, weekdays and months are those of the local calendar`() throws {
    let today = try #require(time("today"))
    let now = LocalTime.timestamp(secondsSince1970: Self.now)
    #expect(today.prefix(10) == now.prefix(10) && today.contains("T00:00:00"))
    let days = try ["today", "yesterday", "7d", "1 week ago", "2 Weeks"].map {
      try #require(LocalTime.seconds(of: $0, now: Self.now))
    }
    #expect(days == days.sorted(by: >).map { $0 } && days[2] == days[3])
    // The clock may have been changed on one of these days.
    #expect(abs(Self.now - days[2] - 7 * 86_400) <= 7_200)
    #expect(abs(Self.now - days[4] - 14 * 86_400) <= 7_200)
    let weekdays = try ["monday", "Tue", "wednesday", "thu", "fri", "saturday", "sunday"].map {
      try #require(LocalTime.seconds(of: $0, now: Self.now))
    }
    // They are the last seven days, each once, and one of them is today.
    let start = try #require(LocalTime.seconds(of: "today", now: Self.now))
    #expect(weekdays.max() == start && Set(weekdays).count == 7)
    #expect(weekdays.allSatisfy { start - $0 <= 6 * 86_400 + 7_200 })
    #expect(try #require(time("1 month")).hasPrefix("2026-02-28"))
    #expect(try #require(time("1y")).hasPrefix("2025-03-"))
    #expect(LocalTime.seconds(of: "90 min", now: Self.now) == Self.now - 5_400)
    #expect(LocalTime.seconds(of: "2 hours ago", now: Self.now) == Self.now - 7_200)
  }

  @Test func `a time with an offset doesn't depend on the time zone`() {
    func seconds(_ text: String) -> Int? { LocalTime.seconds(of: text, now: Self.now) }
    #expect(seconds("2026-01-31T12:00:00Z") == 1_769_860_800)
    #expect(seconds("2026-01-31T13:30:00.25+01:30") == 1_769_860_800)
    #expect(seconds("2026-01-31t07:00:00-05:00") == 1_769_860_800)
  }

  @Test(arguments: [
    "", "x", "7", "-1d", "7 d w", "2026-02-29", "2026-13", "2026-1-1", "2026-01-31T25:00:00Z",
    "2026-01-31T12:00:00+25:00", "999999 years", "1_000d", "20261", "٢٠٢٦", "yesterdays",
  ])
  func `another text is not a time`(text: String) { #expect(time(text) == nil) }
}
