import Glibc
import Model
import Sync
import SystemSupport

/// A connection to a folder. The folder is opened again by each call, because its disk may be
/// removed and attached in between.
actor FolderConnection: TransportConnection {
  private let root: String
  private let watch: FolderWatch?
  private let syncthing: SyncthingNotifier?
  /// The paths of replicas' folders from which temporary files of killed processes were removed.
  private var sweptFolders: Set<String> = []

  /// The maximum number of entries in all folders together.
  static let entryLimit = 1_000_000

  init(_ address: FolderAddress, _ environment: [String: String]) throws(TransportError) {
    root = address.path
    syncthing = try SyncthingNotifier.named(address, environment)
    watch = FolderWatch()
  }

  /// Checks that the folder exists and starts watching it.
  ///
  /// - Throws: `TransportError.absent` if it doesn't exist.
  func check() throws(TransportError) {
    try attempt { () throws(OpenFolder.Failure) in
      let folder = try OpenFolder(root: root)
      watch?.follow(folder)
    }
  }

  func list(since cursor: TransportCursor?) throws(TransportError) -> TransportListing {
    try attempt { () throws(OpenFolder.Failure) in
      var entries: [TransportListing.Entry] = []
      var count = 0
      func each(
        in folder: OpenFolder, _ body: (String) throws(OpenFolder.Failure) -> Void
      ) throws(OpenFolder.Failure) {
        try folder.forEachName { (name) throws(OpenFolder.Failure) in
          count += 1
          guard count <= Self.entryLimit else {
            throw OpenFolder.Failure(number: E2BIG, path: root)
          }
          try body(name)
        }
      }
      guard let top = try OpenFolder(root: root).folder("v1") else { return TransportListing([]) }
      try each(in: top) { (vaultName) throws(OpenFolder.Failure) in
        guard let vault = VaultID(vaultName), let folder = try top.folder(vaultName) else { return }
        try each(in: folder) { (replicaName) throws(OpenFolder.Failure) in
          guard let replica = ReplicaID(replicaName), replica.description == replicaName,
            let files = try folder.folder(replicaName)
          else { return }
          try each(in: files) { (file) throws(OpenFolder.Failure) in
            guard let name = ObjectName(vault: vault, replica: replica, file: file),
              !Self.isConflictCopy(file), let size = try files.sizeOfFile(file)
            else { return }
            entries.append(TransportListing.Entry(name, size: size))
          }
        }
      }
      return TransportListing(entries)
    }
  }

  /// Returns whether a file is a copy that Syncthing or rclone created because of conflicting
  /// changes.
  private static func isConflictCopy(_ file: String) -> Bool {
    file.contains(".sync-conflict-") || file.contains(".conflict")
  }

  func get(_ name: ObjectName, limit: Int) throws(TransportError) -> [UInt8]? {
    guard !Self.isConflictCopy(name.file) else { return nil }
    return try attempt { () throws(OpenFolder.Failure) in
      try folder(of: name)?.content(of: name.file, limit: limit)
    }
  }

  func ends(of name: ObjectName, count: Int) throws(TransportError) -> ObjectEnds? {
    guard !Self.isConflictCopy(name.file) else { return nil }
    return try attempt { () throws(OpenFolder.Failure) in
      try folder(of: name)?.ends(of: name.file, count: count).map {
        ObjectEnds(first: $0.first, last: $0.last)
      }
    }
  }

  func put(_ objects: [TransportObject]) async throws(TransportError) {
    let byFolder = Dictionary(grouping: objects) { Place(of: $0.name) }
    for (place, objects) in byFolder {
      try attempt { () throws(OpenFolder.Failure) in
        guard let folder = try folder(of: place.name, creating: true) else { return }
        if sweptFolders.insert(folder.path).inserted { try folder.sweep() }
        for object in objects { try folder.make(object.name.file, containing: object.bytes) }
        try folder.flush()
      }
      await syncthing?.scan(place.path)
    }
  }

  func delete(_ names: [ObjectName]) async throws(TransportError) {
    for (place, names) in Dictionary(grouping: names, by: Place.init) {
      try attempt { () throws(OpenFolder.Failure) in
        guard let folder = try folder(of: place.name) else { return }
        for name in names { try folder.remove(name.file) }
        try folder.flush()
      }
      await syncthing?.scan(place.path)
    }
  }

  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool {
    try check()
    guard let watch else {
      try? await Task.sleep(for: time)
      return false
    }
    let end = ContinuousClock.now + time
    while !Task.isCancelled {
      if watch.takeChange() {
        // Watch new folders before the caller lists them, so that no change is missed.
        try check()
        return true
      }
      let rest = end - ContinuousClock.now
      guard rest > .zero else { return false }
      _ = await Descriptor.wait(for: .readable, of: watch.descriptor, upTo: rest)
    }
    return false
  }

  func close() async {}

  /// The folder of a replica. The name is any object in it and doesn't affect equality.
  private struct Place: Hashable {
    var vault: VaultID
    var replica: ReplicaID
    var name: ObjectName

    init(of name: ObjectName) {
      (vault, replica, self.name) = (name.vault, name.replica, name)
    }

    /// The path of the folder relative to the root.
    var path: String { "v1/\(vault)/\(replica)" }

    static func == (a: Self, b: Self) -> Bool { (a.vault, a.replica) == (b.vault, b.replica) }
    func hash(into hasher: inout Hasher) {
      hasher.combine(vault)
      hasher.combine(replica)
    }
  }

  private func folder(of name: ObjectName, creating: Bool = false) throws(OpenFolder.Failure)
    -> OpenFolder?
  {
    try OpenFolder(root: root).folder("v1", creating: creating)?
      .folder(name.vault.description, creating: creating)?
      .folder(name.replica.description, creating: creating)
  }

  private func attempt<Result>(_ work: () throws(OpenFolder.Failure) -> Result)
    throws(TransportError) -> Result
  {
    do { return try work() } catch {
      let reason = String(cString: strerror(error.number))
      throw switch error.number {
      case ENOENT where error.path == root, ENOTDIR where error.path == root:
        TransportError(.absent, "there is no folder \(root); is its disk there?")
      case EACCES, EPERM, EROFS: TransportError(.refused, "\(error.path): \(reason)")
      case ENOSPC, EDQUOT: TransportError(.full, "\(error.path): \(reason)")
      case EFBIG: TransportError(.tooLarge, "\(error.path) is larger than an object can be")
      case E2BIG:
        TransportError(
          .unavailable, "\(root) contains more files than the limit of \(Self.entryLimit)")
      case EEXIST, ELOOP, ENOTDIR:
        TransportError(.unavailable, "\(error.path) is a symbolic link or has the wrong type")
      default: TransportError(.unavailable, "\(error.path): \(reason)")
      }
    }
  }
}
