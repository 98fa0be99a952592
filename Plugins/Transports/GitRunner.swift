import Glibc
import Sync
import SystemSupport

/// Runs git for one repository, with a bare clone in a cache. Programs that the repository
/// configures are never run.
struct GitRunner {
  let address: GitAddress
  private let cache: String
  private let fileLimit: Int

  /// The time limits of a fetch or push, and of commands that read the clone.
  private static let (remoteTime, localTime) = (Duration.seconds(600), Duration.seconds(120))
  /// The maximum output of a command in bytes.
  private static let outputLimit = 256 << 20

  init(_ address: GitAddress, cache: String, fileLimit: Int) {
    (self.address, self.cache, self.fileLimit) = (address, cache, fileLimit)
  }

  private var repository: String { cache.appending("repository.git") }

  /// Creates an empty clone unless it exists.
  func prepare() async throws(TransportError) {
    if access(repository.appending("HEAD"), F_OK) == 0 { return }
    do { try FileSystem.makeFolders(cache) } catch {
      throw TransportError(.unavailable, "\(cache): \(error)")
    }
    _ = try await run(
      ["init", "--quiet", "--bare", "--template=", repository], time: Self.localTime)
  }

  /// Runs `work` while no other process uses the clone. If the clone is damaged, for example
  /// because a process was killed, it is created again and `work` is repeated.
  func alone<Result>(_ work: () async throws(TransportError) -> Result) async throws(TransportError)
    -> Result
  {
    try await prepare()
    let lock: FileLock?
    do throws(SystemCallError) {
      lock = try await FileLock.take(cache.appending("lock"), within: Self.remoteTime)
    } catch { throw TransportError(.unavailable, "\(cache): \(error)") }
    guard let lock else {
      throw TransportError(.unavailable, "another process is using \(address.text)")
    }
    defer { lock.unlock() }
    do throws(TransportError) { return try await work() } catch {
      guard isCacheBroken(error) else { throw error }
      let old = cache.appending("broken-\(UInt32.random(in: 0...(.max)))")
      guard rename(repository, old) == 0 else { throw error }
      _ = try? await CapturedProgram.output(
        of: "rm", ["-rf", "--", old], limit: 1 << 16, time: Self.localTime)
      try await prepare()
      try await fetch()
      return try await work()
    }
  }

  private func isCacheBroken(_ error: TransportError) -> Bool {
    let phrases = [repository, ".lock", "bad object", "corrupt", "missing blob", "unable to read"]
    return error.kind == .unavailable && phrases.contains { error.description.contains($0) }
  }

  // MARK: - Commands

  /// Replaces the local refs by those of the repository.
  func fetch() async throws(TransportError) {
    do throws(TransportError) {
      _ = try await run(
        [
          "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", "--refmap=",
          "--no-recurse-submodules",
        ] + remoteProgram("upload-pack") + ["--", address.text, "+refs/diple/*:refs/diple/*"],
        time: Self.remoteTime, limitsFiles: true)
    } catch {
      // The objects of an interrupted fetch would be kept for weeks, and accumulate with each
      // attempt.
      if error.kind == .unavailable { _ = try? await local(["prune", "--expire=now"]) }
      throw error
    }
  }

  /// Pushes refs, provided that they haven't changed since they were read.
  ///
  /// - Parameter refs: the names of the refs, each with its expected commit; empty for a ref that
  ///   mustn't exist.
  /// - Returns: false if one of the refs has changed.
  func push(_ refs: [(name: String, old: String)]) async throws(TransportError) -> Bool {
    let leases = refs.map { "--force-with-lease=\($0.name):\($0.old)" }
    do throws(TransportError) {
      _ = try await run(
        ["push", "--quiet", "--no-verify", "--recurse-submodules=no", "--no-signed"] + leases
          + remoteProgram("receive-pack") + ["--", address.text]
          + refs.map { "\($0.name):\($0.name)" },
        time: Self.remoteTime)
      return true
    } catch {
      let isLate = ["stale info", "fetch first", "cannot lock ref", "already exists"].contains {
        error.description.contains($0)
      }
      guard isLate else { throw error }
      return false
    }
  }

  /// Returns options that disable the hooks and configured programs of a local repository, whose
  /// side of the connection runs on this device.
  private func remoteProgram(_ name: String) -> [String] {
    guard address.isLocal else { return [] }
    let option = name == "upload-pack" ? "--upload-pack" : "--receive-pack"
    return [
      "\(option)=git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=true "
        + "-c gc.recentObjectsHook= -c core.fsmonitor=false -c \(Self.largeFiles) \(name)"
    ]
  }

  /// Runs a command that reads the clone, and returns its output.
  ///
  /// - Parameter input: the command's standard input; nil for none.
  func local(_ words: [String], input: [UInt8]? = nil) async throws(TransportError) -> [UInt8] {
    try await run(words, input: input, time: Self.localTime)
  }

  private static let settings = [
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true",
    "protocol.ext.allow=never", "transfer.fsckObjects=true", "submodule.recurse=false",
    "fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "log.showSignature=false",
    "gc.autoDetach=false", "gc.pruneExpire=now", "gc.recentObjectsHook=", "core.quotePath=off",
    "fetch.writeCommitGraph=false", "fetch.bundleURI=",
    "fetch.unpackLimit=1", largeFiles,
  ]
  /// Git never inflates larger blobs as a whole. A small pack can contain huge ones.
  private static let largeFiles = "core.bigFileThreshold=16m"
  private static let variables = [
    "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_ALLOW_PROTOCOL": "file:http:https:ssh", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1",
  ]

  /// The address space of a fetch in bytes. Git holds trees and commits in memory as a whole.
  private static let fetchMemory = 2 << 30

  /// Whether `prlimit` is available to limit the size of files and the memory. Git has no such
  /// limits for fetches.
  private static let hasLimiter = ["/usr/bin/prlimit", "/bin/prlimit"].contains {
    (path: String) in access(path, X_OK) == 0
  }

  private func run(
    _ words: [String], input: [UInt8]? = nil, time: Duration, limitsFiles: Bool = false
  ) async throws(TransportError) -> [UInt8] {
    let folder: TemporaryFolder?
    do throws(SystemCallError) {
      folder = try input.map { (bytes) throws(SystemCallError) in
        let folder = try TemporaryFolder("git")
        try folder.write(bytes, to: "input")
        return folder
      }
    } catch {
      throw TransportError(
        error.number == ENOSPC ? .full : .unavailable,
        "cannot write a temporary file for git: \(error)")
    }
    defer { withExtendedLifetime(folder) {} }
    var command =
      ["git", "--no-pager", "--git-dir=\(repository)"] + Self.settings.flatMap { ["-c", $0] }
      + words
    if limitsFiles, Self.hasLimiter {
      command = ["prlimit", "--fsize=\(fileLimit)", "--as=\(Self.fetchMemory)"] + command
    }
    do throws(CapturedProgram.Failure) {
      return try await CapturedProgram.output(
        of: command[0], Array(command.dropFirst()), environment: Self.variables,
        input: folder?.path.appending("input"),
        limit: Self.outputLimit, time: time)
    } catch { throw failure(error, words[0]) }
  }

  private func failure(_ failure: CapturedProgram.Failure, _ command: String) -> TransportError {
    guard failure.wasStarted else {
      return TransportError(.missingProgram, "git cannot be run here; is it installed?")
    }
    let all = failure.errors
    let lines = all.split(whereSeparator: \.isNewline)
    let line =
      lines.first { $0.hasPrefix("fatal:") || $0.contains("rejected") || $0.hasPrefix("error:") }
      .map(String.init) ?? failure.description
    func contains(_ phrases: String...) -> Bool { phrases.contains { all.contains($0) } }
    let kind: TransportError.Kind =
      if contains("No space left", "Disk quota exceeded") {
        .full
      } else if contains(
        "Authentication failed", "Permission denied", "could not read Username",
        "dubious ownership",
        "error: 401", "error: 403", "Host key verification failed")
      {
        .refused
      } else if contains(
        "does not appear to be a git repository", "Repository not found", "does not exist",
        "not found", "error: 404")
      {
        .absent
      } else {
        .unavailable
      }
    return TransportError(kind, "git \(command): \(line.prefix(500))")
  }
}
