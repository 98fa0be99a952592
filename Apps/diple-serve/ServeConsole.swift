import Console
import Glibc
import Pairing
import Rendering
import SystemSupport

/// The terminal, or whatever started the server: it is told the address, asks for another, and ends it.
final class ServeConsole {
  private let server: WebServer
  private let path: String
  private let writesJSON: Bool
  private let terminal: Terminal

  private struct Record: Encodable {
    struct Network: Encodable {
      var address: String
      var code: String
      var link: String
    }

    var address: String
    var port: Int
    @Nullable var network: Network?
  }

  /// - Parameter path: of the page to begin with.
  init(_ server: WebServer, path: String, writesJSON: Bool, _ terminal: Terminal) {
    (self.server, self.path, self.writesJSON) = (server, path, writesJSON)
    self.terminal = terminal
  }

  /// Says the address.
  ///
  /// - Parameter opens: whether a browser is started too.
  func begin(opens: Bool) {
    // A new code replaces the one before, so the browser gets the one that is printed.
    let address = server.address(path)
    say(address, isFirst: true)
    if opens { openBrowser(at: address) }
  }

  /// Says something that happens meanwhile, in one line.
  @Sendable
  static func tell(_ news: Hint) {
    // It comes from any thread.
    let output = Output(descriptor: 2)
    output.line("diple: " + news.text(in: .shell).sanitizedForTerminal)
    output.flush()
  }

  /// Says where a browser begins.
  ///
  /// - Parameter isFirst: whether nothing was said yet.
  private func say(_ address: String, isFirst: Bool = false) {
    let pairing = server.pairing()
    let output = Output.standardOutput
    if writesJSON {
      let network = pairing.map {
        Record.Network(address: $0.address, code: $0.code, link: $0.link)
      }
      output.line(
        JSON.line(
          "diple.serve/1", Record(address: address, port: server.port, network: network)))
    } else {
      output.line(address)
    }
    output.flush()
    let errors = Output.standardError
    if isFirst, !writesJSON {
      let what = pairing == nil ? "a new one" : "new ones"
      errors.line("The address is good for one minute, once. Enter prints \(what), Ctrl-C ends.")
    }
    if isFirst, let network = server.network {
      errors.line(
        "Others on the network of \(network.host) can read what is sent there: it is not encrypted."
      )
    }
    if !writesJSON, let pairing { say(pairing, to: errors) }
    errors.flush()
  }

  /// Shows how a device on the network is paired.
  private func say(_ pairing: WebServer.Pairing, to output: Output) {
    output.line()
    var how = "On a phone or tablet, open"
    if output.isTerminal, let code = QRCode(pairing.link) {
      if code.width <= terminal.columns {
        let colors = ColorMode.detect(environment: terminal.environment, isTerminal: true)
        for line in code.lines(colors) { output.line(line) }
        output.line()
        how = "Scan this with a phone or tablet, or open there"
      } else {
        output.line("(A window of \(code.width) columns has room for a QR code.)")
      }
    }
    output.line("\(how) \(pairing.address)")
    output.line(
      "and enter \(PairingCode.spaced(pairing.code)). It pairs one device, within 5 minutes.")
    output.line()
  }

  /// Has the desktop open the page. The code is in a file that nobody else can read, and not in the
  /// words that start a program, which everybody on this machine can.
  private func openBrowser(at address: String) {
    let page = """
      <!doctype html><meta charset="utf-8"><meta http-equiv="refresh" \
      content="0; url=\(address)"><title>Diple</title>
      """
    do {
      let folder = try TemporaryFolder("serve")
      try folder.write(page.utf8, to: "open.html")
      opened = folder
      let file = folder.path.appending("open.html")
      guard try Program("xdg-open", [file]).run(output: .discarded) == 0 else {
        throw UserError(.plugin, "xdg-open could not open the page")
      }
    } catch {
      let output = Output.standardError
      output.line("diple: no browser was opened: \(error); use the address above")
      output.flush()
    }
  }

  /// The folder of the file that a browser opens; it goes with this.
  private var opened: TemporaryFolder?

  /// Waits for Enter, which prints a new address, until a signal comes.
  func run(until signals: ControlSignals) {
    // The process ends without giving anything back.
    defer { opened = nil }
    var hasInput = true
    while true {
      var inputs = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: hasInput ? 0 : -1, events: Int16(POLLIN), revents: 0),
      ]
      poll(&inputs, 2, -1)
      if !signals.take().isEmpty { return }
      guard inputs[1].revents != 0 else { continue }
      // In the background the terminal's lines are the shell's.
      if isatty(0) == 1, tcgetpgrp(0) != getpgrp() {
        usleep(200_000)
        continue
      }
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(0, &bytes, bytes.count)
      if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { hasInput = false }
      if count > 0, bytes[..<count].contains(10) { say(server.address("/")) }
    }
  }
}
