import FoundationEssentials
package import Model
import Storage
import Sync
package import SystemSupport
package import Workspace

/// A new device that asks to join the vault.
package struct JoiningDevice: Sendable {
  package var name: String
  /// The replica that the device writes as.
  package var replica: ReplicaID
  /// The code that both devices must display, 15 digits in groups of five.
  package var code: String
  let request: JoinRequest
  let object: ObjectName
}

/// Joins a vault by pairing: both devices display a code, which the user compares.
extension Library {
  /// Uploads a request to join the vault at a target. It is addressed to the device that issued the
  /// last epoch.
  ///
  /// - Returns: the code that the addressed device must display.
  /// - Throws: `conflict` if the library is synced already; `notFound` if the target contains no
  ///   vault; `usage` if the target is a folder in the library; the error of the transport.
  package func askToJoin(_ offer: SyncOffer) async throws(UserError) -> String {
    let lock = try await lockSync()
    defer { lock.unlock() }
    let replica = try await prepareJoining(offer)
    let connection = try await connect(offer.transport, offer.address)
    return try await closing(connection) { () async throws(UserError) in
      let (vault, records) = try await epochs(connection, at: offer)
      guard let newest = Self.ends(records).first else { throw Self.noVault(offer) }
      let device = DeviceKeys.random()
      let record = DeviceRecord(
        replica: replica, name: offer.device, publicKeys: device.publicKeys,
        created: now().milliseconds)
      let request = try Self.sealing {
        try JoinRequest(device: record).sealed(
          vault: vault, to: newest.issuerKeys, device: device)
      }
      let code = try Self.sealing {
        try ComparisonCode(
          vault: vault, member: newest.issuerKeys, device: device.publicKeys
        ).description
      }
      try SyncSecrets(device: device, vault: nil).write(replica, at: location)
      do throws(TransportError) {
        try await connection.put([TransportObject(request.object, request.bytes)])
      } catch {
        throw UserError(error)
      }
      var place = place(offer, vault)
      place.since = record.created
      place.asked = newest.issuerKeys.description
      try setSyncPlace(place)
      return code
    }
  }

  /// Returns the devices that ask this one to join. Invalid requests are skipped.
  ///
  /// - Throws: `nothing` if no device asks this one, or if this device is not admitted yet itself.
  ///   If a device asks another member, the message names that member. Also throws the error of the
  ///   transport.
  package func joiningDevices() async throws(UserError) -> [JoiningDevice] {
    let place = try requireSyncPlace()
    guard place.asked == nil else {
      throw UserError(
        .nothing, "this device was not let in yet, so it cannot let in others",
        hint: "run \(action: "sync.admit") on the device that set up syncing")
    }
    let lock = try await lockSync()
    defer { lock.unlock() }
    var session = try await openSession(place)
    var found: [JoiningDevice] = []
    var others = 0
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      for name in session.listing.keys.sorted() where name.syncFile?.kind == .request {
        guard session.devices[name.replica] == nil,
          let bytes = try await session.get(name, limit: 1 << 16)
        else { continue }
        guard let request = try? JoinRequest(bytes, named: name, member: session.secrets.device)
        else {
          others += 1
          continue
        }
        let code = try Self.sealing {
          try ComparisonCode(
            vault: session.vault, member: session.secrets.device.publicKeys,
            device: request.device.publicKeys
          ).description
        }
        found.append(
          JoiningDevice(
            name: request.device.name, replica: request.device.replica, code: code,
            request: request, object: name))
      }
    }
    guard found.isEmpty else { return found }
    if others > 0, let asked = session.epochs?.records.last?.issuer, asked != session.replica {
      throw UserError(
        .nothing, "the device that wants to join asks \(session.deviceName(asked)), not this one",
        hint: "run \(action: "sync.admit") on \(session.deviceName(asked))")
    }
    throw UserError(
      .nothing, "no device asks this one to join",
      hint: """
        run \(action: "sync.ask", [
          "transport": .asked("transport"), "address": .asked("address"),
        ]) on the new device; it asks \
        the device that set up syncing, or that last revoked a device or set a passphrase
        """)
  }

  /// Admits a device by sending it the keys of the vault. The user must have compared the codes.
  ///
  /// - Throws: `conflict` if the keys cannot be sealed; the error of the transport.
  package func letIn(_ device: JoiningDevice) async throws(UserError) {
    let lock = try await lockSync()
    defer { lock.unlock() }
    var session = try await openSession(try requireSyncPlace())
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      let grant = try Self.sealing {
        try JoinGrant.seal(
          session.keys, to: device.request, approver: session.replica,
          device: session.secrets.device)
      }
      try await session.put([TransportObject(grant.object, grant.bytes)])
    }
  }

  /// Stores the keys from the grant of the addressed member.
  ///
  /// - Returns: the new sync configuration, without `asked`.
  /// - Throws: `nothing` if the grant has not arrived yet; `damaged` if the stored configuration is
  ///   invalid; the error of the transport.
  func takeGrant(_ place: SyncPlace) async throws(UserError) -> SyncPlace {
    let replica = try ownReplica()
    var secrets = try requireSecrets()
    guard let asked = place.asked.flatMap({ DevicePublicKeys($0) }),
      let vault = VaultID(place.vault)
    else { throw UserError(.damaged, "the stored description of the vault cannot be read") }
    let connection = try await connect(place)
    let granted = try await closing(connection) { () async throws(UserError) -> VaultKeys? in
      let listing: TransportListing
      do throws(TransportError) { listing = try await connection.list(since: nil) } catch {
        throw UserError(error)
      }
      for entry in listing.entries
      where entry.name.vault == vault && entry.name.syncFile?.kind == .grant(replica) {
        let bytes: [UInt8]?
        do throws(TransportError) {
          bytes = try await connection.get(entry.name, limit: 1 << 20)
        } catch {
          throw UserError(error)
        }
        if let bytes,
          let grant = try? JoinGrant(
            bytes, named: entry.name, replica: replica, device: secrets.device, approver: asked)
        {
          // The request is obsolete. A failure to delete it does no harm.
          let requests = listing.entries.map(\.name).filter {
            $0.vault == vault && $0.replica == replica && $0.syncFile?.kind == .request
          }
          try? await connection.delete(requests)
          return grant.keys
        }
      }
      return nil
    }
    if let granted {
      secrets.vault = granted
      try secrets.write(replica, at: location)
      var place = place
      place.asked = nil
      try setSyncPlace(place)
      return place
    }
    throw UserError(
      .nothing, "this device was not let in yet",
      hint:
        """
        run \(action: "sync.admit") on the device that set up syncing, or that last revoked a \
        device or set a passphrase; compare the codes, then sync again
        """)
  }
}
