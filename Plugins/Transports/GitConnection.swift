import Model
import Sync
import SystemSupport

/// A connection to a git repository. It caches the names of the blobs that were fetched last.
actor GitConnection: TransportConnection {
  private let runner: GitRunner

  /// A replica's ref as it was last fetched or pushed.
  private struct Branch {
    var commit: String
    var files: [String: File] = [:]
  }

  private struct File {
    var blob: String
    var size: Int
  }

  /// The branches by their refs; nil before the first fetch, and while the state of the repository
  /// is unknown.
  private var branches: [String: Branch]?
  /// Small objects that were read together with a requested one.
  private var readAhead: [ObjectName: [UInt8]] = [:]

  private static let (treeLimit, readAheadLimit, blobLimit) = (64 << 20, 4 << 20, 64 << 20)
  private static let attempts = 4

  init(_ runner: GitRunner) { self.runner = runner }

  func check() async throws(TransportError) { try await refresh() }

  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing {
    try await refresh()
    var entries: [TransportListing.Entry] = []
    for (ref, branch) in branches ?? [:] {
      guard let owner = Owner(ref: ref) else { continue }
      for (file, blob) in branch.files {
        if let name = ObjectName(vault: owner.vault, replica: owner.replica, file: file) {
          entries.append(TransportListing.Entry(name, size: blob.size))
        }
      }
    }
    return TransportListing(entries)
  }

  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]? {
    if branches?[Owner(name).ref]?.files[name.file] == nil { try await refresh() }
    guard let branch = branches?[Owner(name).ref], let file = branch.files[name.file] else {
      return nil
    }
    guard file.size <= min(limit, Self.blobLimit) else {
      throw TransportError(.tooLarge, "\(name) has \(file.size) bytes, more than \(limit)")
    }
    if let bytes = readAhead.removeValue(forKey: name) { return bytes }
    // A single process reads this object and small ones that are probably requested next.
    var wanted = [(name, file)]
    var size = file.size
    for (other, file) in branch.files.sorted(by: { $0.key < $1.key }) where other > name.file {
      size += file.size
      guard size <= Self.readAheadLimit, wanted.count < 500,
        let other = ObjectName(vault: name.vault, replica: name.replica, file: other)
      else { break }
      wanted.append((other, file))
    }
    let input = wanted.map { $0.1.blob + "\n" }.joined()
    let output = try await runner.local(["cat-file", "--batch"], input: Array(input.utf8))
    var reader = BatchReader(output)
    readAhead = [:]
    for (name, file) in wanted {
      guard let object = reader.next(), object.type == "blob", object.bytes.count == file.size
      else {
        break
      }
      readAhead[name] = Array(object.bytes)
    }
    return readAhead.removeValue(forKey: name)
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    let byOwner = Dictionary(grouping: objects) { Owner($0.name) }
    try await change(Array(byOwner.keys)) { owner, files in
      let new = byOwner[owner]?.filter { files[$0.name.file] == nil } ?? []
      return new.isEmpty ? nil : Change(kept: files, new: new)
    }
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    let byOwner = Dictionary(grouping: names, by: Owner.init)
    try await change(Array(byOwner.keys)) { owner, files in
      let gone = Set(byOwner[owner]?.map(\.file) ?? [])
      let kept = files.filter { !gone.contains($0.key) }
      return kept.count == files.count ? nil : Change(kept: kept, new: [])
    }
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    try? await Task.sleep(for: time)
    return false
  }

  func close() async {}

  // MARK: - Refs

  /// The replica that owns a ref.
  private struct Owner: Hashable {
    var vault: VaultID
    var replica: ReplicaID

    init(_ name: ObjectName) { (vault, replica) = (name.vault, name.replica) }

    init?(ref: String) {
      let parts = ref.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4, parts[0] == "refs", parts[1] == "diple",
        let vault = VaultID(parts[2]),
        let replica = ReplicaID(parts[3]), replica.description == parts[3]
      else { return nil }
      (self.vault, self.replica) = (vault, replica)
    }

    var ref: String { "refs/diple/\(vault)/\(replica)" }
  }

  /// The new content of a ref's tree.
  private struct Change {
    var kept: [String: File]
    var new: [TransportObject]
  }

  /// Commits and pushes the changes of several refs, in one push.
  ///
  /// - Parameter decide: returns the change of an owner's files; nil to leave them unchanged.
  /// - Throws: `TransportError`; `.unavailable` if another process keeps pushing the same refs.
  private func change(
    _ owners: [Owner], _ decide: (Owner, [String: File]) -> Change?
  ) async throws(TransportError) {
    if owners.isEmpty { return }
    for _ in 0..<Self.attempts {
      if branches == nil { try await refresh() }
      let known = branches ?? [:]
      var stream: [UInt8] = []
      var refs: [(name: String, old: String)] = []
      for owner in owners {
        let branch = known[owner.ref]
        guard let change = decide(owner, branch?.files ?? [:]) else { continue }
        Self.append(change, as: owner.ref, to: &stream)
        refs.append((owner.ref, branch?.commit ?? ""))
      }
      if refs.isEmpty { return }
      stream += Array("done\n".utf8)
      // Until the push succeeds, the local state is unreliable.
      branches = nil
      let (input, pushed) = (stream, refs)
      let isPushed = try await runner.alone { () async throws(TransportError) in
        _ = try await runner.local(["fast-import", "--quiet", "--force", "--done"], input: input)
        return try await runner.push(pushed)
      }
      if isPushed {
        branches = known
        return try await read()
      }
    }
    throw TransportError(
      .unavailable,
      "\(runner.address.text): another process pushes this replica's refs; was the library copied?"
    )
  }

  /// Appends the commands with which `git fast-import` creates a commit without a parent.
  private static func append(_ change: Change, as ref: String, to stream: inout [UInt8]) {
    var text = "commit \(ref)\ncommitter diple <diple@localhost> 0 +0000\ndata 6\ndiple\n\n"
    for (file, blob) in change.kept.sorted(by: { $0.key < $1.key }) {
      text += "M 100644 \(blob.blob) \(file)\n"
    }
    stream += Array(text.utf8)
    for object in change.new {
      stream += Array("M 100644 inline \(object.name.file)\ndata \(object.bytes.count)\n".utf8)
      stream += object.bytes
      stream.append(10)
    }
  }

  private func refresh() async throws(TransportError) {
    branches = try await runner.alone { () async throws(TransportError) in
      try await runner.fetch()
      return branches ?? [:]
    }
    try await read()
  }

  /// Reads the refs of the clone. Trees of unchanged refs aren't read again.
  private func read() async throws(TransportError) {
    let known = branches ?? [:]
    branches = nil
    let output = try await runner.local(
      ["for-each-ref", "--format=%(objectname) %(objecttype) %(refname)", "refs/diple/"])
    var found: [String: Branch] = [:]
    var new: [(ref: String, commit: String)] = []
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count == 3, parts[1] == "commit", Owner(ref: parts[2]) != nil else { continue }
      if let branch = known[parts[2]], branch.commit == parts[0] {
        found[parts[2]] = branch
      } else {
        new.append((parts[2], parts[0]))
      }
    }
    for (ref, branch) in try await trees(of: new) { found[ref] = branch }
    branches = found
    readAhead = [:]
  }

  private func trees(of refs: [(ref: String, commit: String)]) async throws(TransportError)
    -> [String: Branch]
  {
    guard !refs.isEmpty else { return [:] }
    // The sizes are read first: a tree that is too large wasn't created by Diple, and its ref is
    // ignored.
    let lines = refs.map { $0.commit + "^{tree}" }
    let sizes = try await sizes(of: lines)
    var total = 0
    let chosen = zip(refs, zip(lines, sizes)).filter { _, line in
      guard let size = line.1, size <= Self.treeLimit / 4 else { return false }
      total += size
      return total <= Self.treeLimit
    }
    let trees = try await runner.local(
      ["cat-file", "--batch"], input: Array(chosen.map { $0.1.0 + "\n" }.joined().utf8))
    var reader = BatchReader(trees)
    var result: [String: Branch] = [:]
    for (ref, _) in chosen {
      guard let object = reader.next() else { continue }
      var branch = Branch(commit: ref.commit)
      guard object.type == "tree", let owner = Owner(ref: ref.ref) else { continue }
      for (file, blob) in TreeReader.files(in: object.bytes, nameLength: ref.commit.utf8.count / 2)
      where ObjectName(vault: owner.vault, replica: owner.replica, file: file) != nil {
        branch.files[file] = File(blob: blob, size: 0)
      }
      result[ref.ref] = branch
    }
    let places = result.flatMap { ref, branch in branch.files.map { (ref, $0.key, $0.value.blob) } }
    let blobs = try await self.sizes(of: places.map(\.2))
    for ((ref, file, blob), size) in zip(places, blobs) {
      result[ref]?.files[file] = size.map { File(blob: blob, size: $0) }
    }
    return result
  }

  /// Returns the sizes of objects in bytes; nil for an object that doesn't exist or has another
  /// type than expected.
  private func sizes(of objects: [String]) async throws(TransportError) -> [Int?] {
    if objects.isEmpty { return [] }
    let output = try await runner.local(
      ["cat-file", "--batch-check=%(objecttype) %(objectsize)"],
      input: Array(objects.map { $0 + "\n" }.joined().utf8))
    let lines = output.split(separator: 10, omittingEmptySubsequences: false)
    return objects.indices.map { index in
      guard index < lines.count else { return nil }
      let parts = String(decoding: lines[index], as: UTF8.self).split(separator: " ")
      let wanted = objects[index].hasSuffix("}") ? "tree" : "blob"
      return parts.count == 2 && parts[0] == wanted ? Int(parts[1]) : nil
    }
  }
}

/// Parses the output of `git cat-file --batch`.
struct BatchReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the next object; nil if it doesn't exist, or at the end.
  mutating func next() -> (type: String, bytes: ArraySlice<UInt8>)? {
    guard let end = bytes[position...].firstIndex(of: 10) else { return nil }
    let head = String(decoding: bytes[position..<end], as: UTF8.self).split(separator: " ")
    position = end + 1
    guard head.count == 3, let size = Int(head[2]), size >= 0, size < bytes.count - position else {
      return nil
    }
    defer { position += size + 1 }
    return (String(head[1]), bytes[position..<(position + size)])
  }
}

/// Parses a tree object of git.
enum TreeReader {
  /// Returns the regular files with their blobs. The names may be any bytes, decoded as UTF-8.
  ///
  /// - Parameter nameLength: the length of an object's name in bytes: 20 or 32.
  static func files(in tree: ArraySlice<UInt8>, nameLength: Int) -> [(file: String, blob: String)] {
    var result: [(file: String, blob: String)] = []
    var rest = tree
    while let space = rest.firstIndex(of: 32), let end = rest[space...].firstIndex(of: 0),
      end + nameLength < rest.endIndex
    {
      let mode = rest[..<space]
      let file = String(decoding: rest[(space + 1)..<end], as: UTF8.self)
      let blob = rest[(end + 1)...(end + nameLength)]
      rest = rest[(end + nameLength + 1)...]
      guard mode.elementsEqual("100644".utf8) else { continue }
      let digits = hexadecimal(blob)
      result.append((file, digits))
    }
    return result
  }
}
