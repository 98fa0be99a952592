public import Foundation

/// The error for a condition that wasn't met in time, with the last observed value.
public struct Timeout: Error, CustomStringConvertible {
  /// The condition and its place in the source, and in a second line the last value.
  public let description: String

  init(_ wanted: String, _ limit: Double, seen: String, _ file: StaticString, _ line: UInt) {
    description = "\(file):\(line): not within \(limit) s: \(wanted)\nseen last: \(seen)"
  }
}

/// Polls until a value meets a condition, and returns the value.
///
/// - Parameters:
///   - wanted: A description of the condition for the error.
///   - seconds: The timeout. The value is checked once more after it, so that a machine that was
///     suspended doesn't cause a failure.
///   - pause: The interval in seconds.
/// - Throws: ``Timeout`` if the condition isn't met in time, or the errors of the closures.
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

/// Polls until a condition is true. Throws ``Timeout`` if it isn't met in time.
public func eventually(
  _ wanted: String, within seconds: Double = 30, every pause: Double = 0.01,
  file: StaticString = #fileID, line: UInt = #line, _ isSo: () throws -> Bool
) throws {
  try eventually(wanted, within: seconds, every: pause, file: file, line: line, see: isSo) { $0 }
}

/// Like ``eventually(_:within:every:file:line:see:until:)``, but doesn't block a thread of the pool
/// while waiting, for code that needs these threads. All tests share the pool. A new task runs
/// after all tasks that are already queued, so the default timeout is long.
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
  /// Waits for the process and returns its exit code.
  ///
  /// - Throws: ``Timeout`` if the process doesn't end in time. It and its descendants are killed
  ///   first.
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
    // The process has ended. This removes the sources that `run` has added to the run loop of this
    // thread.
    waitUntilExit()
    return terminationStatus
  }

  /// Kills the process and its descendants, and waits up to ten seconds for its end.
  public func killAll() {
    guard isRunning else { return }
    for process in descendants(of: processIdentifier) + [processIdentifier] {
      kill(process, SIGKILL)
    }
    let end = ContinuousClock.now + .seconds(10)
    while isRunning, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.001) }
  }
}
