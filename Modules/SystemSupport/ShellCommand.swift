/// Runs a command line of the user's settings, which may contain options, in a shell.
package struct ShellCommand {
  private let words: [String]

  /// A command line with further arguments, which the shell does not interpret.
  package init(_ line: String, _ words: String...) {
    self.words = words.isEmpty ? ["-c", line] : ["-c", line + " \"$@\"", "sh"] + words
  }

  /// A script that reads its arguments as `$1` and so on.
  package init(script: String, _ words: String...) {
    self.words = ["-c", script, "sh"] + words
  }

  /// Runs the command to its end and returns its exit code, or 127 if the shell cannot be started.
  ///
  /// - Parameter input: the standard input; nil for that of this process.
  package func run(input: String? = nil) -> Int32 {
    (try? Program("/bin/sh", words, called: "sh").run(input: input.map { Array($0.utf8) })) ?? 127
  }
}
