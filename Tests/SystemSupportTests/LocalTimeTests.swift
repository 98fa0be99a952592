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

  @Test func `a day begins at local midnight, and an invalid day is nil`() throws {
    let start = try #require(LocalTime.startOfDay(year: 2026, month: 1, day: 31))
    #expect(LocalTime.timestamp(secondsSince1970: start).hasPrefix("2026-01-31T00:00:00"))
    #expect(LocalTime.startOfDay(year: 2026, month: 2, day: 29) == nil)
    #expect(LocalTime.startOfDay(year: 2026, month: 13, day: 1) == nil)
    #expect(LocalTime.startOfDay(year: 2024, month: 2, day: 29) != nil)
  }
}
