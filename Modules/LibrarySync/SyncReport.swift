package import FoundationEssentials
package import Model
package import Sync
package import SystemSupport
import Workspace

/// The reason why operations of another device are held, that is, not applied yet.
package struct HeldReason: Codable, Hashable, Sendable {
  /// The kinds of reasons.
  package enum Kind: String, Codable, Hashable, Sendable {
    /// Earlier operations of the device, or its keys, have not arrived.
    case missing
    /// A file is incomplete or damaged.
    case damaged
    /// A newer version of Diple wrote the operations.
    case newer
    /// The device's clock is ahead of this one's.
    case clock
    /// The operations would remove a large part of the library.
    case removals
    /// There are two histories under the device's name.
    case fork
    /// The device was revoked.
    case revoked
  }

  /// The kind of reason.
  package var kind: Kind
  /// A one-line message for the user.
  package var detail: String
  /// The time at which the hold began, in milliseconds since 1970.
  package var since: Int64
  /// The number of syncs that tried to apply the operations.
  package var tries: Int
}

/// A device that the library is synced with, or this device.
package struct SyncDevice: Sendable {
  /// The replica that the device writes as.
  package var replica: ReplicaID
  package var name: String
  /// Whether it is this device.
  package var isOwn: Bool
  /// Whether it was revoked.
  package var isRevoked: Bool
  /// Whether it has left the vault. If it joins again, it is a new device.
  package var hasLeft: Bool
  /// The time at which it joined.
  package var joined: Date
  /// The number of its operations that this library knows.
  package var known: Int64
  /// The reason why its later operations are held; nil if none are held.
  package var held: HeldReason?
}

/// A document of another device and the local file that it may be.
package struct DocumentMatch: Sendable {
  /// The evidence for a match.
  package enum Ground: String, Sendable {
    /// The same identifier in the front matter.
    case id
    case text
    /// The file had the document's content in the history of a git repository.
    case history
    /// The same path and a similar text.
    case path
    /// A similar text at another path. The user must confirm the match.
    case similar
  }

  /// The document of the other device.
  package var remote: Document
  /// The path of the local file.
  package var path: DocumentPath
  /// The evidence.
  package var ground: Ground
}

/// The state of the vault's passphrase.
package enum VaultPassphrase: String, Codable, Hashable, Sendable {
  /// A passphrase opens the vault.
  case set
  /// The user chose to have no passphrase.
  case unset
  /// Devices changed the key at the same time, and the key that they agreed on has no passphrase.
  case lost

  /// A message with a suggested command; nil if a passphrase is set.
  package var hint: Hint? {
    switch self {
    case .set: nil
    case .unset:
      "no passphrase is set: new devices join with \(action: "sync.ask")"
    case .lost:
      """
      no passphrase opens the vault: its key was changed on several devices at the same time; \
      \(action: "sync.passphrase") sets a new one
      """
    }
  }
}

/// The result of a sync.
package struct SyncReport: Sendable {
  /// The number of received operations.
  package var received = 0
  /// The number of sent operations.
  package var sent = 0
  /// Documents of other devices that were linked with local files.
  package var linked: [DocumentMatch] = []
  /// Possible matches, which the user must confirm.
  package var suggested: [DocumentMatch] = []
  /// The reasons why operations are held, with the names of the devices.
  package var held: [(device: String, reason: HeldReason)] = []
  /// The number of notes with several versions.
  package var conflicts = 0
  /// Messages for the user, one line each.
  package var notices: [String] = []
  /// The state of the passphrase; nil if it has not changed.
  package var passphrase: VaultPassphrase?

  package init() {}
}

/// Decides whether to write a snapshot for new devices.
///
/// A new device reads either one snapshot or all segments. Both take the same time if a library has
/// only the operations that created its records, so a snapshot is written only if it leaves out
/// many operations.
package struct SnapshotRule: Sendable {
  /// The minimum number of operations of all devices.
  package var operations: Int64
  /// The minimum share of the operations that changed a record later or are not stored any more,
  /// from 0 to 1.
  package var laterShare: Double

  /// Creates a rule. The default applies to libraries of users; tests also use small numbers.
  package init(operations: Int64 = 20_000, laterShare: Double = 0.25) {
    (self.operations, self.laterShare) = (operations, laterShare)
  }
}

/// The options of a sync: the changes that need the user's consent, the data to send, and the time
/// to wait.
package struct SyncOptions: Sendable {
  /// Whether to apply operations of devices whose clocks are ahead.
  package var clock = false
  /// Whether to apply removals of a large part of the library.
  package var removals = false
  /// Whether to send all own operations again if the target has lost some.
  package var upload = false
  /// Whether to send the texts in which highlights were made.
  package var texts = true
  /// Whether to list only the objects that changed since an earlier sync of this process, if the
  /// transport can do so. All objects are listed at least every ten minutes.
  package var isRoutine = false
  /// When to write a snapshot for new devices.
  package var summing = SnapshotRule()
  /// The maximum time to wait for another sync of the library.
  package var lockTimeout = Library.syncLockTimeout

  package init() {}
}

/// The state of syncing a library, as stored on this device.
package struct SyncStatus: Sendable {
  /// The sync configuration.
  package var place: SyncPlace
  /// The time of the last successful sync; nil if there was none.
  package var last: Date?
  /// The message of the error of the last sync; nil if it succeeded.
  package var problem: String?
  /// The number of operations that were not sent yet.
  package var unsent: Int64
  /// The devices, this one first.
  package var devices: [SyncDevice]
  /// The number of notes with several versions.
  package var conflicts: Int
  /// The number of documents of other devices without a local file.
  package var elsewhere: Int
  /// The state of the passphrase at the last sync; nil before the first sync.
  package var passphrase: VaultPassphrase?
}
