import NIOCore
import Pairing

/// Closes the connection of a paired device when the device is revoked.
final class WatchedDevice: Sendable {
  let id: String
  private let devices: DeviceSessions
  private let name: Int

  init(_ id: String, _ devices: DeviceSessions, _ channel: any Channel) {
    (self.id, self.devices) = (id, devices)
    name = devices.watch(id) { event in
      if event == .revoked { channel.close(promise: nil) }
    }
  }

  /// Stops watching, after the connection was closed or is used by another device.
  func end() { devices.endWatching(name) }
}
