import Glibc
import Model
package import SystemSupport

/// A git work tree, read by the `git` program.
package struct GitRepository {
  /// The folder at the top of the work tree.
  package let root: String

  /// The maximum size of an output in bytes: a document has at most 64 MiB.
  private static let outputLimit = 65 << 20

  /// The first git version with `safe.bareRepository`, which keeps git from running programs that a
  /// repository names.
  private static let oldest = (2, 38)

  /// The error message for an older git.
  package static let tooOld = UserError(
    .notFound, "this git is older than \(oldest.0).\(oldest.1), and is not used",
    hint: "it could run programs that a repository names")
  /// The maximum number of paths in one git command.
  private static let pathsAtOnce = 256
  /// The options of every `log`: only the format is printed, with zero bytes between commits.
  private static let plainLog = [
    "log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "-z",
  ]
  /// The time limit of a command that reads history.
  private static let time = Duration.seconds(60)
  /// The time limit of the first command, which reads the configuration, the references and one
  /// commit. A repository may have a pipe or an endless file there; then no other command is tried.
  private static let firstTime = Duration.seconds(5)

  /// Finds the work tree that contains a folder; nil if the folder is in none.
  ///
  /// - Throws: `notFound` if git is missing, or too old to be safe in a repository of another user.
  package init?(containing folder: String) async throws(UserError) {
    try await Self.requireSafeVersion()
    guard
      let top = try? await Self.git(
        in: folder, ["rev-parse", "--show-toplevel", "--revs-only", "HEAD^{commit}"],
        time: Self.firstTime),
      let root = String(validating: top, as: UTF8.self)?.split(separator: "\n").first
    else { return nil }
    self.root = String(root)
  }

  private static func requireSafeVersion() async throws(UserError) {
    // The version is read in a folder without a repository.
    let output = try await git(in: "/", ["version"])
    let words = text(output).split(separator: " ")
    let numbers = words.dropFirst(2).first?.split(separator: ".").prefix(2).compactMap { Int($0) }
    guard let numbers, numbers.count == 2, (numbers[0], numbers[1]) >= oldest else {
      throw tooOld
    }
  }

  /// A file that the next commit changes.
  package struct StagedChange: Hashable {
    /// The former path from the root; differs from `path` if the file was renamed.
    package var oldPath: String
    /// The path from the root; nil if the file is deleted.
    package var path: String?
  }

  /// The files that the next commit changes, adds, renames or deletes.
  ///
  /// - Throws: `notFound` if git cannot be run or fails.
  package func stagedChanges() async throws(UserError) -> [StagedChange] {
    let output = try await Self.git(
      in: root,
      [
        "diff", "--cached", "--name-status", "-z", "-M", "--diff-filter=ACDMRT", "--no-ext-diff",
        "--no-textconv", "--ignore-submodules=all",
      ])
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

  /// Returns the content of a file in a revision, or in the index for an empty revision. Nil if the
  /// file isn't in it.
  package func content(of path: String, in revision: String) async -> [UInt8]? {
    try? await Self.git(in: root, ["cat-file", "blob", "\(revision):\(path)"])
  }

  /// A commit that touched a file.
  package struct Commit: Hashable {
    /// The full name.
    package var hash: String
    /// The time of the commit, in seconds since 1970.
    package var time: Int64
    package var author: String
    /// The first line of its message.
    package var subject: String
    /// The path of the file in the commit, from the root.
    package var path: String
  }

  /// Returns the commits that changed a file, newest first. Renames are followed.
  ///
  /// - Throws: `notFound` if git cannot be run or fails.
  package func commits(of path: String, limit: Int) async throws(UserError) -> [Commit] {
    let output = try await Self.git(
      in: root,
      Self.plainLog + [
        "--follow", "--no-mailmap", "-n", String(limit), "--name-only",
        "--format=%x01%H%x02%at%x02%an%x02%s%x02", "--", path,
      ])
    return output.split(separator: 1).compactMap { entry in
      let fields = entry.split(separator: 2, omittingEmptySubsequences: false).map {
        Self.text(Array($0))
      }
      guard fields.count == 5, let time = Int64(fields[1]) else { return nil }
      // A zero byte or a line feed follows the format, then the path.
      let path = fields[4].drop { $0 == "\0" || $0 == "\n" }.prefix { $0 != "\0" }
      guard !path.isEmpty else { return nil }
      return Commit(
        hash: fields[0], time: time, author: fields[2], subject: fields[3], path: String(path))
    }
  }

  /// Returns the blob names of files in the current commit, by their paths from the root. Files
  /// that aren't in the commit are omitted.
  ///
  /// - Throws: `notFound` if git cannot be run or fails.
  package func blobs(of paths: [String]) async throws(UserError) -> [String: String] {
    var blobs: [String: String] = [:]
    var rest = paths[...]
    while !rest.isEmpty {
      // The system limits the size of a program's arguments. A path has at most 4096 bytes.
      let some = rest.prefix(Self.pathsAtOnce)
      rest = rest.dropFirst(some.count)
      let output = try await Self.git(
        in: root, ["ls-tree", "-z", "--full-tree", "HEAD", "--"] + some)
      for entry in output.split(separator: 0) {
        // "100644 blob HASH", a tab, the path.
        let parts = entry.split(separator: 9, maxSplits: 1)
        let words = parts.first?.split(separator: 32) ?? []
        guard parts.count == 2, words.count == 3, Self.text(Array(words[1])) == "blob" else {
          continue
        }
        blobs[Self.text(Array(parts[1]))] = Self.text(Array(words[2]))
      }
    }
    return blobs
  }

  /// The name of the current commit; nil in a new repository.
  package func head() async -> String? {
    let output = try? await Self.git(in: root, ["rev-parse", "--verify", "HEAD"])
    return output.flatMap { Self.text($0).split(separator: "\n").first.map(String.init) }
  }

  /// Returns the current paths, from the root, of files that had a content in an ancestor of the
  /// current commit. Renames are followed. Empty if no file had it, or the file was deleted.
  ///
  /// - Parameter blob: the blob name of the content, in hexadecimal digits.
  /// - Throws: `notFound` if git cannot be run or fails.
  package func paths(thatHad blob: String) async throws(UserError) -> Set<String> {
    guard (40...64).contains(blob.utf8.count), blob.allSatisfy(\.isHexDigit) else { return [] }
    let output = try await Self.git(
      in: root,
      Self.plainLog + [
        "--find-object=" + blob, "--diff-filter=AM", "--name-only", "-n", "20", "--no-renames",
        "--format=%x01%H%x02", "HEAD",
      ])
    var found: Set<String> = []
    for entry in output.split(separator: 1).prefix(20) {
      let parts = entry.split(separator: 2, maxSplits: 1)
      guard parts.count == 2 else { continue }
      let names = parts[1].split(whereSeparator: { $0 == 0 || $0 == 10 })
      // A commit with many files of one content doesn't identify one of them.
      guard names.count == 1 else { continue }
      found.insert(try await present(Self.text(Array(names[0])), since: Self.text(Array(parts[0]))))
    }
    let held = try await blobs(of: Array(found))
    return found.filter { held[$0] != nil }
  }

  /// Returns the current path of a file of a commit, after the renames since.
  private func present(_ path: String, since commit: String) async throws(UserError) -> String {
    let output = try await Self.git(
      in: root,
      Self.plainLog + [
        "-M", "--reverse", "--diff-filter=R", "--name-status", "--format=", "\(commit)..HEAD",
      ])
    let words = output.split(separator: 0).map { Self.text(Array($0.drop { $0 == 10 })) }
    var (path, index) = (path, 0)
    while index + 2 < words.count {
      if words[index].hasPrefix("R"), words[index + 1] == path { path = words[index + 2] }
      index += words[index].hasPrefix("R") ? 3 : 1
    }
    return path
  }

  /// Returns the folder of the hooks that git runs in this work tree.
  ///
  /// - Throws: `conflict` if the repository's configuration names a folder outside of the
  ///   repository, or a broken link; `notFound` if git cannot be run or fails.
  package func hooksFolder() async throws(UserError) -> String {
    func path(_ words: String...) async throws(UserError) -> String? {
      let output = try await Self.git(in: root, words, hooks: true)
      return Self.text(output).split(separator: "\n").first.map {
        FileSystem.absolute(String($0), from: root)
      }
    }
    let hooks = try await path("rev-parse", "--git-path", "hooks") ?? root + "/.git/hooks"
    let localHooks = try? await path("config", "--local", "--includes", "--get", "core.hooksPath")
    // Only the user's own configuration may name another folder.
    if localHooks == nil, (try? await path("config", "--get", "core.hooksPath")) != nil {
      return hooks
    }
    let common = try await path("rev-parse", "--git-common-dir") ?? root + "/.git"
    let real = try Self.real(hooks)
    var homes = localHooks == nil ? [] : [root]
    if try await belongsHere(common) { homes.append(common) }
    guard homes.contains(where: { real.isBelow(FileSystem.resolved($0) ?? $0) }) else {
      throw UserError(
        .conflict, "the hooks folder \(real) is outside of the repository; no hook was written",
        hint: localHooks == nil
          ? "look at .git and .git/hooks in \(root)"
          : "`git config --unset core.hooksPath` moves the hooks to .git/hooks")
    }
    return hooks
  }

  /// Returns whether a repository folder belongs to this work tree: it is in the tree, or records
  /// the tree as one of its work trees. A `.git` file can name any folder.
  private func belongsHere(_ common: String) async throws(UserError) -> Bool {
    let top = try Self.real(root)
    if try Self.real(common).isBelow(top) { return true }
    let output = try await Self.git(in: root, ["rev-parse", "--absolute-git-dir"])
    let folder = Self.text(output).split(separator: "\n").first.map(String.init) ?? common
    // The repository records its linked work trees and those of submodules.
    if let link = try? String(contentsOfSmallFile: folder + "/gitdir"),
      FileSystem.resolved(FileSystem.absolute(link, from: folder)) == top + "/.git"
    {
      return true
    }
    let config = try? await Self.git(
      in: root, ["config", "--file", folder + "/config", "--get", "core.worktree"])
    guard let config, let tree = Self.text(config).split(separator: "\n").first else {
      return false
    }
    return FileSystem.resolved(FileSystem.absolute(String(tree), from: folder)) == top
  }

  /// Returns a path without links. Its last components may be missing, but links must have targets.
  private static func real(_ path: String) throws(UserError) -> String {
    if let resolved = FileSystem.resolved(path) { return resolved }
    var status = stat()
    guard lstat(path, &status) != 0, path != "/" else {
      throw UserError(.conflict, "\(path) is a broken symbolic link", hint: "remove it")
    }
    return try real(path.parentFolder).appending(String(path.lastComponent))
  }

  /// Returns the output of a git command. Bytes that aren't UTF-8 become U+FFFD, so that one
  /// invalid name or author doesn't hide the others.
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The options of every command, with which git runs no program that a repository names, and
  /// fetches nothing.
  private static let settings = [
    "core.quotePath=off", "core.fsmonitor=false", "core.sshCommand=false", "credential.helper=",
    "log.showSignature=false", "gpg.program=false", "gpg.ssh.program=false",
    "gpg.x509.program=false", "protocol.allow=never", "safe.bareRepository=explicit",
    "submodule.recurse=false", "maintenance.auto=false", "gc.auto=0",
  ]
  private static let variables = [
    "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GIT_PAGER": "cat",
  ]

  /// - Parameter hooks: whether git reports the folder of its hooks. It never runs them.
  private static func git(
    in folder: String, _ words: [String], hooks: Bool = false, time: Duration = time
  ) async throws(UserError) -> [UInt8] {
    let settings = settings + (hooks ? [] : ["core.hooksPath=/dev/null"])
    do throws(CapturedProgram.Failure) {
      return try await CapturedProgram.output(
        of: "git",
        ["--no-pager", "-C", folder, "--literal-pathspecs"] + settings.flatMap { ["-c", $0] }
          + words,
        environment: variables, limit: outputLimit, time: time)
    } catch {
      guard error.wasStarted else {
        throw UserError(.notFound, "git cannot be run here: \(error)", hint: "is it installed?")
      }
      throw UserError(.notFound, "git \(words[0]): \(error)")
    }
  }
}
