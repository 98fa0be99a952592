import FoundationEssentials
import Model
package import Sync
import SystemSupport

/// A remote of rclone, such as S3, Drive and about forty other services, from the user's
/// configuration of rclone.
package struct Rclone: SyncTransport {
  package static let id = "rclone"
  package static let summary = "a remote of rclone: S3, Drive and many others"
  package static let examples = TransportExample.forEveryTransport(at: "drive:diple")

  private let configuration: String?

  /// - Parameter configuration: the path of rclone's configuration file; nil for the user's
  ///   default.
  package init(configuration: String? = nil) { self.configuration = configuration }

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let runner = RcloneRunner(try RcloneAddress(place.address), configuration: configuration)
    return RcloneConnection(runner, try await runner.features())
  }
}

/// A remote of rclone's configuration and a path in it: `REMOTE:PATH`.
struct RcloneAddress: Hashable {
  let text: String

  init(_ text: String) throws(TransportError) {
    let remote = text.prefix { $0 != ":" }
    let isPlain =
      !remote.isEmpty && remote.count < text.count && remote.first != "-"
      && remote.allSatisfy { $0.isLetter || $0.isNumber || "_-.+@ ".contains($0) }
    // Options in an address can contain passwords and run programs.
    guard isPlain, !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
      throw TransportError(
        .usage,
        "the address of an rclone folder is REMOTE:PATH; set options in rclone's configuration")
    }
    var path = text
    while path.hasSuffix("/") { path.removeLast() }
    self.text = path
  }

  /// Returns the address of an entry.
  func appending(_ path: String) -> String { text.hasSuffix(":") ? text + path : text + "/" + path }
}

/// The capabilities of a remote, as `rclone backend features` reports them.
struct RcloneFeatures {
  /// Whether the remote can contain empty folders.
  var hasFolders = true
  /// Whether an unfinished upload is visible under the name of its file.
  var showsHalves = false
}

/// Runs rclone for one address.
struct RcloneRunner {
  let address: RcloneAddress

  private static let outputLimit = 256 << 20
  private static let variables = ["LC_ALL": "C", "RCLONE_ASK_PASSWORD": "false"]
  private static let options = [
    "--contimeout", "20s", "--timeout", "60s", "--retries", "2", "--low-level-retries", "3",
    "--stats", "0", "--log-level", "ERROR",
  ]

  private let configuration: String?

  init(_ address: RcloneAddress, configuration: String?) {
    (self.address, self.configuration) = (address, configuration)
  }

  /// Runs a command until it ends.
  ///
  /// - Returns: the output; nil if rclone reports that the folder or file doesn't exist.
  /// - Throws: `TransportError`; `.missingProgram` if rclone isn't installed.
  func run(_ words: [String], limit: Int = outputLimit) async throws(TransportError) -> [UInt8]? {
    do throws(CapturedProgram.Failure) {
      return try await CapturedProgram.output(
        of: "rclone", words + Self.options,
        environment: Self.variables.merging(configuration.map { ["RCLONE_CONFIG": $0] } ?? [:]) {
          $1
        },
        limit: limit, time: .seconds(600))
    } catch {
      guard error.wasStarted else {
        throw TransportError(.missingProgram, "rclone cannot be run here; is it installed?")
      }
      if let code = error.exitCode, [3, 4].contains(code) { return nil }
      throw failure(error, words[0])
    }
  }

  private func failure(_ failure: CapturedProgram.Failure, _ command: String) -> TransportError {
    func contains(_ phrases: String...) -> Bool { phrases.contains { failure.errors.contains($0) } }
    let kind: TransportError.Kind =
      if contains("didn't find section in config file") {
        .absent
      } else if contains("no space left", "storageQuotaExceeded", "insufficient_storage") {
        .full
      } else if contains("AccessDenied", "ermission denied", "401 ", "403 ", "invalid_grant") {
        .refused
      } else {
        .unavailable
      }
    // A message of rclone begins with a date and a level.
    let line = failure.description.split(separator: " : ", maxSplits: 1).last ?? ""
    return TransportError(kind, "rclone \(command) \(address.text): \(line.prefix(500))")
  }

  /// Returns the capabilities of the remote.
  ///
  /// - Throws: `TransportError`; `.absent` if the folder doesn't exist, although the remote can
  ///   contain empty folders.
  func features() async throws(TransportError) -> RcloneFeatures {
    struct Answer: Decodable {
      var Features: [String: Bool]
    }
    var features = RcloneFeatures()
    if let output = try await run(["backend", "features", address.text], limit: 1 << 20),
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(output))
    {
      features.hasFolders = answer.Features["CanHaveEmptyDirectories"] ?? true
      let givesNamesLast = answer.Features["PartialUploads"] ?? false
      features.showsHalves =
        features.hasFolders && !givesNamesLast && answer.Features["Move"] ?? false
    }
    let top = try await run(["lsf", "--dirs-only", "--max-depth", "1", address.text])
    guard top != nil || !features.hasFolders else { throw absence }
    return features
  }

  var absence: TransportError {
    TransportError(.absent, "\(address.text): rclone finds no such folder")
  }
}

/// A connection to a remote. Each call starts rclone, which connects again.
actor RcloneConnection: TransportConnection {
  private let runner: RcloneRunner
  private let features: RcloneFeatures
  /// The replicas whose remains of killed uploads were removed, as `VAULT/REPLICA`.
  private var sweptReplicas: Set<String> = []

  init(_ runner: RcloneRunner, _ features: RcloneFeatures) {
    (self.runner, self.features) = (runner, features)
  }

  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
    let output = try await runner.run(
      [
        "lsf", "-R", "--files-only", "--format", "sp", "--separator", "|", "--include", "/v1/*/*/*",
        "--max-depth", "4", runner.address.text,
      ])
    guard let output else {
      guard features.hasFolders else { return TransportListing([]) }
      throw runner.absence
    }
    return TransportListing(Self.entries(output, below: ""))
  }

  /// Parses lines of the form `SIZE|PATH`. Paths that aren't object names are omitted.
  private static func entries(_ output: [UInt8], below folder: String) -> [TransportListing.Entry] {
    output.split(separator: 10).compactMap { line in
      guard let bar = line.firstIndex(of: UInt8(ascii: "|")),
        let size = Int(String(decoding: line[..<bar], as: UTF8.self)), size >= 0,
        let path = String(validating: line[(bar + 1)...], as: UTF8.self),
        let name = ObjectName(folder + path)
      else { return nil }
      return TransportListing.Entry(name, size: size)
    }
  }

  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
    let limit = min(limit, 1 << 30)
    let bytes = try await runner.run(
      ["cat", "--count", String(limit + 1), runner.address.appending(name.description)],
      limit: limit + 1)
    guard let bytes else { return nil }
    guard bytes.count <= limit else {
      throw TransportError(.tooLarge, "\(name) is larger than the limit of \(limit) B")
    }
    // On some remotes, rclone returns a missing file as an empty one.
    if bytes.isEmpty, try await files(beside: name)[name] == nil { return nil }
    return bytes
  }

  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    let file = runner.address.appending(name.description)
    guard count > 0,
      let first = try await runner.run(["cat", "--head", String(count), file], limit: count),
      let last = try await runner.run(["cat", "--tail", String(count), file], limit: count),
      !first.isEmpty
    else { return nil }
    return ObjectEnds(first: first, last: last)
  }

  /// Returns the sizes in bytes of a replica's files.
  private func files(beside name: ObjectName) async throws(TransportError) -> [ObjectName: Int] {
    let folder = "v1/\(name.vault)/\(name.replica)/"
    let output = try await runner.run([
      "lsf", "--files-only", "--format", "sp", "--separator", "|", "--max-depth", "1",
      runner.address.appending(folder),
    ])
    let entries = Self.entries(output ?? [], below: folder)
    return Dictionary(entries.map { ($0.name, $0.size) }) { first, _ in first }
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    for (_, objects) in Dictionary(grouping: objects, by: { "\($0.name.vault)/\($0.name.replica)" })
    {
      let there = try await files(beside: objects[0].name)
      let new = objects.filter { there[$0.name] != $0.bytes.count }
      if new.isEmpty { continue }
      // A file of another size is incomplete and wouldn't be replaced.
      let parts = new.map(\.name).filter { there[$0] != nil }
      if !parts.isEmpty { try await delete(parts) }
      try await upload(new)
      // Success depends on the sizes that the remote reports afterwards.
      let sizes = try await files(beside: objects[0].name)
      for object in new where sizes[object.name] != object.bytes.count {
        throw TransportError(
          .unavailable, "\(runner.address.text) did not store all of \(object.name)")
      }
    }
  }

  /// Uploads objects of a single replica together.
  private func upload(_ objects: [TransportObject]) async throws(TransportError) {
    let folder: TemporaryFolder
    do throws(SystemCallError) {
      folder = try TemporaryFolder("rclone")
      for object in objects { try folder.write(object.bytes, to: object.name.file) }
    } catch {
      throw TransportError(.unavailable, "cannot write a temporary folder for rclone: \(error)")
    }
    defer { withExtendedLifetime(folder) {} }
    let owner = "\(objects[0].name.vault)/\(objects[0].name.replica)"
    let target = runner.address.appending("v1/\(owner)")
    guard features.showsHalves else {
      _ = try await runner.run(["copy", "--immutable", "--no-traverse", folder.path, target])
      return
    }
    // Files are uploaded under unique temporary names first and get the objects' names when they
    // are complete.
    let all = runner.address.appending("tmp/\(owner)")
    if sweptReplicas.insert(owner).inserted {
      // Remove the remains of uploads that were killed at least a day ago.
      _ = try? await runner.run(["delete", "--min-age", "1d", "--rmdirs", all])
    }
    let waiting = "\(all)/\(UInt64.random(in: 0...(.max)))"
    _ = try await runner.run(["copy", folder.path, waiting])
    _ = try await runner.run(["move", "--immutable", "--delete-empty-src-dirs", waiting, target])
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    if names.isEmpty { return }
    let folder: TemporaryFolder
    do throws(SystemCallError) {
      folder = try TemporaryFolder("rclone")
      try folder.write(names.map { "\($0)\n" }.joined().utf8, to: "names")
    } catch {
      throw TransportError(.unavailable, "cannot write a temporary folder for rclone: \(error)")
    }
    defer { withExtendedLifetime(folder) {} }
    let output = try await runner.run([
      "delete", "--files-from-raw", folder.path.appending("names"), runner.address.text,
    ])
    if output == nil, features.hasFolders { throw runner.absence }
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    try? await Task.sleep(for: time)
    return false
  }

  func close() async {}
}
