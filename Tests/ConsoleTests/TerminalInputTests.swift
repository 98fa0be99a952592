import ArgumentParser
import Foundation
import SystemSupport
import Testing

@testable import Console

/// Tests input from a terminal, with descriptors in place of standard input.
@Suite struct TerminalInputTests {
  private let terminal = Terminal(environment: [:])

  private func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `all input is read, in whatever pieces it arrives`() throws {
    let (reading, writing) = try pipe()
    defer { close(reading) }
    terminal.input = reading
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let writer = Thread {
      for start in stride(from: 0, to: bytes.count, by: 70_001) {
        _ = Descriptor.write(bytes[start..<min(start + 70_001, bytes.count)], to: writing)
      }
      close(writing)
    }
    writer.start()
    #expect(try terminal.readInput() == bytes)
    #expect(try terminal.readInput().isEmpty, "a second read finds the end, too")
  }

  @Test func `an interrupt ends the wait for input`() throws {
    let (input, interruption) = (try pipe(), try pipe())
    defer { for end in [input.0, input.1, interruption.0, interruption.1] { close(end) } }
    terminal.input = input.reading
    terminal.interruption = interruption.reading
    #expect(write(interruption.writing, "!", 1) == 1)
    #expect(throws: ExitCode(130)) { try terminal.readInput() }
  }

  @Test func `without prompts, reading input fails and confirmation requires --yes`() throws {
    terminal.allowsPrompts = false
    for attempt in [
      { _ = try terminal.readInput() }, { try terminal.confirm("Really?", yes: false) },
    ] as [() throws -> Void] {
      do {
        try attempt()
        Issue.record("no error is thrown")
      } catch { #expect((error as? UserError)?.code == .usage) }
    }
    try terminal.confirm("Really?", yes: true)
  }
}
