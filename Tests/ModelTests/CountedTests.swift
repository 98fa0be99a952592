import Model
import Testing

@Suite struct CountedTests {
  @Test func `only the number one has a singular noun`() {
    for (number, noun, text) in [
      (0, "document", "0 documents"), (1, "document", "1 document"), (2, "document", "2 documents"),
      (1, "more line", "1 more line"), (2, "more line", "2 more lines"), (1, "batch", "1 batch"),
      (3, "batch", "3 batches"), (2, "query", "2 queries"),
      (2, "day", "2 days"), (-1, "line", "-1 lines"),
    ] {
      #expect(number.counted(noun) == text)
    }
  }

  @Test func `a duration is written in the largest unit with a value of two or more`() {
    for (minutes, text) in [
      (0, "0 minutes"), (1, "1 minute"), (119, "119 minutes"), (120, "2 hours"),
      (968, "16 hours"), (2_879, "48 hours"), (2_880, "2 days"),
    ] {
      #expect(minutes.minutesInWords == text)
    }
    for (seconds, text) in [(0, "0 seconds"), (119, "119 seconds"), (7_200, "2 hours")] {
      #expect(seconds.secondsInWords == text)
    }
  }
}
