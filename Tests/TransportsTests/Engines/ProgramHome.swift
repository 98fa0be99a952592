import Foundation
import SystemSupport
import TestSupport

/// A home folder in which the program `diple` runs, as a user starts it.
struct ProgramHome {
  /// The home folder. Commands run in it.
  let folder: WorkFolder
  /// Additional environment variables of the program.
  var environment: [String: String] = [:]

  init() throws { folder = try WorkFolder() }

  /// The result of a program: its exit code, and its output together with its errors.
  struct Result {
    var code: Int32
    var output: String
  }

  /// Runs `diple` and returns its result.
  func diple(_ words: String...) throws -> Result { try diple(words) }

  func diple(_ words: [String], input: String = "") throws -> Result {
    let program = SiblingExecutable.path("diple") ?? "diple"
    let output = NSTemporaryDirectory() + "/diple-output-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: output) }
    let variables = [
      "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path + "/run", "LC_ALL": "C.UTF-8",
      "DIPLE_SYNC_PASSPHRASE": "correct horse", "GIT_CONFIG_NOSYSTEM": "1",
    ].merging(environment) { $1 }
    // The pipe contains all of the program's input.
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    let child = try ChildProgram(
      ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", program] + words, in: folder.path,
      environment: variables, input: pipe.fileHandleForReading.fileDescriptor, output: output)
    let code = try child.end()
    return Result(code: code, output: try String(contentsOfFile: output, encoding: .utf8))
  }
}
