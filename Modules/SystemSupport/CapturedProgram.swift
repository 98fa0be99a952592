import Glibc
import Subprocess

/// Runs programs and captures their output, without a shell and with limits. `Program` runs
/// programs that use the terminal.
package enum CapturedProgram {
  /// The reason why there is no output.
  package struct Failure: Error, CustomStringConvertible {
    /// One line: the first line of the program's error stream, or how the program ended.
    package var description: String
    /// Whether the program was started; false if the error occurred before that.
    package var wasStarted: Bool
    /// The exit code; nil if the program did not exit normally.
    package var exitCode: Int32?
    /// The program's error stream.
    package var errors = ""
  }

  /// The limit of the error stream, in bytes.
  private static let errorLimit = 1 << 16

  /// Runs a program to its end and returns its standard output.
  ///
  /// - Parameters:
  ///   - name: the program, searched for in `PATH`.
  ///   - environment: variables added to those of this process.
  ///   - input: the path of a file for its standard input; nil for an empty one. This is not a
  ///     pipe, because a program that closes its input early would end this process.
  ///   - limit: the maximum output in bytes; more is a failure.
  ///   - time: the time limit, after which the program and all processes that it started are
  ///     killed. Nil for no limit.
  /// - Throws: `Failure` if the program cannot be started, exceeds a limit or does not exit with
  ///   code 0.
  package static func output(
    of name: String, _ arguments: [String], environment: [String: String] = [:],
    input: String? = nil, limit: Int, time: Duration? = nil
  ) async throws(Failure) -> [UInt8] {
    let updates = Dictionary(
      uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })
    let source = open(input ?? "/dev/null", O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      throw Failure(description: "\(input ?? "/dev/null"): \(SystemCallError())", wasStarted: false)
    }
    defer { close(source) }
    let ended = await withTaskGroup(of: Result<[UInt8], Failure>.self) { group in
      group.addTask {
        // Use a separate session, so that the processes that the program leaves running are killed
        // at the time limit.
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
          var failure = Failure(description: line ?? "", wasStarted: true)
          failure.errors = result.standardError
          switch result.terminationStatus {
          case .exited(let code):
            failure.exitCode = code
            if line == nil { failure.description = Program.ending(code) }
          case .signaled(let signal):
            // The program's own error output rarely names the signal.
            failure.description =
              Program.ending(128 + signal) + (line.map { ": \($0.prefix(200))" } ?? "")
          }
          return .failure(failure)
        } catch { return .failure(Failure(description: "\(error)", wasStarted: false)) }
      }
      if let time {
        group.addTask {
          // Wait several times for a short time. If all threads are busy, the end of the program
          // may be noticed late. A single long wait could then end first, although the program
          // ended in time.
          for _ in 0..<20 where !Task.isCancelled { try? await Task.sleep(for: time / 20) }
          return .failure(Failure(description: "timed out after \(time)", wasStarted: true))
        }
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(Failure(description: "cancelled", wasStarted: false))
    }
    return try ended.get()
  }

  /// Converts a raw value to a type whose module isn't imported here. Every raw value must be
  /// valid.
  private static func value<Value: RawRepresentable>(of raw: Value.RawValue) -> Value {
    Value(rawValue: raw)!
  }
}
