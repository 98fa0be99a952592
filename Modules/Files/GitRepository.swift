import Model
package import SystemSupport

/// A git work tree, by the `git` program that its owner uses too.
package struct GitRepository {
  /// The folder at the top of the work tree.
  package let root: String

  /// The largest output that is taken, in bytes: a document has at most 64 MiB.
  private static let outputLimit = 65 << 20

  /// The work tree that holds a folder; nil when there is none, or no git.
  package init?(holding folder: String) async {
    guard
      let top = try? await Self.git(in: folder, ["rev-parse", "--show-toplevel"]),
      let root = String(validating: top, as: UTF8.self)?.split(separator: "\n").first
    else { return nil }
    self.root = String(root)
  }

  /// A file that the next commit changes.
  package struct StagedChange: Hashable {
    /// The path from the root before; another one than `path` when the file was renamed.
    package var oldPath: String
    /// The path from the root; nil when the file is deleted.
    package var path: String?
  }

  /// The files that the next commit changes, adds, renames or deletes.
  package func stagedChanges() async throws(UserError) -> [StagedChange] {
    let output = try await Self.git(
      in: root, ["diff", "--cached", "--name-status", "-z", "-M", "--diff-filter=ACDMRT"])
    var fields = output.split(separator: 0).map { Self.text(Array($0)) }.makeIterator()
    var changes: [StagedChange] = []
    while let status = fields.next(), let first = fields.next() {
      switch status.first {
      case "R", "C":
        guard let second = fields.next() else { break }
        changes.append(StagedChange(oldPath: status.first == "R" ? first : second, path: second))
      case "D": changes.append(StagedChange(oldPath: first, path: nil))
      default: changes.append(StagedChange(oldPath: first, path: first))
      }
    }
    return changes
  }

  /// The content of a file in a revision; an empty revision is the index. Nil when it has none.
  package func content(of path: String, in revision: String) async -> [UInt8]? {
    try? await Self.git(in: root, ["cat-file", "blob", "\(revision):\(path)"])
  }

  /// A commit that touched a file.
  package struct Commit: Hashable {
    /// The full name.
    package var hash: String
    /// Seconds since 1970 at which it was written.
    package var time: Int64
    package var author: String
    /// The first line of its message.
    package var subject: String
    /// The file's path from the root then.
    package var path: String
  }

  /// The commits that touched a file, newest first, through its renames.
  package func commits(of path: String, limit: Int) async throws(UserError) -> [Commit] {
    let output = try await Self.git(
      in: root,
      [
        "log", "--follow", "-n", String(limit), "--name-only", "-z",
        "--format=%x01%H%x02%at%x02%an%x02%s%x02", "--", path,
      ])
    return output.split(separator: 1).compactMap { entry in
      let fields = entry.split(separator: 2, omittingEmptySubsequences: false).map {
        Self.text(Array($0))
      }
      guard fields.count == 5, let time = Int64(fields[1]) else { return nil }
      // Behind the format come a zero byte or the end of a line, and then the path.
      let path = fields[4].drop { $0 == "\0" || $0 == "\n" }.prefix { $0 != "\0" }
      guard !path.isEmpty else { return nil }
      return Commit(
        hash: fields[0], time: time, author: fields[2], subject: fields[3], path: String(path))
    }
  }

  /// The folder of the hooks that git runs here.
  package func hooksFolder() async throws(UserError) -> String {
    let output = try await Self.git(in: root, ["rev-parse", "--git-path", "hooks"])
    let path = Self.text(output).split(separator: "\n").first.map(String.init)
    return FileSystem.absolute(path ?? ".git/hooks", from: root)
  }

  /// What git writes, where every byte that is no UTF-8 shows as U+FFFD: one name or author hides
  /// no other.
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func git(in folder: String, _ words: [String]) async throws(UserError) -> [UInt8] {
    do throws(CapturedProgram.Failure) {
      return try await CapturedProgram.output(
        of: "git", ["-C", folder, "--literal-pathspecs", "-c", "core.quotePath=off"] + words,
        environment: ["LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"], limit: outputLimit)
    } catch {
      guard error.wasStarted else {
        throw UserError(.notFound, "git cannot be run here: \(error)", hint: "is it installed?")
      }
      throw UserError(.notFound, "git \(words[0]): \(error)")
    }
  }
}
