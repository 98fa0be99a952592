/// A command line as a person sets it, which may hold options: the shell runs it.
package struct ShellCommand {
  private let words: [String]

  /// Takes a command line, and words that are handed to it as they are.
  package init(_ line: String, _ words: String...) {
    self.words = words.isEmpty ? ["-c", line] : ["-c", line + " \"$@\"", "sh"] + words
  }

  /// Takes a script that uses words as `$1` and so on.
  package init(script: String, _ words: String...) {
    self.words = ["-c", script, "sh"] + words
  }

  /// Runs it to its end and gives its exit code, 127 when it cannot be started.
  ///
  /// - Parameter input: what it reads; nil leaves it the standard input.
  package func run(input: String? = nil) -> Int32 {
    (try? Program("/bin/sh", words, called: "sh").run(input: input.map { Array($0.utf8) })) ?? 127
  }
}
