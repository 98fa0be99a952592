import FoundationEssentials
import Synchronization
package import SystemSupport

/// The paired devices as a running server knows them: it lets them in, sees what other processes change in
/// their list, and tells those who are connected.
package final class DeviceDesk: Sendable {
  /// Something that concerns a device, or the list of all.
  package enum Event: Hashable, Sendable {
    /// The device is not paired any more.
    case revoked
    /// What the device may do.
    case access(mayWrite: Bool)
    /// A device came or went, or may do something else.
    case list
  }

  /// What became of an attempt to pair.
  package enum Outcome: Sendable {
    /// The device is paired and has its token.
    case paired(PairedDevice, token: String)
    /// The code was not the right one.
    case refused(PairingCode.Outcome)
  }

  /// How often the list is written only because a device was there, in seconds.
  private static let useInterval = 300.0

  private struct Watcher {
    /// Nil for the list.
    var device: String?
    var send: @Sendable (Event) -> Void
  }

  private struct State {
    var code = PairingCode()
    var devices: [PairedDevice] = []
    /// The file as it was read last; nil where there was none.
    var file: FileFingerprint?
    var isRead = false
    var problem: UserError?
    var watchers: [Int: Watcher] = [:]
    var lastWatcher = 0
  }

  private let list: DeviceList
  private let state = Mutex(State())

  /// The devices of a list.
  package init(_ list: DeviceList) { self.list = list }

  /// Tells the cookies of this library from those of another.
  package var tag: String { list.tag }

  // MARK: - Pairing

  /// A code with which one device can be paired.
  ///
  /// - Parameter now: milliseconds by `Clock.now`.
  package func newCode(now: Int = Clock.now) -> String {
    var generator = SystemRandomNumberGenerator()
    return state.withLock { $0.code.make(now: now, by: &generator) }
  }

  /// Pairs a device that gives a code.
  ///
  /// - Parameter name: what it calls itself, whatever that is.
  /// - Throws: when the list cannot be written; the code is used up then.
  package func pair(_ code: String, as name: String, now: Int = Clock.now) throws(UserError)
    -> Outcome
  {
    let outcome = state.withLock { $0.code.take(code, now: now) }
    guard outcome == .right else { return .refused(outcome) }
    var generator = SystemRandomNumberGenerator()
    let (device, token) = try list.pair(name, now: .now, by: &generator)
    refresh()
    return .paired(device, token: token)
  }

  // MARK: - Who is who

  /// The device with a token; nil for one that is not paired, or not any more.
  package func device(withToken token: String) -> PairedDevice? {
    guard Secret.isHexadecimal(token, digits: 64) else { return nil }
    refresh()
    let digest = PairedDevice.digest(token)
    let now = Date.now
    return state.withLock { state in
      // All are compared, and wholly, so that how long it takes tells nothing.
      state.devices.reduce(PairedDevice?.none) { found, device in
        Secret.isSame(device.token, digest) && !device.isOver(now) ? device : found
      }
    }
  }

  /// Notes that a device was there, unless that was done a moment ago. A list that cannot be written stays
  /// as it is.
  package func note(_ device: PairedDevice) {
    guard abs(Date.now.timeIntervalSince(device.used)) > Self.useInterval else { return }
    try? list.use(device.id, now: .now)
  }

  // MARK: - The list

  /// All devices.
  package func devices() throws(UserError) -> [PairedDevice] { try list.devices(now: .now) }

  /// Says of a device whether it may change things.
  package func allow(_ id: String, writing mayWrite: Bool) throws(UserError) -> PairedDevice {
    defer { refresh() }
    return try list.allow(id, writing: mayWrite, now: .now)
  }

  /// Has a device be unknown from now on, and ends its connections.
  package func revoke(_ id: String) throws(UserError) -> PairedDevice {
    defer { refresh() }
    return try list.revoke(id, now: .now)
  }

  /// Why nobody is let in; nil where the list can be read.
  package var problem: UserError? {
    refresh()
    return state.withLock { $0.problem }
  }

  /// Reads the list if it is another one now, and tells those whom that concerns. It costs a look at the
  /// file's status.
  package func refresh() {
    // Before it is read: what is written meanwhile is seen the next time.
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

  /// Tells of what happens to a device, the first at once; or to the list, for nil.
  ///
  /// - Parameter send: is called on any thread, also during this call.
  /// - Returns: a name for `endWatching`.
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

  /// Ends it.
  package func endWatching(_ name: Int) { state.withLock { $0.watchers[name] = nil } }

  /// Sees what other processes change, as long as the task runs.
  ///
  /// - Parameter period: how often it is looked, in milliseconds.
  package func follow(every period: Int = 200) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(period))
      if state.withLock({ !$0.watchers.isEmpty }) { refresh() }
    }
  }
}
