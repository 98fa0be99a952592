import ArgumentParser
import DaemonKit
import FoundationEssentials
import Glibc
package import SystemSupport
import Workspace

extension Terminal {
  /// Reads standard input to its end.
  ///
  /// - Parameter limit: reading stops after this number of bytes. The result may be up to 64 KiB
  ///   longer. Nil for no limit.
  /// - Throws: `ExitCode` 130 if the user interrupts it, ``UserError`` with the code `usage` if
  ///   there is no standard input.
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

  /// Waits for input. Throws `ExitCode` 130 if the user interrupts it.
  func waitForInput() throws {
    // A signal that is delivered to another thread doesn't interrupt this thread's system call.
    var inputs = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&inputs, 2, -1) < 0 && errno == EINTR {}
    if inputs[1].revents != 0 { throw ExitCode(130) }
  }

  /// Asks the user to confirm a destructive change. Without a terminal, `--yes` is required.
  ///
  /// - Parameters:
  ///   - question: a verb and what follows, with a question mark: `Remove essay.md?`.
  ///   - yes: whether the user has passed `--yes`.
  ///   - effect: the error message without a terminal; `this would remove essay.md` if nil.
  ///   - hint: the hint of this error.
  /// - Throws: ``UserError`` with the code `usage` if there is no terminal, `nothing` if the user
  ///   declines.
  package func confirm(
    _ question: String, yes: Bool,
    effect: String? = nil, hint: Hint = "add --yes to confirm"
  ) throws {
    if yes { return }
    guard allowsPrompts, isatty(0) == 1 else {
      let act = question.prefix(1).lowercased() + question.dropFirst().dropLast()
      throw UserError(.usage, effect ?? "this would \(act)", hint: hint)
    }
    guard try agrees("\(question) [y/N]", unlessSaid: false) else {
      throw UserError(.nothing, "nothing was changed")
    }
  }

  /// Asks a yes-or-no question. An empty line returns `answer`, and the end of the input returns
  /// false.
  ///
  /// - Throws: `ExitCode` 130 if the user interrupts the question.
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
  /// Whether the user can be asked a question: input and output are terminals.
  package var canPrompt: Bool { allowsPrompts && isatty(0) == 1 && output.isTerminal }

  /// Asks the question of a replacement until the answer is valid. The end of the input returns
  /// `quit`.
  ///
  /// - Throws: `ExitCode` 130 if the user interrupts the question.
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

extension Terminal {
  /// Asks a question until the answer begins with one of the letters. The end of the input, an empty
  /// line and `n` return nil.
  ///
  /// - Parameter answers: the letters with their meanings.
  /// - Throws: `ExitCode` 130 if the user interrupts the question.
  package func choose(_ question: String, _ answers: KeyValuePairs<Character, String>) throws
    -> Character?
  {
    let list = answers.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    while true {
      output.drain()
      errors.write("\(question) [\(list), n = neither] ")
      errors.flush()
      try waitForInput()
      guard let letter = readLine()?.lowercased().first, letter != "n" else { return nil }
      if answers.contains(where: { $0.key == letter }) { return letter }
    }
  }
}

extension Date {
  /// The date for display in RFC 3339, in the local time zone or that of `TZ`, to the second.
  package var localTimestamp: String {
    LocalTime.timestamp(secondsSince1970: Int(timeIntervalSince1970.rounded(.down)))
  }
}
