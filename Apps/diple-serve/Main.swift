import ArgumentParser
import Console
import Glibc
import Model
import Pairing
import Rendering
import SystemSupport
import WebReader
import Workspace

/// The program `diple-serve`, which serves the reader to browsers. `diple serve` starts it.
@main
struct ServeProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diple-serve", abstract: "Serve the library to a browser on this machine.",
    discussion: "`diple serve` starts it. Example: diple-serve --open")

  @OptionGroup var options: GlobalOptions
  @Option(help: "Port; 0 for any free port.") var port: Int?
  @Option(help: "Address of this machine at which devices on its network can be paired.")
  var lan: String?
  @Flag(help: "Open the page with xdg-open.") var open = false
  @Argument(help: "Document to begin with, by its id.") var doc: String?

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let words = parseOrExit()
    let context = CommandContext.standard()
    do {
      guard let signals = ControlSignals() else {
        throw UserError(.conflict, "the system has no descriptors left")
      }
      let library = try context.libraries.library(words.options, .readOnly)
      let network = try words.lan.map { (text) throws(UserError) in try NetworkAddress(text) }
      let devices = DeviceSessions(try await library.deviceList())
      if network != nil, let problem = devices.problem { throw problem }
      let server = try await WebServer(
        library, port: words.port, network: network, devices, notify: ServeConsole.notify)
      let console = ServeConsole(
        server, path: words.doc.map { "/d/\($0)" } ?? "/", writesJSON: words.options.json,
        context.terminal)
      console.begin(opens: words.open)
      console.run(until: signals)
      Glibc.exit(0)
    } catch let error as UserError {
      end(error.withCommand.description(in: .shell), code: error.code.exitCode)
    } catch {
      end("\(error)", code: 6)
    }
  }
}
