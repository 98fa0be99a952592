package import Model

/// The file name of a replica's object, such as `41-57.0123456789abcdef.seg`.
///
/// It contains the beginning of the BLAKE2b of the object, so that a name never has two contents.
/// Files with other names must be left untouched.
package struct SyncFileName: Hashable, Sendable, LosslessStringConvertible {
  /// The kind of an object, with the numbers in its name.
  package enum Kind: Hashable, Sendable {
    /// `FIRST-LAST.HASH16.seg`: operations of a replica.
    case segment(ClosedRange<Int64>)
    /// `LAST.HASH16.snap`: the library of a replica that had made `LAST` operations.
    case snapshot(Int64)
    /// `device.HASH16`: the name and the public keys of a replica.
    case device
    /// `epoch-N.HASH16`: the key of the vault from epoch N on.
    case epoch(Int)
    /// `request.HASH16`: a new device's request to join.
    case request
    /// `grant-REPLICA.HASH16`: the answer to a request.
    case grant(ReplicaID)
    /// `state.HASH16`: checksums of a replica's library.
    case state
  }

  /// The maximum size of an object of this kind in bytes.
  package var sizeLimit: Int {
    switch kind {
    case .segment: Wire.fileLimit
    case .snapshot: Wire.snapshotLimit
    case .device, .request: 64 << 10
    case .epoch, .grant: 4 << 20
    case .state: StateRecord.fileLimit
    }
  }

  /// The kind of the object.
  package let kind: Kind
  /// The first 16 lower-case hexadecimal digits of the object's BLAKE2b.
  package let hash: String

  /// Creates the name of an object with the content `bytes`.
  init(_ kind: Kind, of bytes: [UInt8]) {
    self.kind = kind
    hash = Self.hash(of: bytes)
  }

  /// Returns whether `bytes` are the content of the object with this name.
  package func matches(_ bytes: [UInt8]) -> Bool { Self.hash(of: bytes) == hash }

  static func hash(of bytes: [UInt8]) -> String { hexadecimal(Sodium.hash(bytes).prefix(8)) }

  /// Parses a name; nil for any other text.
  package init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || parts.count == 3, parts[1].utf8.count == 16,
      parts[1].utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return nil }
    let words = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    hash = parts[1]
    switch (words.count, parts.count == 3 ? parts[2] : nil) {
    case (2, "seg"):
      guard let first = Int64(words[0]), let last = Int64(words[1]), first >= 1, first <= last,
        last <= Wire.sequenceLimit
      else { return nil }
      kind = .segment(first...last)
    case (1, "snap"):
      guard let last = Int64(words[0]), (0...Wire.sequenceLimit).contains(last) else { return nil }
      kind = .snapshot(last)
    case (1, nil) where words[0] == "device": kind = .device
    case (1, nil) where words[0] == "request": kind = .request
    case (1, nil) where words[0] == "state": kind = .state
    case (2, nil) where words[0] == "epoch":
      guard let epoch = Int(words[1]), (1...EpochRecord.limit).contains(epoch) else { return nil }
      kind = .epoch(epoch)
    case (2, nil) where words[0] == "grant":
      guard let replica = ReplicaID(words[1]) else { return nil }
      kind = .grant(replica)
    default: return nil
    }
    // The parsing above accepts signs, leading zeros and capitals, which a name never has.
    guard self.description == description else { return nil }
  }

  /// The name in the form that its kind specifies.
  package var description: String {
    switch kind {
    case .segment(let range): "\(range.lowerBound)-\(range.upperBound).\(hash).seg"
    case .snapshot(let last): "\(last).\(hash).snap"
    case .device: "device.\(hash)"
    case .epoch(let epoch): "epoch-\(epoch).\(hash)"
    case .request: "request.\(hash)"
    case .grant(let replica): "grant-\(replica).\(hash)"
    case .state: "state.\(hash)"
    }
  }
}

extension ObjectName {
  /// The parsed file name; nil if the file isn't an object of this format.
  package var syncFile: SyncFileName? { SyncFileName(file) }

  /// Creates the name of a replica's object.
  init(vault: VaultID, replica: ReplicaID, _ name: SyncFileName) {
    guard let made = ObjectName(vault: vault, replica: replica, file: name.description) else {
      preconditionFailure("'\(name)' is not a valid file name")
    }
    self = made
  }
}
