import Model
import Storage
import Sync
import SystemSupport

/// The records by which devices know each other and the keys, where the target has lost them: each that
/// was read is kept here, and others cannot do without it.
extension Library {
  /// The records that are kept here and are not at the target, of all devices.
  ///
  /// - Parameter there: what is at the target.
  func lostRecords(_ vault: VaultID, _ there: some Sequence<ObjectName>) throws(UserError)
    -> [TransportObject]
  {
    let there = Set(there)
    // One that was sealed again has another name, and says the same.
    let known = Set(there.filter { $0.syncFile?.kind == .device }.map(\.replica))
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "record/") } }
    return stored.compactMap { name, bytes -> TransportObject? in
      guard let name = ObjectName(name), name.vault == vault, !there.contains(name),
        name.syncFile?.kind != .device || !known.contains(name.replica)
      else { return nil }
      return TransportObject(name, bytes)
    }.sorted { $0.name < $1.name }
  }

  /// Puts the keys that this device gave out back to a target that has lost them.
  func restoreRecords(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let lost = try lostRecords(session.vault, session.listing.keys).filter {
      // The record of the device itself is sealed anew where it is lost.
      $0.name.replica == session.replica && $0.name.syncFile?.kind != .device
    }
    guard !lost.isEmpty else { return }
    try await put(lost, &session)
    report.notices.append(
      "keys of the vault were missing at the target: this device has sent them again")
  }
}
