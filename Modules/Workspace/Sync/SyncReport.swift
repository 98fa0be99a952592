package import FoundationEssentials
package import Model
package import SystemSupport

/// Why operations of another machine are not applied yet.
package struct HeldReason: Codable, Hashable, Sendable {
  /// What kind of reason it is.
  package enum Kind: String, Codable, Hashable, Sendable {
    /// Earlier ones, or its keys, have not arrived.
    case missing
    /// A file has not arrived whole, or is damaged.
    case damaged
    /// A newer version of Diple wrote it.
    case newer
    /// Its clock is ahead.
    case clock
    /// It would remove a large part of the library.
    case removals
    /// There are two histories under its name.
    case fork
    /// It was revoked.
    case revoked
  }

  /// What kind of reason it is.
  package var kind: Kind
  /// One line.
  package var detail: String
  /// Since when, in milliseconds since 1970.
  package var since: Int64
  /// How often it was tried.
  package var tries: Int
}

/// Another machine that the library is synced with.
package struct SyncDevice: Sendable {
  /// Which copy of the library.
  package var replica: ReplicaID
  /// What it is called.
  package var name: String
  /// Whether it is this machine.
  package var isOwn: Bool
  /// Whether it was revoked.
  package var isRevoked: Bool
  /// When it joined.
  package var joined: Date
  /// How many of its operations are known here.
  package var known: Int64
  /// Why others are not applied; nil when nothing is held.
  package var held: HeldReason?
}

/// A document of another machine, and the one of this machine that it may be.
package struct DocumentMatch: Sendable {
  /// How sure it is.
  package enum Ground: String, Sendable {
    /// The same id in the front matter.
    case id
    /// The same text.
    case text
    /// A file that once had that content, by the history of a git repository.
    case history
    /// The same path, and a similar text.
    case path
    /// A similar text elsewhere: a person should look.
    case similar
  }

  /// The document that another machine knows.
  package var remote: Document
  /// Where it is on this machine.
  package var path: DocumentPath
  /// Why.
  package var ground: Ground
}

/// Whether a passphrase opens the vault.
package enum VaultPassphrase: String, Codable, Hashable, Sendable {
  /// One does.
  case set
  /// None does, as a person wanted.
  case unset
  /// None does: devices changed the key at the same time, and what they settled on has none.
  case lost

  /// What a person has to know of it, and can do; nil where that is nothing.
  package var hint: Hint? {
    switch self {
    case .set: nil
    case .unset:
      "no passphrase is set: new devices join with \(command: "sync", "join", "--pair")"
    case .lost:
      """
      no passphrase opens the vault: its key was changed on several devices at the same time; \
      \(command: "sync", "passphrase") sets a new one
      """
    }
  }
}

/// What a sync did.
package struct SyncReport: Sendable {
  /// How many operations of other machines came.
  package var received = 0
  /// How many of this one went.
  package var sent = 0
  /// Documents of other machines that were found on this one.
  package var linked: [DocumentMatch] = []
  /// Those of which that is not sure.
  package var suggested: [DocumentMatch] = []
  /// What is held, by the machine's name.
  package var held: [(device: String, reason: HeldReason)] = []
  /// How many notes are to be chosen among.
  package var conflicts = 0
  /// What a person should know, one line each.
  package var notices: [String] = []
  /// Whether a passphrase opens the vault, where that has changed.
  package var passphrase: VaultPassphrase?

  /// Nothing happened yet.
  package init() {}
}

/// What a person allows a sync to do beyond the usual.
package struct SyncOptions: Sendable {
  /// Apply operations whose clock is ahead.
  package var clock = false
  /// Apply what removes a large part of the library.
  package var removals = false
  /// Send everything again to a place that has lost it.
  package var upload = false
  /// Send the texts in which highlights were made.
  package var texts = true
  /// After how many operations of all devices a snapshot for new devices is worth writing.
  package var summing: Int64 = 20_000
  /// How long it is waited for another sync of the library.
  package var patience = Library.syncPatience

  /// Nothing beyond the usual.
  package init() {}
}

/// How syncing stands.
package struct SyncStatus: Sendable {
  /// Where.
  package var place: SyncPlace
  /// When it was last done; nil for never.
  package var last: Date?
  /// What went wrong the last time; nil when nothing did.
  package var problem: String?
  /// How many operations were not sent yet.
  package var unsent: Int64
  /// The machines, this one first.
  package var devices: [SyncDevice]
  /// How many notes are to be chosen among.
  package var conflicts: Int
  /// Documents of other machines that were not found on this one.
  package var elsewhere: Int
  /// Whether a passphrase opened the vault at the last sync; nil where there was none yet.
  package var passphrase: VaultPassphrase?
}
