import Commands
import Console
import SystemSupport

/// Runs one line of the REPL.
enum Interpreter {
  /// The code that means: no more lines.
  static let quit: Int32 = -1
  /// The exit code of a command that a person interrupted.
  static let interrupted: Int32 = 130

  /// Runs a line and gives its exit code, or `quit`.
  static func run(_ line: String, in context: CommandContext) async -> Int32 {
    let words: [String]
    do { words = try Diple.words(in: line) } catch {
      return Diple.refuse(error, in: context)
    }
    guard let first = words.first, !first.hasPrefix("#") else { return 0 }
    if ["quit", "exit", "q", ":q"].contains(first) { return quit }
    return await Diple.run(words, in: context)
  }
}
