public import Foundation

/// What a test waited for and did not get, with what was seen last.
public struct Timeout: Error, CustomStringConvertible {
  /// One line of what was wanted and where, then what was seen.
  public let description: String

  init(_ wanted: String, _ limit: Double, seen: String, _ file: StaticString, _ line: UInt) {
    description = "\(file):\(line): not within \(limit) s: \(wanted)\nseen last: \(seen)"
  }
}

/// Looks again and again until what is seen is as it should be, and gives it.
///
/// - Parameters:
///   - seconds: the longest wait. One look is made after its end, so that a machine that stood still
///     is not taken for a failure.
///   - look: how often to look, in seconds.
/// - Throws: `Timeout`, once, which ends the test; and whatever a look throws.
@discardableResult
public func eventually<Seen>(
  _ wanted: String, within seconds: Double = 30, every pause: Double = 0.01,
  file: StaticString = #fileID, line: UInt = #line,
  see: () throws -> Seen, until isDone: (Seen) throws -> Bool
) throws -> Seen {
  let end = ContinuousClock.now + .seconds(seconds)
  while true {
    let isLast = ContinuousClock.now >= end
    let seen = try see()
    if try isDone(seen) { return seen }
    if isLast { throw Timeout(wanted, seconds, seen: "\(seen)", file, line) }
    Thread.sleep(forTimeInterval: pause)
  }
}

/// Looks again and again until a condition holds; `Timeout` when it does not in time.
public func eventually(
  _ wanted: String, within seconds: Double = 30, every pause: Double = 0.01,
  file: StaticString = #fileID, line: UInt = #line, _ isSo: () throws -> Bool
) throws {
  try eventually(wanted, within: seconds, every: pause, file: file, line: line, see: isSo) { $0 }
}

/// As `eventually`, for a test whose subject needs the threads of the pool: it leaves them while it
/// waits. All tests of a run share that pool, and a task that is begun now has its turn after all that
/// were queued before: hence the long time.
@discardableResult
public func eventuallyAsync<Seen>(
  _ wanted: String, within seconds: Double = 900, every pause: Double = 0.01,
  file: StaticString = #fileID, line: UInt = #line,
  see: () async throws -> Seen, until isDone: (Seen) throws -> Bool
) async throws -> Seen {
  let end = ContinuousClock.now + .seconds(seconds)
  while true {
    let isLast = ContinuousClock.now >= end
    let seen = try await see()
    if try isDone(seen) { return seen }
    if isLast { throw Timeout(wanted, seconds, seen: "\(seen)", file, line) }
    try await Task.sleep(for: .seconds(pause))
  }
}

extension Process {
  /// Waits for the end of a program that was started, and gives its exit code.
  ///
  /// - Throws: `Timeout` when it still runs then; it is killed first, with all that it started.
  @discardableResult
  public func end(
    within seconds: Double = 120, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Int32 {
    let begin = ContinuousClock.now
    while isRunning {
      let time = ContinuousClock.now - begin
      if time > .seconds(seconds) {
        killAll()
        let command = ([executableURL?.path ?? ""] + (arguments ?? [])).joined(separator: " ")
        throw Timeout("the end of '\(command)'", seconds, seen: "it runs", file, line)
      }
      Thread.sleep(forTimeInterval: time < .milliseconds(200) ? 0.001 : 0.005)
    }
    // It has ended; this lets go of what `run` put into the run loop of this thread.
    waitUntilExit()
    return terminationStatus
  }

  /// Kills a program and all that it started, and waits a moment until it is gone.
  public func killAll() {
    guard isRunning else { return }
    for process in descendants(of: processIdentifier) + [processIdentifier] {
      kill(process, SIGKILL)
    }
    let end = ContinuousClock.now + .seconds(10)
    while isRunning, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.001) }
  }
}
