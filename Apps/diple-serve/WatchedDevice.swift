import NIOCore
import Pairing

/// The connection of a paired device: it ends when the device is revoked.
final class WatchedDevice: Sendable {
  let id: String
  private let devices: DeviceDesk
  private let name: Int

  init(_ id: String, _ devices: DeviceDesk, _ channel: any Channel) {
    (self.id, self.devices) = (id, devices)
    name = devices.watch(id) { event in
      if event == .revoked { channel.close(promise: nil) }
    }
  }

  /// The connection is gone, or somebody else's now.
  func end() { devices.endWatching(name) }
}
