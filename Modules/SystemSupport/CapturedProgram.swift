import Glibc
import Subprocess

/// Runs programs whose output is wanted, without a shell and with limits. A program that a person
/// works with in the terminal is a `Program` instead.
package enum CapturedProgram {
  /// Why there is no output.
  package struct Failure: Error, CustomStringConvertible {
    /// One line: the first that the program wrote to its error stream, or how it ended.
    package var description: String
    /// Whether the program ran at all.
    package var wasStarted: Bool
    /// Its exit code; nil when it ended in another way.
    package var exitCode: Int32?
    /// What it wrote to its error stream.
    package var errors = ""
  }

  /// How much of an error stream is kept, in bytes.
  private static let errorLimit = 1 << 16

  /// Runs a program to its end and gives what it wrote to standard output.
  ///
  /// - Parameters:
  ///   - name: the program, looked for on the path.
  ///   - environment: variables beside those of this process.
  ///   - input: a file that it reads as its standard input; nil for an empty one. Not a pipe: a
  ///     program that closes its input early would end this process.
  ///   - limit: the most output in bytes; more is a failure.
  ///   - time: how long it may take; it is killed with all that it started then. Nil for no limit.
  /// - Throws: a failure when it cannot be started, is over a limit or ends with another code than 0.
  package static func output(
    of name: String, _ arguments: [String], environment: [String: String] = [:],
    input: String? = nil, limit: Int, time: Duration? = nil
  ) async throws(Failure) -> [UInt8] {
    let updates = Dictionary(
      uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })
    let source = open(input ?? "/dev/null", O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      throw Failure(description: "\(input ?? "/dev/null"): \(SystemFailure())", wasStarted: false)
    }
    defer { close(source) }
    let ended = await withTaskGroup(of: Result<[UInt8], Failure>.self) { group in
      group.addTask {
        // A session of its own, where there is a limit: what it leaves running is ended with it.
        var platform = PlatformOptions()
        if time != nil {
          platform.createSession = true
          platform.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
          ]
        }
        do {
          let result = try await run(
            .name(name), arguments: Arguments(arguments), environment: .inherit.updating(updates),
            platformOptions: platform,
            input: .fileDescriptor(value(of: source), closeAfterSpawningProcess: false),
            output: .bytes(limit: limit), error: .string(limit: errorLimit))
          if result.terminationStatus.isSuccess { return .success(result.standardOutput) }
          let line = result.standardError.split(whereSeparator: \.isNewline).first.map(String.init)
          var failure = Failure(
            description: line ?? "\(result.terminationStatus)", wasStarted: true)
          failure.errors = result.standardError
          if case .exited(let code) = result.terminationStatus { failure.exitCode = code }
          return .failure(failure)
        } catch { return .failure(Failure(description: "\(error)", wasStarted: false)) }
      }
      if let time {
        group.addTask {
          try? await Task.sleep(for: time)
          return .failure(Failure(description: "timed out after \(time)", wasStarted: true))
        }
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(Failure(description: "cancelled", wasStarted: false))
    }
    return try ended.get()
  }

  /// A value of a type whose module is not imported here. Every raw value must be one.
  private static func value<Value: RawRepresentable>(of raw: Value.RawValue) -> Value {
    Value(rawValue: raw)!
  }
}
