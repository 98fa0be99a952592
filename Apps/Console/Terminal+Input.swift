import ArgumentParser
import DaemonKit
import FoundationEssentials
import Glibc
package import SystemSupport
import Workspace

extension Terminal {
  /// Standard input to its end.
  ///
  /// - Parameter limit: after how many bytes no more is read; nil for none.
  /// - Throws: exit code 130 when a person interrupts it.
  package func readInput(limit: Int? = nil) throws -> [UInt8] {
    guard allowsPrompts else { throw UserError(.usage, "there is no standard input here") }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try waitForInput()
      let count = read(input, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return result }
      result += buffer[..<count]
      if let limit, result.count >= limit { return result }
    }
  }

  /// Returns when there is something to read, or throws exit code 130 at an interrupt.
  func waitForInput() throws {
    // A system call that waits is not woken by a signal that another thread takes.
    var inputs = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&inputs, 2, -1) < 0 && errno == EINTR {}
    if inputs[1].revents != 0 { throw ExitCode(130) }
  }

  /// Asks before a destructive change; where nobody can answer, `--yes` is needed.
  ///
  /// - Parameters:
  ///   - effect: what the error says where nobody can; `hint`: what to do then.
  package func confirm(
    _ question: String, yes: Bool,
    effect: String = "this needs a confirmation, and there is no terminal",
    hint: Hint = "add --yes to confirm"
  ) throws {
    if yes { return }
    guard allowsPrompts, isatty(0) == 1 else {
      throw UserError(.usage, effect, hint: hint)
    }
    guard try agrees("\(question) [y/N]", unlessSaid: false) else {
      throw UserError(.nothing, "nothing was changed")
    }
  }

  /// Asks a person who is there; an empty line is `answer`, and the end of the input a no.
  package func agrees(_ question: String, unlessSaid answer: Bool) throws -> Bool {
    output.drain()
    errors.write("\(question) ")
    errors.flush()
    try waitForInput()
    guard let line = readLine()?.lowercased() else { return false }
    return line.isEmpty ? answer : line == "y" || line == "yes"
  }
}

extension Terminal {
  /// Whether a person can answer a question here.
  package var canPrompt: Bool { allowsPrompts && isatty(0) == 1 && output.isTerminal }

  /// Asks what becomes of a match until one of the answers is given; the end of the input is `quit`.
  package func ask(_ question: String) throws -> ReplaceSession.Answer {
    while true {
      output.drain()
      errors.write("\(question) [y,n,a,q,?] ")
      errors.flush()
      try waitForInput()
      guard let line = readLine() else { return .quit }
      switch line.lowercased().first {
      case "y": return .yes
      case "n": return .no
      case "a": return .all
      case "q": return .quit
      default:
        errors.line("y replace, n skip, a replace this and all later ones, q quit")
      }
    }
  }
}

extension Date {
  /// RFC 3339 in the time zone of this machine or of `TZ`, to the second: for people.
  package var localTimestamp: String {
    LocalTime.timestamp(secondsSince1970: Int(timeIntervalSince1970.rounded(.down)))
  }
}
