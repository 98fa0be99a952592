import Foundation
import SystemSupport
import Testing

/// `TZ` belongs to the whole process: what depends on it is tested with the programs.
@Suite struct LocalTimeTests {
  @Test(arguments: [0, 1_769_860_800, 1_782_900_000, -2_208_988_800, 253_402_214_400])
  func `a time is one that can be read again`(seconds: Int) throws {
    let text = LocalTime.timestamp(secondsSince1970: seconds)
    let date = try Date(text, strategy: .iso8601)
    // Long ago offsets had seconds, which RFC 3339 cannot say.
    #expect(abs(date.timeIntervalSince1970 - Double(seconds)) < 60, "\(text)")
  }

  @Test(arguments: [Int.min, Int.max])
  func `what is beyond all calendars is no crash`(seconds: Int) {
    #expect(LocalTime.timestamp(secondsSince1970: seconds).count >= 20)
  }

  @Test func `a day begins where its time of day is midnight`() throws {
    let start = try #require(LocalTime.startOfDay(year: 2026, month: 1, day: 31))
    #expect(LocalTime.timestamp(secondsSince1970: start).hasPrefix("2026-01-31T00:00:00"))
    #expect(LocalTime.startOfDay(year: 2026, month: 2, day: 29) == nil)
    #expect(LocalTime.startOfDay(year: 2026, month: 13, day: 1) == nil)
    #expect(LocalTime.startOfDay(year: 2024, month: 2, day: 29) != nil)
  }
}
