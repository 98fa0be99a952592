import ArgumentParser
import Console
import FoundationEssentials
import Model
import Pairing
import Rendering
import SystemSupport
import Workspace

extension ServeCommand {
  /// A paired device, a record of the schema `diple.serve-device/1` and an element of
  /// `diple.serve-devices/1`.
  struct PairedDeviceRecord: Encodable {
    var id: String
    var name: String
    var mayWrite: Bool
    var paired: Date
    var used: Date

    init(_ device: PairedDevice) {
      (id, name, mayWrite) = (device.id, device.name, device.mayWrite)
      (paired, used) = (device.paired, device.used)
    }

    /// The device as a line of a list.
    var plain: String {
      let access = mayWrite ? "read and write" : "read only"
      return
        "\(id)  \(name.sanitizedForTerminal)  \(access)  paired \(paired.localTimestamp)"
        + "  last used \(used.localTimestamp)"
    }
  }

  /// The argument that names a device.
  struct DeviceArgument: ParsableArguments {
    @Argument(help: "Name or id of the device; the beginning of the id is enough.") var device:
      String

    func device(in list: DeviceList) throws(UserError) -> PairedDevice {
      try DeviceList.device(device, among: list.devices(now: .now))
    }
  }

  /// The `serve devices` command. It fails with the code `nothing` if no device is paired.
  struct Devices: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "List the paired devices.",
      discussion: """
        Examples:
          diple serve devices
          diple serve devices --json
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnly)
      let devices = try await library.deviceList().devices(now: .now).map(PairedDeviceRecord.init)
      context.answer(options, "diple.serve-devices/1", devices) {
        for device in devices { context.terminal.output.line(device.plain) }
      }
      if devices.isEmpty {
        throw UserError(
          .nothing, "no device is paired",
          hint: "\(command: "serve", "--lan", "ADDRESS") shows how to pair one")
      }
    }
  }

  /// The `serve allow` command. Its record is `diple.serve-device/1` with the new permission.
  struct Allow: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "allow",
      abstract: "Let a paired device make changes; with --read, only read.",
      discussion: """
        Open pages on the device change immediately. A device that may write can mark, write \
        notes, undo and format, which can change Markdown files.

        Examples:
          diple serve allow "Firefox on Android"
          diple serve allow 4f2a91c0 --read
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Let the device only read.") var read = false
    @OptionGroup var argument: DeviceArgument

    func run(in context: CommandContext) async throws {
      let list = try await context.libraries.library(options, .readOnly).deviceList()
      let device = try list.allow(
        try argument.device(in: list).id, writing: !read, now: .now)
      let what = device.mayWrite ? "may read and write" : "may only read"
      context.answer(
        options, "diple.serve-device/1", PairedDeviceRecord(device),
        plain: "\(device.name.sanitizedForTerminal) \(what)")
    }
  }

  /// The `serve revoke` command. Its record is `diple.serve-device/1` with the revoked device.
  struct Revoke: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "End the pairing of a device; its open pages end at once.",
      discussion: """
        The device can be paired again with a new code.

        Examples:
          diple serve revoke "Firefox on Android"
          diple serve revoke 4f2a91c0
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var argument: DeviceArgument

    func run(in context: CommandContext) async throws {
      let list = try await context.libraries.library(options, .readOnly).deviceList()
      let device = try list.revoke(try argument.device(in: list).id, now: .now)
      context.answer(
        options, "diple.serve-device/1", PairedDeviceRecord(device),
        plain: "revoked \(device.name.sanitizedForTerminal)")
    }
  }
}
