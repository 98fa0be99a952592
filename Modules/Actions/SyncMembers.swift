import Configuration
import Glibc
package import LibrarySync
import Model
import Rendering
package import Sync
import Synchronization
package import SystemSupport
package import Workspace

/// Sets up syncing with a target that no library uses yet.
package struct BeginSync: Action {
  package static let name = "sync.begin"
  package static let summary = "Sets up syncing, with a target that no library uses yet."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.create
  package static let parameters = SyncOffer.parameters + [SyncOffer.passphrase]
  package static let examples = [
    BeginSync(
      transport: "folder", address: "/home/ada/Sync/diple", device: "laptop",
      passphrase: "correct horse battery")
  ]

  package var transport: String
  package var address: String
  package var device: String?
  package var passphrase: String

  package init(transport: String, address: String, device: String? = nil, passphrase: String) {
    (self.transport, self.address, self.device) = (transport, address, device)
    self.passphrase = passphrase
  }

  /// Sets up syncing. Creates the folder of the target if its parent exists.
  package func run(in session: ActionSession) async throws -> SyncOutcome {
    let offer = try SyncOffer(transport, address, as: device)
    try SyncOffer.checkNew(passphrase)
    let library = session.library
    try await library.requireUnsynced(offer)
    if let folder = offer.folder, try FileSystem.status(of: folder) == nil,
      try FileSystem.status(of: folder.parentFolder) != nil
    {
      try FileSystem.makeFolder(folder)
    }
    return SyncOutcome(
      report: try await library.beginSync(
        offer, passphrase: passphrase, try session.syncOptions()),
      folder: library.location.folder)
  }
}

/// Joins a target that another device set up, with its passphrase.
package struct JoinSync: Action {
  package static let name = "sync.join"
  package static let summary = "Syncs the library with a target that another device set up."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.create
  package static let parameters = SyncOffer.parameters + [SyncOffer.passphrase]
  package static let examples = [
    JoinSync(
      transport: "folder", address: "/home/ada/Sync/diple", device: "laptop",
      passphrase: "correct horse battery")
  ]

  package var transport: String
  package var address: String
  package var device: String?
  package var passphrase: String

  package init(transport: String, address: String, device: String? = nil, passphrase: String) {
    (self.transport, self.address, self.device) = (transport, address, device)
    self.passphrase = passphrase
  }

  package func run(in session: ActionSession) async throws -> SyncOutcome {
    let offer = try SyncOffer(transport, address, as: device)
    return SyncOutcome(
      report: try await session.library.joinSync(
        offer, passphrase: passphrase, try session.syncOptions()),
      folder: session.library.location.folder)
  }
}

/// Asks a device to let this one join a target.
package struct AskToJoin: Action {
  package static let name = "sync.ask"
  package static let summary = "Asks another device to let this one join, without a passphrase."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.create
  package static let parameters = SyncOffer.parameters
  package static let examples = [
    AskToJoin(transport: "folder", address: "/home/ada/Sync/diple", device: "laptop")
  ]

  package var transport: String
  package var address: String
  package var device: String?

  package init(transport: String, address: String, device: String? = nil) {
    (self.transport, self.address, self.device) = (transport, address, device)
  }

  /// The record `diple.sync-code/1`.
  package struct Outcome: ActionOutcome, Encodable {
    /// The code that the other device must show, too.
    package var code: String
    /// The folder of the library.
    package var library: String

    package var json: String { JSON.line("diple.sync-code/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(
      code: try await session.library.askToJoin(SyncOffer(transport, address, as: device)),
      library: session.library.location.folder)
  }
}

/// Lists the devices that ask this one to let them join.
package struct ListJoiningDevices: Action {
  package static let name = "sync.requests"
  package static let summary = "Lists the devices that ask to join, with the codes that they show."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.existing
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListJoiningDevices()]

  package init() {}

  package func run(in session: ActionSession) async throws -> JoiningDevicesOutcome {
    JoiningDevicesOutcome(
      devices: try await session.library.joiningDevices().map {
        JoiningDeviceRecord($0, isLetIn: false)
      })
  }
}

/// Lets in the device that shows a code.
package struct LetDeviceIn: Action {
  package static let name = "sync.admit"
  package static let summary = "Lets in a device that asks to join and shows a code."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter("code", .text, "The code that the new device shows.", isRequired: true)
  ]
  package static let examples = [LetDeviceIn(code: "12345 67890 12345")]

  package var code: String

  package init(code: String) { self.code = code }

  /// Lets in the device. The outcome has all devices that ask; none is let in if no code is equal.
  package func run(in session: ActionSession) async throws -> JoiningDevicesOutcome {
    var records: [JoiningDeviceRecord] = []
    for device in try await session.library.joiningDevices() {
      let isMeant = code.filter(\.isNumber) == device.code.filter(\.isNumber)
      if isMeant { try await session.library.letIn(device) }
      records.append(JoiningDeviceRecord(device, isLetIn: isMeant))
    }
    return JoiningDevicesOutcome(devices: records)
  }
}

/// Devices that ask to join.
package struct JoiningDevicesOutcome: ActionOutcome {
  package var devices: [JoiningDeviceRecord]

  package var json: String { JSON.line("diple.sync-pairing/1", devices) }
}

/// A device that asks to join, an element of `diple.sync-pairing/1`.
package struct JoiningDeviceRecord: Encodable, Sendable {
  package var id: String
  package var name: String
  package var code: String
  package var isLetIn: Bool

  fileprivate init(_ device: JoiningDevice, isLetIn: Bool) {
    (id, name, code) = (device.replica.description, device.name, device.code)
    self.isLetIn = isLetIn
  }
}

/// Stops syncing with a device.
package struct RevokeDevice: Action {
  package static let name = "sync.revoke"
  package static let summary = "Stops syncing with a device, and sets a new passphrase."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter(
      "device", .text, "The name or id of the device; the beginning of the id is enough.",
      isRequired: true),
    ActionParameter(
      "passphrase", .text,
      "The new passphrase, as the device may know the present one; when omitted, there is none."),
  ]
  package static let examples = [
    RevokeDevice(device: "old-laptop", passphrase: "correct horse battery")
  ]

  package var device: String
  package var passphrase: String?

  package init(device: String, passphrase: String? = nil) {
    (self.device, self.passphrase) = (device, passphrase)
  }

  package struct Outcome: ActionOutcome {
    package var device: SyncDeviceRecord
    /// The report of the sync.
    package var report: SyncReport

    package var json: String { JSON.line("diple.sync-device/1", device) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    if let passphrase { try SyncOffer.checkNew(passphrase) }
    let library = session.library
    var device = try SyncDevice.named(self.device, among: try await library.syncDevices())
    let report = try await library.revoke(
      device.replica, passphrase: passphrase, try session.syncOptions())
    device.isRevoked = true
    return Outcome(device: SyncDeviceRecord(device), report: report)
  }
}

extension SyncDevice {
  /// Returns the device with a name, or whose id begins with it (at least four characters). Devices
  /// that left or were revoked are found only if no other one matches.
  ///
  /// - Throws: `notFound` or `ambiguous` if no device or several match.
  package static func named(_ name: String, among devices: [SyncDevice]) throws(UserError)
    -> SyncDevice
  {
    let all = devices.filter {
      $0.name == name || name.count >= 4 && $0.replica.description.hasPrefix(name)
    }
    // A device that left and joined again usually has the same name.
    let present = all.filter { !$0.hasLeft && !$0.isRevoked }
    let found = present.isEmpty ? all : present
    guard let meant = found.first, found.count == 1 else {
      throw UserError(
        found.isEmpty ? .notFound : .ambiguous,
        found.isEmpty
          ? "no device '\(name)' is known here"
          : "'\(name)' matches \(found.count.counted("device"))",
        hint: found.isEmpty ? "\(action: SyncNow.name) finds those that joined just now" : nil,
        candidates: (found.isEmpty
          ? devices.filter { !$0.isOwn && !$0.hasLeft && !$0.isRevoked } : found).map {
            "\($0.replica.description.prefix(8)) \($0.name)"
          }
      ).about("device")
    }
    return meant
  }
}

/// Sets a new passphrase for the target.
package struct SetPassphrase: Action {
  package static let name = "sync.passphrase"
  package static let summary = "Sets a new passphrase, which new devices need to join."
  package static let effect = ActionEffect.administers
  package static let parameters = [SyncOffer.passphrase]
  package static let examples = [SetPassphrase(passphrase: "correct horse battery")]

  package var passphrase: String

  package init(passphrase: String) { self.passphrase = passphrase }

  package struct Outcome: ActionOutcome {
    package var place: SyncPlace
    /// The report of the sync.
    package var report: SyncReport

    /// The record `diple.sync-passphrase/1`.
    private struct Record: Encodable {
      var transport: String
      var address: String
      var vault: String
    }

    package var json: String {
      JSON.line(
        "diple.sync-passphrase/1",
        Record(transport: place.transport, address: place.address, vault: place.vault))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    try SyncOffer.checkNew(passphrase)
    let report = try await session.library.setPassphrase(passphrase, try session.syncOptions())
    return Outcome(place: try await session.library.syncStatus().place, report: report)
  }
}

/// Stops syncing on this device.
package struct LeaveSync: Action {
  package static let name = "sync.leave"
  package static let summary = "Stops syncing on this device; the history becomes empty."
  package static let effect = ActionEffect.administers
  package static let parameters: [ActionParameter] = []
  package static let examples = [LeaveSync()]

  package init() {}

  /// The record `diple.sync-left/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package var address: String
    /// The number of changes that were not sent.
    package var unsent: Int64
    /// Whether the other devices were informed.
    package var isStated: Bool

    package var json: String { JSON.line("diple.sync-left/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let address = try await session.library.syncStatus().place.address
    let (unsent, isStated) = try await session.library.leaveSync()
    return Outcome(address: address, unsent: unsent, isStated: isStated)
  }
}

/// Reads and checks everything at the target.
package struct VerifySync: Action {
  package static let name = "sync.verify"
  package static let summary = "Reads and checks everything at the target."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter(
      "acceptRemovals", .flag,
      "Applies missed removals even if they remove a large part of the library.")
  ]
  package static let examples = [VerifySync(acceptRemovals: true)]

  package var acceptRemovals: Bool?

  package init(acceptRemovals: Bool? = nil) { self.acceptRemovals = acceptRemovals }

  package struct Outcome: ActionOutcome {
    package var found: SyncVerification

    /// The record `diple.sync-verify/1`.
    private struct Record: Encodable {
      struct Device: Encodable {
        var name: String
        var state: String
        var records: [String]
      }

      var digest: String
      var files: Int
      var bytes: Int
      var problems: [String]
      var removed: Int
      var devices: [Device]
    }

    package var json: String {
      JSON.line(
        "diple.sync-verify/1",
        Record(
          digest: found.digest, files: found.files, bytes: found.bytes, problems: found.problems,
          removed: found.removed,
          devices: found.devices.map {
            Record.Device(name: $0.device, state: $0.result.rawValue, records: $0.records)
          }))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    var options = try session.syncOptions()
    options.removals = acceptRemovals ?? false
    return Outcome(found: try await session.library.verifySync(options))
  }
}

/// Lists all changes in the form in which they are sent, before they are encrypted. A front-end
/// that writes them immediately calls `Library.exportOperations` instead.
package struct ListSyncChanges: Action {
  package static let name = "sync.changes"
  package static let summary = "Lists all changes as they are sent, before encryption."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListSyncChanges()]

  package init() {}

  package struct Outcome: ActionOutcome {
    /// A JSON object for each change.
    package var changes: [String]

    /// A line for each change, in the envelope of `diple.sync-change/1`.
    package var json: String {
      changes.map { JSON.line("diple.sync-change/1", json: $0) }.joined(separator: "\n")
    }
  }

  private struct Limit: Error {}

  package func run(in session: ActionSession) async throws -> Outcome {
    let changes = Mutex<[String]>([])
    do {
      try await session.library.exportOperations { change in
        try changes.withLock { changes in
          guard changes.count < session.rowLimit else { throw Limit() }
          changes.append(change)
        }
      }
    } catch is Limit {}
    return Outcome(changes: changes.withLock { $0 })
  }
}

extension ActionSession {
  /// Returns the options of a sync according to the settings. Changes that need the user's consent
  /// are not accepted.
  func syncOptions() throws(UserError) -> SyncOptions {
    var options = SyncOptions()
    options.texts = try settings().isOn(.syncTexts)
    return options
  }
}

extension SyncOffer {
  fileprivate static let parameters = [
    ActionParameter(
      "transport", .text, "The transport: folder, git, webdav, rclone or postgres.",
      isRequired: true),
    ActionParameter("address", .text, "The folder, repository or address.", isRequired: true),
    ActionParameter(
      "device", .text, "The name of this device on the others; the host name when omitted."),
  ]
  fileprivate static let passphrase = ActionParameter(
    "passphrase", .text, "The passphrase.", isRequired: true)

  /// Creates the offer to sync with a target. The path of a folder becomes absolute.
  ///
  /// - Parameter name: the name of this device on the others; the host name if nil.
  /// - Throws: `usage` if the name is invalid.
  package init(_ transport: String, _ address: String, as name: String?) throws(UserError) {
    let name = name ?? Self.hostName
    guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= 200,
      name == name.sanitizedForTerminal
    else {
      throw UserError(
        .usage, "a device needs a name of 1 to 200 bytes without control characters"
      ).about("device")
    }
    self.init(transport: transport, address: address, device: name)
    if let folder { self.address = folder + address.drop { $0 != "?" } }
  }

  /// The absolute path of the folder, without the options after `?`; nil for other transports.
  fileprivate var folder: String? {
    transport == "folder" ? FileSystem.absolute(String(address.prefix { $0 != "?" })) : nil
  }

  private static var hostName: String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = buffer.count - 1
    let isKnown = buffer.withUnsafeMutableBytes {
      gethostname($0.bindMemory(to: CChar.self).baseAddress!, length) == 0
    }
    let name = isKnown ? String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) : ""
    return name.isEmpty ? "device" : name
  }

  /// Checks a new passphrase.
  ///
  /// - Throws: `usage` if it is shorter than 8 characters.
  package static func checkNew(_ passphrase: String) throws(UserError) {
    guard !passphrase.isEmpty else { throw UserError(.usage, "the passphrase is empty") }
    guard passphrase.count >= 8 else {
      throw UserError(.usage, "a passphrase needs at least 8 characters")
    }
  }
}
