import Glibc
import Model
package import SystemSupport

/// A git work tree, by the `git` program that its owner uses too.
package struct GitRepository {
  /// The folder at the top of the work tree.
  package let root: String

  /// The largest output that is taken, in bytes: a document has at most 64 MiB.
  private static let outputLimit = 65 << 20

  /// The oldest git that can be told to run nothing that a repository names: `safe.bareRepository`.
  private static let oldest = (2, 38)

  /// Why an older one is not used.
  package static let tooOld = UserError(
    .notFound, "this git is older than \(oldest.0).\(oldest.1), and is not used",
    hint: "it could run programs that a repository names")
  /// How many paths one git is asked for.
  private static let pathsAtOnce = 256
  /// What `log` is told each time: nothing but what its format says, with zero bytes between.
  private static let plainLog = [
    "log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "-z",
  ]
  /// The time limit of a command that reads history.
  private static let time = Duration.seconds(60)
  /// The time limit of the first command, which only reads the configuration. A repository may
  /// include a pipe or an endless file there; then no other command is tried.
  private static let configurationTime = Duration.seconds(5)

  /// The work tree that holds a folder; nil when there is none.
  ///
  /// - Throws: `notFound` where there is no git, or it is too old to be safe in a repository that
  ///   somebody else made.
  package init?(holding folder: String) async throws(UserError) {
    try await Self.requireSafeVersion()
    guard
      let top = try? await Self.git(
        in: folder, ["rev-parse", "--show-toplevel"], time: Self.configurationTime),
      let root = String(validating: top, as: UTF8.self)?.split(separator: "\n").first
    else { return nil }
    self.root = String(root)
  }

  private static func requireSafeVersion() async throws(UserError) {
    // Asked where no repository is.
    let output = try await git(in: "/", ["version"])
    let words = text(output).split(separator: " ")
    let numbers = words.dropFirst(2).first?.split(separator: ".").prefix(2).compactMap { Int($0) }
    guard let numbers, numbers.count == 2, (numbers[0], numbers[1]) >= oldest else {
      throw tooOld
    }
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
      Self.plainLog + [
        "--follow", "--no-mailmap", "-n", String(limit), "--name-only",
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

  /// The names that git gives to the contents of files in the present commit, by their paths from the
  /// root; files that it does not hold are not in it.
  package func blobs(of paths: [String]) async throws(UserError) -> [String: String] {
    var blobs: [String: String] = [:]
    var rest = paths[...]
    while !rest.isEmpty {
      // The system limits what the arguments of a program take; a path has at most 4096 bytes.
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

  /// The present commit; nil where there is none.
  package func head() async -> String? {
    let output = try? await Self.git(in: root, ["rev-parse", "--verify", "HEAD"])
    return output.flatMap { Self.text($0).split(separator: "\n").first.map(String.init) }
  }

  /// Where the file stands today, from the root, that once had a content: by the commits that lead to
  /// the present one, and the renames among them. None when no file had it, or it was removed.
  ///
  /// - Parameter blob: the name that git gives to the content, in hexadecimal digits.
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
      // A commit that touches many files with one content says nothing of either.
      guard names.count == 1 else { continue }
      found.insert(try await present(Self.text(Array(names[0])), since: Self.text(Array(parts[0]))))
    }
    let held = try await blobs(of: Array(found))
    return found.filter { held[$0] != nil }
  }

  /// What a path of a commit is called in the present one, through the renames since.
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

  /// The folder of the hooks that git runs here.
  ///
  /// - Throws: `conflict` when the repository itself puts it outside of its folders.
  package func hooksFolder() async throws(UserError) -> String {
    func path(_ words: String...) async throws(UserError) -> String? {
      let output = try await Self.git(in: root, words, hooks: true)
      return Self.text(output).split(separator: "\n").first.map {
        FileSystem.absolute(String($0), from: root)
      }
    }
    let hooks = try await path("rev-parse", "--git-path", "hooks") ?? root + "/.git/hooks"
    let own = try? await path("config", "--local", "--includes", "--get", "core.hooksPath")
    // Elsewhere only where the person's own configuration says so.
    if own == nil, (try? await path("config", "--get", "core.hooksPath")) != nil { return hooks }
    let common = try await path("rev-parse", "--git-common-dir") ?? root + "/.git"
    let real = try Self.real(hooks)
    var homes = own == nil ? [] : [root]
    if try await belongsHere(common) { homes.append(common) }
    guard homes.contains(where: { real.isBelow(FileSystem.resolved($0) ?? $0) }) else {
      throw UserError(
        .conflict, "the repository puts its hooks outside, in \(real); no hook was written",
        hint: own == nil
          ? "look at .git and .git/hooks in \(root)"
          : "`git config --unset core.hooksPath` puts them in .git/hooks")
    }
    return hooks
  }

  /// Whether a repository's folder is that of this work tree: it lies in it, or names it as one of
  /// its own. A `.git` file can name any folder.
  private func belongsHere(_ common: String) async throws(UserError) -> Bool {
    let top = try Self.real(root)
    if try Self.real(common).isBelow(top) { return true }
    let output = try await Self.git(in: root, ["rev-parse", "--absolute-git-dir"])
    let folder = Self.text(output).split(separator: "\n").first.map(String.init) ?? common
    // A linked work tree is on record in the repository, and so is that of a submodule.
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

  /// A path without links, of which the last parts need not be there; a link must lead somewhere.
  private static func real(_ path: String) throws(UserError) -> String {
    if let resolved = FileSystem.resolved(path) { return resolved }
    var status = stat()
    guard lstat(path, &status) != 0, path != "/" else {
      throw UserError(.conflict, "\(path) is a broken symbolic link", hint: "remove it")
    }
    return try real(path.parentFolder).appending(String(path.lastComponent))
  }

  /// What git writes, where every byte that is no UTF-8 shows as U+FFFD: one name or author hides
  /// no other.
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// What git is told each time: to run nothing that a repository names, and to fetch nothing.
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

  /// - Parameter hooks: whether git says where its hooks are; it runs none either way.
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
