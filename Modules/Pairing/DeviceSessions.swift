import FoundationEssentials
import Synchronization
package import SystemSupport

/// The paired devices of a running server. It pairs devices and identifies them by their tokens,
/// notices changes that other processes make to the list, and notifies the affected connections.
package final class DeviceSessions: Sendable {
  /// A change of a device, or of the list.
  package enum Event: Hashable, Sendable {
    /// The device is no longer paired.
    case revoked
    /// The device's permission, sent initially and after each change.
    case access(mayWrite: Bool)
    /// A device was added or removed, or a permission changed.
    case list
  }

  /// The result of an attempt to pair.
  package enum Outcome: Sendable {
    /// The device is paired. The token identifies it from now on.
    case paired(PairedDevice, token: String)
    /// The code wasn't valid.
    case refused(PairingCode.Outcome)
  }

  /// The minimum time in seconds between two writes that only update the last use of a device.
  private static let useInterval = 300.0

  private struct Watcher {
    /// The device to watch, or nil for the list.
    var device: String?
    var send: @Sendable (Event) -> Void
  }

  private struct State {
    var code = PairingCode()
    var devices: [PairedDevice] = []
    /// The file when it was last read, or nil if there was none.
    var file: FileFingerprint?
    var isRead = false
    var problem: UserError?
    var watchers: [Int: Watcher] = [:]
    var lastWatcher = 0
  }

  private let list: DeviceList
  private let state = Mutex(State())

  package init(_ list: DeviceList) { self.list = list }

  /// A name that distinguishes the cookies of this library from those of others.
  package var tag: String { list.tag }

  // MARK: - Pairing

  /// Returns a new code for pairing one device.
  ///
  /// - Parameter now: the time in milliseconds of `Clock.now`.
  package func newCode(now: Int = Clock.now) -> String {
    var generator = SystemRandomNumberGenerator()
    return state.withLock { $0.code.make(now: now, by: &generator) }
  }

  /// Pairs a device if its code is valid.
  ///
  /// - Parameters:
  ///   - name: the name that the device proposes; untrusted.
  ///   - client: the network address of the device.
  /// - Throws: ``UserError`` if the list is full or can't be written. The code is used up then.
  package func pair(
    _ code: String, as name: String, from client: String, now: Int = Clock.now
  ) throws(UserError) -> Outcome {
    let outcome = state.withLock { $0.code.take(code, from: client, now: now) }
    guard outcome == .right else { return .refused(outcome) }
    var generator = SystemRandomNumberGenerator()
    let (device, token) = try list.pair(name, now: .now, by: &generator)
    refresh()
    return .paired(device, token: token)
  }

  // MARK: - Identification

  /// Returns the device with a token, or nil if it isn't paired or its pairing has expired.
  package func device(withToken token: String) -> PairedDevice? {
    guard SecretText.isHexadecimal(token, digits: 64) else { return nil }
    refresh()
    let digest = PairedDevice.digest(token)
    let now = Date.now
    return state.withLock { state in
      // Compare all tokens completely, so that the time reveals nothing.
      state.devices.reduce(PairedDevice?.none) { found, device in
        SecretText.isSame(device.token, digest) && !device.isOver(now) ? device : found
      }
    }
  }

  /// Updates the last use of a device, at most every five minutes. Errors in writing the list are
  /// ignored.
  package func note(_ device: PairedDevice) {
    guard abs(Date.now.timeIntervalSince(device.used)) > Self.useInterval else { return }
    try? list.use(device.id, now: .now)
  }

  // MARK: - The list

  /// Returns all devices. Throws ``UserError`` if the list can't be read.
  package func devices() throws(UserError) -> [PairedDevice] { try list.devices(now: .now) }

  /// Sets whether a device may make changes. Throws ``UserError`` if the device is unknown or the
  /// list can't be written.
  package func allow(_ id: String, writing mayWrite: Bool) throws(UserError) -> PairedDevice {
    defer { refresh() }
    return try list.allow(id, writing: mayWrite, now: .now)
  }

  /// Removes a device and ends its connections. Throws ``UserError`` if the device is unknown or
  /// the list can't be written.
  package func revoke(_ id: String) throws(UserError) -> PairedDevice {
    defer { refresh() }
    return try list.revoke(id, now: .now)
  }

  /// The reason why the list can't be read, so that no device has access; nil if it can be read.
  package var problem: UserError? {
    refresh()
    return state.withLock { $0.problem }
  }

  /// Reads the list again if the file has changed, and notifies the affected watchers. Otherwise
  /// only checks the file's status.
  package func refresh() {
    // Get the status before reading, so that a concurrent write is noticed the next time.
    let file = list.path.flatMap { FileFingerprint($0) }
    let isKnown = state.withLock { $0.isRead && $0.file == file && $0.problem == nil }
    guard !isKnown else { return }
    var devices: [PairedDevice] = []
    var problem: UserError?
    do { devices = try list.devices(now: .now) } catch { problem = error }
    let calls = state.withLock { state in
      let before = state.devices
      (state.devices, state.file, state.isRead) = (devices, file, true)
      state.problem = problem
      return Self.calls(before, devices, state.watchers.values)
    }
    for call in calls { call() }
  }

  private static func calls(
    _ before: [PairedDevice], _ after: [PairedDevice], _ watchers: some Collection<Watcher>
  ) -> [() -> Void] {
    func access(_ devices: [PairedDevice]) -> [String: Bool] {
      Dictionary(uniqueKeysWithValues: devices.map { ($0.id, $0.mayWrite) })
    }
    let (old, new) = (access(before), access(after))
    guard old != new else { return [] }
    return watchers.compactMap { watcher in
      guard let id = watcher.device else { return { watcher.send(.list) } }
      guard let mayWrite = new[id] else { return { watcher.send(.revoked) } }
      return mayWrite == old[id] ? nil : { watcher.send(.access(mayWrite: mayWrite)) }
    }
  }

  // MARK: - Watching

  /// Calls `send` for each change of a device, and once at the start; or for each change of the
  /// list if `device` is nil.
  ///
  /// - Parameter send: called on any thread, possibly before this function returns.
  /// - Returns: the identifier for `endWatching(_:)`.
  package func watch(_ device: String?, send: @escaping @Sendable (Event) -> Void) -> Int {
    let (name, first) = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = Watcher(device: device, send: send)
      let known = state.devices.first { $0.id == device }
      return (
        state.lastWatcher,
        device == nil ? nil : known.map { Event.access(mayWrite: $0.mayWrite) } ?? .revoked
      )
    }
    if let first { send(first) }
    return name
  }

  /// Stops the calls for an identifier of `watch(_:send:)`.
  package func endWatching(_ name: Int) { state.withLock { $0.watchers[name] = nil } }

  /// Checks for changes by other processes until the task is cancelled.
  ///
  /// - Parameter period: the time between two checks in milliseconds.
  package func follow(every period: Int = 200) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(period))
      if state.withLock({ !$0.watchers.isEmpty }) { refresh() }
    }
  }
}
