import Commands
import Console
import SystemSupport

/// Runs the command lines of the REPL.
enum Interpreter {
  /// The result of a line that ends the REPL.
  static let quit: Int32 = -1
  /// The exit code of a command that the user interrupted.
  static let interrupted: Int32 = 130

  /// Runs a line. Returns its exit code, or `quit`. Comments and empty lines return 0.
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
