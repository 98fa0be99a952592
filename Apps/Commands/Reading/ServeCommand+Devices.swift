import Actions
import ArgumentParser
import Console
import FoundationEssentials
import Model
import Pairing
import Rendering
import SystemSupport
import Workspace

extension ServeCommand {
  /// The argument that names a device.
  struct DeviceArgument: ParsableArguments {
    @Argument(help: "Name or id of the device; the beginning of the id is enough.") var device:
      String
  }

  /// The `serve devices` command. It fails with the code `nothing` if no device is paired.
  struct Devices: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "List the paired devices.",
      discussion: """
        Examples:
          diple serve devices
          diple serve devices --json
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListPairedDevices { ListPairedDevices() }

    func write(_ outcome: ListPairedDevices.Outcome, to context: CommandContext) {
      for device in outcome.devices {
        let access = device.mayWrite ? "read and write" : "read only"
        context.terminal.output.line(
          "\(device.id)  \(device.name.sanitizedForTerminal)  \(access)  "
            + "paired \(device.paired.localTimestamp)  last used \(device.used.localTimestamp)")
      }
    }

    func emptiness(of outcome: ListPairedDevices.Outcome, in context: CommandContext) throws
      -> Hint?
    {
      guard outcome.devices.isEmpty else { return nil }
      throw UserError(
        .nothing, "no device is paired",
        hint: "\(command: "serve", "--lan", "ADDRESS") shows how to pair one")
    }
  }

  /// The `serve allow` command. Its record is `diple.serve-device/1` with the new permission.
  struct Allow: ActionCommand {
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

    func request(in context: CommandContext) -> AllowDevice {
      AllowDevice(device: argument.device, readOnly: read)
    }

    func write(_ outcome: PairedDeviceOutcome, to context: CommandContext) {
      let what = outcome.device.mayWrite ? "may read and write" : "may only read"
      context.terminal.output.line("\(outcome.device.name.sanitizedForTerminal) \(what)")
    }
  }

  /// The `serve revoke` command. Its record is `diple.serve-device/1` with the revoked device.
  struct Revoke: ActionCommand {
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

    func request(in context: CommandContext) -> UnpairDevice {
      UnpairDevice(device: argument.device)
    }

    func write(_ outcome: PairedDeviceOutcome, to context: CommandContext) {
      context.terminal.output.line("revoked \(outcome.device.name.sanitizedForTerminal)")
    }
  }
}
