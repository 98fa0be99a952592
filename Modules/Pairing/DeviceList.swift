package import FoundationEssentials
import Glibc
package import Model
package import SystemSupport
package import Workspace

/// The paired devices of a library, in a file of this person's outside of the library: whoever made a
/// library, or has a copy of it, has let nobody in.
///
/// Each change is made under a lock, of the file as it is then, and replaces it as a whole.
package struct DeviceList: Sendable {
  /// The most devices.
  package static let most = 32

  /// The file; nil where this person has no folder for it.
  package let path: String?
  /// Tells the cookies of this library from those of another that is served at the same port.
  package let tag: String

  private struct Stored: Codable {
    var version: Int
    var devices: [PairedDevice]
  }

  /// The list of a library.
  ///
  /// - Parameter library: its identity among its copies.
  package init(_ library: ReplicaID, at location: LibraryLocation) {
    path = location.state.map { "\($0)/devices/\(library).json" }
    tag = "\(library)"
  }

  // MARK: - Reading

  /// All that are paired, in the order in which they came.
  ///
  /// - Throws: `damaged` for what was not written here, `conflict` for what cannot be read or is
  ///   somebody else's.
  package func devices(now: Date) throws(UserError) -> [PairedDevice] {
    try stored().filter { !$0.isOver(now) }
  }

  private func stored() throws(UserError) -> [PairedDevice] {
    let path = try requirePath()
    let content: [UInt8]?
    do throws(SystemFailure) {
      var status = stat()
      if lstat(path, &status) == 0, status.isWritableByOthers { throw SystemFailure(EPERM) }
      content = try PrivateFile.content(of: path)
    } catch {
      throw UserError(
        .conflict, "cannot read the paired devices in \(path): \(error)", hint: Self.hint)
    }
    guard let content else { return [] }
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(content)),
      stored.version == 1,
      stored.devices.count <= Self.most, stored.devices.allSatisfy(\.isValid),
      Set(stored.devices.map(\.id)).count == stored.devices.count
    else {
      throw UserError(.damaged, "the paired devices in \(path) cannot be read", hint: Self.hint)
    }
    return stored.devices
  }

  private static let hint: Hint = "remove the file, and pair the devices again"

  private func requirePath() throws(UserError) -> String {
    if let path { return path }
    throw UserError(
      .usage, "no folder for the paired devices: HOME is not set",
      hint: "set HOME or XDG_STATE_HOME")
  }

  // MARK: - Changing

  /// Changes the list, and gives what the change gave.
  ///
  /// - Throws: what the change throws, and as `devices`; `conflict` when the file cannot be written.
  package func change<Result>(
    now: Date, _ body: (inout [PairedDevice]) throws(UserError) -> Result
  ) throws(UserError) -> Result {
    let path = try requirePath()
    let lock: Int32
    do throws(SystemFailure) {
      try PrivateFile.makeFolder(path.parentFolder)
      lock = try PrivateFile.open(path + ".lock", O_RDWR | O_CREAT)
    } catch { throw Self.unwritable(path, error) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.unwritable(path, SystemFailure()) }
    }
    let before = try stored()
    var devices = before.filter { !$0.isOver(now) }
    let result = try body(&devices)
    guard devices != before else { return result }
    do {
      let bytes = Array(try JSONEncoder.ordered().encode(Stored(version: 1, devices: devices)))
      try AtomicReplacement.write(bytes, to: path, mode: 0o600)
    } catch { throw Self.unwritable(path, error) }
    return result
  }

  private static func unwritable(_ path: String, _ error: any Error) -> UserError {
    UserError(.conflict, "cannot write the paired devices to \(path): \(error)")
  }

  /// Pairs a device, which may only read.
  ///
  /// - Returns: the device, and the token by which it is known from now on.
  /// - Throws: `conflict` when there are too many.
  package func pair(
    _ name: String, now: Date, by generator: inout some RandomNumberGenerator
  ) throws(UserError) -> (device: PairedDevice, token: String) {
    let token = Secret.random(32, by: &generator)
    var device: PairedDevice?
    try change(now: now) { (devices) throws(UserError) in
      guard devices.count < Self.most else {
        throw UserError(
          .conflict, "\(Self.most) devices are paired already",
          hint: "\(command: "serve", "revoke", "DEVICE") makes room")
      }
      var made: PairedDevice
      repeat {
        made = PairedDevice(name, token: token, besides: devices, now: now, by: &generator)
      } while devices.contains { $0.id == made.id }
      devices.append(made)
      device = made
    }
    guard let device else { preconditionFailure("a list that did not change") }
    return (device, token)
  }

  /// Says of a device whether it may change things.
  package func allow(_ id: String, writing mayWrite: Bool, now: Date) throws(UserError)
    -> PairedDevice
  {
    try change(now: now) { (devices) throws(UserError) in
      guard let index = devices.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
      devices[index].mayWrite = mayWrite
      return devices[index]
    }
  }

  /// Has a device be unknown from now on.
  package func revoke(_ id: String, now: Date) throws(UserError) -> PairedDevice {
    try change(now: now) { (devices) throws(UserError) in
      guard let index = devices.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
      return devices.remove(at: index)
    }
  }

  /// Notes that a device was there.
  func use(_ id: String, now: Date) throws(UserError) {
    try change(now: now) { (devices) throws(UserError) in
      if let index = devices.firstIndex(where: { $0.id == id }) { devices[index].used = now }
    }
  }

  private static let unknown = UserError(.notFound, "no such device")

  /// The one device that a person means by its name or the beginning of its id.
  ///
  /// - Throws: `notFound`, and `ambiguous` for several: a device may call itself like another's id.
  package static func device(_ text: String, among devices: [PairedDevice]) throws(UserError)
    -> PairedDevice
  {
    let found = devices.filter { $0.name == text || text.count >= 4 && $0.id.hasPrefix(text) }
    if found.count == 1 { return found[0] }
    let named = { (device: PairedDevice) in "\(device.id) \(device.name)" }
    guard found.isEmpty else {
      throw UserError(
        .ambiguous, "'\(text)' means \(found.count) devices", candidates: found.map(named))
    }
    throw UserError(
      .notFound, "no paired device '\(text)'",
      hint: "\(command: "serve", "devices") lists them", candidates: devices.map(named))
  }
}

extension Library {
  /// The devices that may read the library over a network.
  package func deviceList() throws(UserError) -> DeviceList {
    DeviceList(try identity(), at: location)
  }
}
