import FoundationEssentials
import Glibc
import Workspace

extension Session {
  /// Asks before something is taken away; where nobody can answer, `--yes` is needed.
  func confirm(_ question: String, yes: Bool) throws {
    if yes { return }
    guard isatty(0) == 1 else {
      throw LibraryError(.usage, "this takes something away", hint: "add --yes to do it")
    }
    output.flush()
    errors.write("\(question) [y/N] ")
    errors.flush()
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else {
      throw LibraryError(.nothing, "nothing was changed")
    }
  }
}

extension Date {
  /// RFC 3339 in UTC, to the second.
  var timestamp: String { formatted(.iso8601) }
}
