import Model
import SystemSupport

/// The location of a library's database, by which a copy of the library is detected.
///
/// If two copies of a library made changes as one replica, different operations would have the same
/// sequence numbers. The location is therefore stored in the library, and each process compares it
/// with the actual location before its first change. If the library was copied, the process stores
/// the number of the last operation that both copies have.
struct LibraryPlace: Hashable {
  private let inode: UInt
  /// The database file without symbolic links.
  private let path: String
  /// A hash of the machine's id, because the id is confidential; empty without an id.
  private let machine: String

  init(of path: String, inode: UInt) {
    self.inode = inode
    self.path = FileSystem.resolved(path) ?? path
    machine = Self.machineID()
  }

  init?(_ stored: [UInt8]) {
    let lines = String(decoding: stored, as: UTF8.self)
      .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let inode = UInt(lines[0]) else { return nil }
    (self.inode, machine, path) = (inode, String(lines[1]), String(lines[2]))
  }

  var stored: [UInt8] { Array("\(inode)\n\(machine)\n\(path)".utf8) }

  /// Returns whether the library at `other` is a copy of the library here.
  ///
  /// In a copy, the inode differs, and the path or the machine. One of them alone does not prove a
  /// copy: a moved library and a removable disk on another machine keep the inode. A library whose
  /// file was replaced by a repair or a backup, or whose inode changed on a network file system,
  /// keeps the path and the machine.
  func isCopied(to other: LibraryPlace) -> Bool {
    inode != other.inode && (path != other.path || machine != other.machine)
  }

  private static func machineID() -> String {
    let bytes = (try? Descriptor.contentOfRegularFile("/etc/machine-id", limit: 4096)) ?? []
    let number = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    return number.isEmpty ? "" : String(stableHash(of: ["diple", number]), radix: 16)
  }
}

extension ReadTransaction {
  /// Returns the last operation that this copy of the library shares with its original. Nil if the
  /// library is not a copy, or has a new identity.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func lastCopiedSequence() throws -> Int64? {
    try syncState(copiedKey).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  /// Returns the last operation of this replica that must keep its replica and sequence number,
  /// because other replicas know it or another copy of the library can send it. Nil if all
  /// operations can be renamed.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func namedProgress() throws -> ReplicaProgress? {
    let sent = try progress()[try replica()]
    guard let copied = try lastCopiedSequence(), copied > sent?.sequence ?? 0 else { return sent }
    // The chain hash is empty, because it is known only for operations that were sent.
    return ReplicaProgress(sequence: copied, chain: [], floor: sent?.floor ?? 0)
  }
}

extension WriteTransaction {
  /// Stores the place of the library. If the library was copied to this place, also stores the
  /// number of its last operation, which the original has too.
  func recordPlace(_ place: LibraryPlace) throws {
    let known = try syncState(placeKey)
    guard known != place.stored else { return }
    if let known = known.flatMap(LibraryPlace.init), known.isCopied(to: place),
      try lastCopiedSequence() == nil
    {
      try setSyncState(copiedKey, Array(String(try lastSequence()).utf8))
    }
    try setSyncState(placeKey, place.stored)
  }

  /// Forgets that this library is a copy. Its next change stores the present place as the original
  /// one.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func forgetCopy() throws {
    try setSyncState(copiedKey, nil)
    try setSyncState(placeKey, nil)
  }
}

/// The names under which the state of copies is stored. ``WriteTransaction/forgetSync()`` keeps
/// them.
let (placeKey, copiedKey) = ("place of the file", "copied")
