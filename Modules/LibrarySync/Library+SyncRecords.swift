import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Restores records of devices and keys that the target has lost. For this, every record that was
/// read is stored locally.
extension Library {
  /// Returns the stored records of all devices that are missing at the target, sorted by name.
  ///
  /// - Parameters:
  ///   - vault: the vault.
  ///   - there: the names of the objects at the target.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func lostRecords(_ vault: VaultID, _ there: some Sequence<ObjectName>) throws(UserError)
    -> [TransportObject]
  {
    let there = Set(there)
    // A device record that was encrypted again has a different name but the same content.
    let known = Set(there.filter { $0.syncFile?.kind == .device }.map(\.replica))
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "record/") } }
    return stored.compactMap { name, bytes -> TransportObject? in
      guard let name = ObjectName(name), name.vault == vault, !there.contains(name),
        name.syncFile?.kind != .device || !known.contains(name.replica)
      else { return nil }
      return TransportObject(name, bytes)
    }.sorted { $0.name < $1.name }
  }

  /// Uploads the key records that this device issued and the target has lost.
  ///
  /// - Throws: the error of the transport if the records cannot be uploaded.
  func restoreRecords(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let lost = try lostRecords(session.vault, session.listing.keys).filter {
      // `pushDeviceRecord` encrypts and uploads a lost device record.
      $0.name.replica == session.replica && $0.name.syncFile?.kind != .device
    }
    guard !lost.isEmpty else { return }
    try await put(lost, &session)
    report.notices.append(
      "keys of the vault were missing at the target: this device has sent them again")
  }
}
