package import Model

/// What a replica's object is called: `41-57.0123456789abcdef.seg`.
///
/// The last part is the beginning of the BLAKE2b of the whole object, so that one name never stands
/// for two contents. Whatever is not in exactly this form is not ours to touch.
package struct SyncFileName: Hashable, Sendable, LosslessStringConvertible {
  /// What the object is.
  package enum Kind: Hashable, Sendable {
    /// `FIRST-LAST.HASH16.seg`: operations of a replica.
    case segment(ClosedRange<Int64>)
    /// `LAST.HASH16.snap`: what a replica knew when it had made so many operations of its own.
    case snapshot(Int64)
    /// `device.HASH16`: a replica and its public keys.
    case device
    /// `epoch-N.HASH16`: the vault's key from now on.
    case epoch(Int)
    /// `request.HASH16`: a new device asks to be let in.
    case request
    /// `grant-REPLICA.HASH16`: the answer to it.
    case grant(ReplicaID)
    /// `state.HASH16`: checksums of what a replica's library contains.
    case state
  }

  /// The most bytes that an object of the kind may have.
  package var sizeLimit: Int {
    switch kind {
    case .segment: Wire.fileLimit
    case .snapshot: Wire.snapshotLimit
    case .device, .request: 64 << 10
    case .epoch, .grant: 4 << 20
    case .state: StateRecord.fileLimit
    }
  }

  /// What the object is.
  package let kind: Kind
  /// Sixteen lower-case hexadecimal digits of the object's hash.
  package let hash: String

  /// Names an object of a kind with some bytes.
  init(_ kind: Kind, of bytes: [UInt8]) {
    self.kind = kind
    hash = Self.hash(of: bytes)
  }

  static func hash(of bytes: [UInt8]) -> String { hexadecimal(Sodium.hash(bytes).prefix(8)) }

  /// Reads a name; nil for anything else.
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
    // Signs, leading zeros and capitals are read, but never written.
    guard self.description == description else { return nil }
  }

  /// The name as text.
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
  /// What the object is; nil when its file is none of ours.
  package var syncFile: SyncFileName? { SyncFileName(file) }

  /// Names an object of a replica.
  init(vault: VaultID, replica: ReplicaID, _ name: SyncFileName) {
    guard let made = ObjectName(vault: vault, replica: replica, file: name.description) else {
      preconditionFailure("'\(name)' is a name of a file")
    }
    self = made
  }
}
