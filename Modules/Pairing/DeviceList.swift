package import FoundationEssentials
import Glibc
package import Model
package import SystemSupport
package import Workspace

/// The paired devices of a library, stored in the user's state folder and not in the library. A
/// copied or foreign library therefore has no paired devices.
///
/// ```swift
/// let list = try library.deviceList()
/// for device in try list.devices(now: .now) { print(device.name) }
/// ```
///
/// Every change reads the current file under a lock and replaces it atomically.
package struct DeviceList: Sendable {
  /// The maximum number of devices.
  package static let most = 32

  /// The path of the file, or nil if the user has no state folder.
  package let path: String?
  /// A name that distinguishes the cookies of this library from those of others at the same port.
  package let tag: String

  private struct Stored: Codable {
    var version: Int
    var devices: [PairedDevice]
  }

  /// Creates the list of a library. Nothing is read yet.
  ///
  /// - Parameter library: the identity of this replica of the library.
  package init(_ library: ReplicaID, at location: LibraryLocation) {
    path = location.state.map { "\($0)/devices/\(library).json" }
    tag = "\(library)"
  }

  // MARK: - Reading

  /// Returns the paired devices in the order of their pairing, without expired ones.
  ///
  /// - Throws: ``UserError`` with the code `damaged` for invalid contents, `conflict` if the file
  ///   can't be read or other users can write it, `usage` if there is no state folder.
  package func devices(now: Date) throws(UserError) -> [PairedDevice] {
    try stored().filter { !$0.isOver(now) }
  }

  private func stored() throws(UserError) -> [PairedDevice] {
    let path = try requirePath()
    let content: [UInt8]?
    do throws(SystemCallError) {
      var status = stat()
      if lstat(path, &status) == 0, status.isWritableByOthers { throw SystemCallError(EPERM) }
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

  /// Changes the list and returns the result of `body`.
  ///
  /// - Throws: ``UserError`` from `body` or as `devices(now:)` does, or with the code `conflict` if
  ///   the file can't be written. The list is unchanged then.
  package func change<Result>(
    now: Date, _ body: (inout [PairedDevice]) throws(UserError) -> Result
  ) throws(UserError) -> Result {
    let path = try requirePath()
    let lock: Int32
    do throws(SystemCallError) {
      try PrivateFile.makeFolder(path.parentFolder)
      lock = try PrivateFile.open(path + ".lock", O_RDWR | O_CREAT)
    } catch { throw Self.unwritable(path, error) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.unwritable(path, SystemCallError()) }
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

  /// Pairs a device with permission only to read.
  ///
  /// - Returns: the device, and the token that identifies it from now on.
  /// - Throws: ``UserError`` with the code `conflict` if `most` devices are paired, or as
  ///   `change(now:_:)` does.
  package func pair(
    _ name: String, now: Date, by generator: inout some RandomNumberGenerator
  ) throws(UserError) -> (device: PairedDevice, token: String) {
    let token = SecretText.random(32, by: &generator)
    var device: PairedDevice?
    try change(now: now) { (devices) throws(UserError) in
      guard devices.count < Self.most else {
        throw UserError(
          .conflict, "\(Self.most) devices are paired already",
          hint: "\(action: "device.revoke", ["device": .asked("device")]) makes room")
      }
      var made: PairedDevice
      repeat {
        made = PairedDevice(name, token: token, besides: devices, now: now, by: &generator)
      } while devices.contains { $0.id == made.id }
      devices.append(made)
      device = made
    }
    guard let device else { preconditionFailure("the list did not change") }
    return (device, token)
  }

  /// Sets whether a device may make changes. Throws ``UserError`` with the code `notFound` if the
  /// device is unknown, or as `change(now:_:)` does.
  package func allow(_ id: String, writing mayWrite: Bool, now: Date) throws(UserError)
    -> PairedDevice
  {
    try change(now: now) { (devices) throws(UserError) in
      guard let index = devices.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
      devices[index].mayWrite = mayWrite
      return devices[index]
    }
  }

  /// Removes a device, whose token is then invalid. Throws ``UserError`` with the code `notFound`
  /// if the device is unknown, or as `change(now:_:)` does.
  package func revoke(_ id: String, now: Date) throws(UserError) -> PairedDevice {
    try change(now: now) { (devices) throws(UserError) in
      guard let index = devices.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
      return devices.remove(at: index)
    }
  }

  /// Updates the last use of a device. Does nothing if it is unknown. Throws ``UserError`` as
  /// `change(now:_:)` does.
  func use(_ id: String, now: Date) throws(UserError) {
    try change(now: now) { (devices) throws(UserError) in
      if let index = devices.firstIndex(where: { $0.id == id }) { devices[index].used = now }
    }
  }

  private static let unknown = UserError(.notFound, "no such device")

  /// Returns the device whose name is the text, or whose id begins with it. The beginning of an id
  /// must have at least four characters.
  ///
  /// - Throws: ``UserError`` with the code `notFound`, or `ambiguous` if several match: the name of
  ///   one device can equal the id of another.
  package static func device(_ text: String, among devices: [PairedDevice]) throws(UserError)
    -> PairedDevice
  {
    let found = devices.filter { $0.name == text || text.count >= 4 && $0.id.hasPrefix(text) }
    if found.count == 1 { return found[0] }
    let named = { (device: PairedDevice) in "\(device.id) \(device.name)" }
    guard found.isEmpty else {
      throw UserError(
        .ambiguous, "'\(text)' matches \(found.count) devices", candidates: found.map(named))
    }
    throw UserError(
      .notFound, "no paired device '\(text)'",
      hint: "\(action: "device.list") lists them", candidates: devices.map(named))
  }
}

extension Library {
  /// Returns the list of the devices that may read the library over a network. Throws ``UserError``
  /// if the library's identity can't be read.
  package func deviceList() throws(UserError) -> DeviceList {
    DeviceList(try identity(), at: location)
  }
}
