import Files
import FoundationEssentials
import Glibc
package import SystemSupport

extension Library {
  /// The line by which Diple recognizes its own hook.
  private static let hookMark = "# Written by `diple anchor install-hook`."

  /// Installs a pre-commit hook that runs `diple anchor check --staged` in the git work tree around
  /// a folder. An older hook of Diple's is replaced.
  ///
  /// - Parameter isNamed: whether the hook passes this library's folder, because the library would
  ///   not be found from the work tree.
  /// - Returns: the hook's path.
  /// - Throws: `notFound` if the folder is not in a git work tree; `conflict` if another program's
  ///   hook exists, which is not changed, or the hook cannot be written; `nothing` if the same hook
  ///   is already installed.
  package func installHook(around folder: String, naming isNamed: Bool) async throws(UserError)
    -> String
  {
    let git = try await repository(around: folder)
    let hooks = try await git.hooksFolder()
    let path = hooks + "/pre-commit"
    let quoted = location.folder.shellQuoted
    let command = "diple anchor check --staged" + (isNamed ? " --library \(quoted)" : "")
    let script = """
      #!/bin/sh
      \(Self.hookMark)
      # Stops a commit that damages highlights; `git commit --no-verify` commits anyway.
      command -v diple >/dev/null || { echo "pre-commit: diple is not on the PATH" >&2; exit 0; }
      \(command)
      [ $? -eq 3 ] || exit 0
      echo "pre-commit: to commit anyway: git commit --no-verify" >&2
      exit 1

      """
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw UserError(
        .conflict, "\(path) is not a regular file", hint: "add this line to the hook: \(command)")
    }
    if let present = try? String(contentsOfFile: path, encoding: .utf8) {
      guard present.contains(Self.hookMark) else {
        throw UserError(
          .conflict, "\(path) is another program's hook", hint: "add this line to it: \(command)")
      }
      if present == script { throw UserError(.nothing, "the hook \(path) is installed already") }
    }
    try FileSystem.makeFolder(hooks)
    do { try AtomicReplacement.write(script.utf8, to: path, mode: 0o755) } catch {
      throw UserError(.conflict, "cannot write \(path): \(error)", hint: "check its folder")
    }
    return path
  }
}
