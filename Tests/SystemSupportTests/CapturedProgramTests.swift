import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct CapturedProgramTests {
  private func failure(_ words: [String], limit: Int = 1_000, time: Duration? = nil) async
    -> CapturedProgram.Failure?
  {
    do {
      _ = try await CapturedProgram.output(
        of: words[0], Array(words[1...]), limit: limit, time: time)
      return nil
    } catch { return error }
  }

  @Test func `a program gets variables and no input, and its output is returned unchanged`()
    async throws
  {
    let output = try await CapturedProgram.output(
      of: "sh", ["-c", "printf 'a\\000\\377%s|' \"$1\" \"$X\"; cat", "sh", "two words"],
      environment: ["X": "größer"], limit: 1_000)
    // `printf` repeats its format for the second word.
    let begin: [UInt8] = [0x61, 0, 0xFF]
    #expect(output == begin + Array("two words|".utf8) + begin + Array("größer|".utf8))
  }

  @Test func `a failure is described by the first line of its errors, or its exit code`()
    async throws
  {
    let first = await failure(["sh", "-c", "echo one >&2; echo two >&2; exit 3"])
    let described = try #require(first)
    #expect(described.description == "one" && described.wasStarted)
    let second = await failure(["sh", "-c", "exit 3"])
    let silent = try #require(second)
    #expect(silent.description == "it ended with exit code 3" && silent.wasStarted)
  }

  @Test func `a signal that ends a program is named`() async throws {
    let first = await failure(["sh", "-c", "kill -SEGV $$"])
    #expect(try #require(first).description == "signal 11 (Segmentation fault) ended it")
    let second = await failure(["sh", "-c", "echo last words >&2; kill -ABRT $$"])
    #expect(try #require(second).description == "signal 6 (Aborted) ended it: last words")
    #expect(try #require(second).exitCode == nil)
  }

  @Test func `a missing program was not started`() async throws {
    let ended = await failure(["diple-no-such-program"])
    let failure = try #require(ended)
    #expect(!failure.wasStarted && !failure.description.isEmpty)
  }

  @Test func `more output than the limit is a failure`() async throws {
    #expect(await failure(["printf", "1234567890"], limit: 10) == nil)
    #expect(await failure(["printf", "12345678901"], limit: 10) != nil)
    #expect(await failure(["yes"], limit: 100_000) != nil)
  }

  @Test(arguments: [
    "exec sleep 100", "trap '' TERM INT; while :; do sleep 0.05; done", "sleep 100 & wait",
  ])
  func `a program that times out is ended with its child processes`(script: String) async throws {
    let mark = "DIPLE_MARK=\(UUID().uuidString)"
    let ended = await failure(
      ["sh", "-c", "export \(mark); \(script)"], time: .milliseconds(300))
    let failure = try #require(ended)
    #expect(failure.description == "timed out after 0.3 seconds" && failure.wasStarted)
    try await eventuallyAsync("nothing of it runs", every: 0.02) {
      try processes(with: mark)
    } until: {
      $0.isEmpty
    }
  }
}
