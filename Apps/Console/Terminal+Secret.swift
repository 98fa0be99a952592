import ArgumentParser
import Glibc
package import SystemSupport

extension Terminal {
  /// Reads a passphrase without showing it.
  ///
  /// - Parameters:
  ///   - twice: whether the user must type the same passphrase twice.
  ///   - hint: the hint of the error without a terminal.
  /// - Throws: ``UserError`` with the code `usage` if there is no terminal or the passphrases
  ///   differ, `ExitCode` 130 if the input ends.
  package func askSecret(_ question: String, twice: Bool, hint: Hint) throws -> String {
    guard allowsPrompts, isatty(0) == 1 else {
      throw UserError(.usage, "cannot ask for a passphrase: no terminal", hint: hint)
    }
    let first = try readSecret(question)
    if twice, try readSecret("Again:") != first {
      throw UserError(.usage, "the two passphrases differ; nothing was done")
    }
    return first
  }

  private func readSecret(_ question: String) throws -> String {
    output.drain()
    errors.write("\(question) ")
    errors.flush()
    var before = termios()
    guard tcgetattr(0, &before) == 0 else {
      throw UserError(.usage, "cannot ask for a passphrase: no terminal")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &silent)
    defer {
      tcsetattr(0, TCSAFLUSH, &before)
      errors.line("")
    }
    try waitForInput()
    guard let line = readLine() else { throw ExitCode(130) }
    return line
  }
}
