import ArgumentParser
import Console
import DaemonKit
import Glibc
import SystemSupport
import Workspace

extension DaemonCommand {
  /// The `daemon stop` command. It waits until the daemon has ended.
  struct Stop: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Stop the daemon, after it has processed pending changes.",
      discussion: """
        Example:
          diple daemon stop
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .readOnly).location
      guard let daemon = DaemonClient(location) else {
        throw await UserError.noDaemon(location, context)
      }
      _ = try daemon.ask(.stop)
      while try daemon.takeEvents() != nil { usleep(5_000) }
      context.show(nil, options) { _ in "stopped" }
    }
  }
}
