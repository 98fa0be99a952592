package import FoundationEssentials
package import Pairing
import SystemSupport
package import Workspace

/// Lists the devices that may read the library over a network.
package struct ListPairedDevices: Action {
  package static let name = "device.list"
  package static let summary = "Lists the devices that are paired with `diple serve`."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListPairedDevices()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var devices: [PairedDevice]

    package var json: String {
      JSON.line("diple.serve-devices/1", devices.map(PairedDeviceRecord.init))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(devices: try await session.library.deviceList().devices(now: .now))
  }
}

/// Sets whether a paired device may make changes.
package struct AllowDevice: Action {
  package static let name = "device.allow"
  package static let summary = "Sets whether a paired device may make changes."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters = [
    PairedDeviceOutcome.device,
    ActionParameter("readOnly", .flag, "Lets the device only read."),
  ]
  package static let examples = [AllowDevice(device: "4f2a91c0", readOnly: true)]

  package var device: String
  package var readOnly: Bool?

  package init(device: String, readOnly: Bool? = nil) {
    (self.device, self.readOnly) = (device, readOnly)
  }

  package func run(in session: ActionSession) async throws -> PairedDeviceOutcome {
    let list = try await session.library.deviceList()
    return PairedDeviceOutcome(
      device: try list.allow(
        list.device(named: device).id, writing: readOnly != true, now: .now))
  }
}

/// Ends the pairing of a device.
package struct UnpairDevice: Action {
  package static let name = "device.revoke"
  package static let summary = "Ends the pairing of a device; its open pages end at once."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters = [PairedDeviceOutcome.device]
  package static let examples = [UnpairDevice(device: "4f2a91c0")]

  package var device: String

  package init(device: String) { self.device = device }

  package func run(in session: ActionSession) async throws -> PairedDeviceOutcome {
    let list = try await session.library.deviceList()
    return PairedDeviceOutcome(
      device: try list.revoke(list.device(named: device).id, now: .now))
  }
}

/// A paired device after an action.
package struct PairedDeviceOutcome: ActionOutcome {
  package var device: PairedDevice

  fileprivate static let device = ActionParameter(
    "device", .text, "The name or id of the device; the beginning of the id is enough.",
    isRequired: true)

  package var json: String { JSON.line("diple.serve-device/1", PairedDeviceRecord(device)) }
}

/// A paired device, a record of the schema `diple.serve-device/1` and an element of
/// `diple.serve-devices/1`.
package struct PairedDeviceRecord: Encodable {
  package var id: String
  package var name: String
  package var mayWrite: Bool
  package var paired: Date
  package var used: Date

  package init(_ device: PairedDevice) {
    (id, name, mayWrite) = (device.id, device.name, device.mayWrite)
    (paired, used) = (device.paired, device.used)
  }
}

extension DeviceList {
  /// Returns the device with a name, or whose id begins with it.
  ///
  /// - Throws: `notFound` or `ambiguous` if no device or several match.
  fileprivate func device(named name: String) throws(UserError) -> PairedDevice {
    do throws(UserError) { return try Self.device(name, among: devices(now: .now)) } catch {
      throw error.about("device")
    }
  }
}
