import Actions
import Console
import Glibc
import Pairing
import Rendering
import SystemSupport

/// The terminal, or other program, that started the server. It prints the address, prints another
/// when the user presses Enter, and stops the server.
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

  /// - Parameter path: the path of the page whose address is printed.
  init(_ server: WebServer, path: String, writesJSON: Bool, _ terminal: Terminal) {
    (self.server, self.path, self.writesJSON) = (server, path, writesJSON)
    self.terminal = terminal
  }

  /// Prints the address.
  ///
  /// - Parameter opens: whether to open it in a browser too.
  func begin(opens: Bool) {
    // A new code replaces the previous one, so the browser must use the printed one.
    let address = server.address(path)
    show(address, isFirst: true)
    if opens { openBrowser(at: address) }
  }

  /// Prints a message on one line.
  @Sendable
  static func notify(_ hint: Hint) {
    // This function may be called on any thread, so create a separate output.
    let output = Output(descriptor: 2)
    output.line("diple: " + hint.text(in: .shell).sanitizedForTerminal)
    output.flush()
  }

  /// Prints the address for a browser, and the code for pairing a device.
  ///
  /// - Parameter isFirst: whether to print the explanations too.
  private func show(_ address: String, isFirst: Bool = false) {
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
      errors.line("The address is valid once, for one minute. Enter prints \(what), Ctrl-C ends.")
    }
    if isFirst, let network = server.network {
      errors.line(
        "Others on the network of \(network.host) can read the traffic: it is not encrypted."
      )
    }
    if !writesJSON, let pairing { show(pairing, to: errors) }
    errors.flush()
  }

  /// Prints how to pair a device on the network.
  private func show(_ pairing: WebServer.Pairing, to output: Output) {
    output.line()
    var how = "On a phone or tablet, open"
    if output.isTerminal, let code = QRCode(pairing.link) {
      if code.width <= terminal.columns {
        let colors = ColorMode.detect(environment: terminal.environment, isTerminal: true)
        for line in code.lines(colors) { output.line(line) }
        output.line()
        how = "Scan this with a phone or tablet, or open on it"
      } else {
        output.line("(Widen the window to \(code.width) columns to see a QR code.)")
      }
    }
    output.line("\(how) \(pairing.address)")
    output.line(
      "and enter \(PairingCode.spaced(pairing.code)). It pairs one device, within 5 minutes.")
    output.line()
  }

  /// Opens the address in the desktop's browser. The code is in a file that only the user can read,
  /// not in the arguments of a program, which are visible to all users.
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

  /// The folder of the file that the browser opens. Setting this to nil deletes the folder.
  private var opened: TemporaryFolder?

  /// Prints a new address whenever the user presses Enter, until a signal arrives.
  func run(until signals: ControlSignals) {
    // The process exits without running deinitializers.
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
      // In the background, the terminal's input belongs to the shell.
      if isatty(0) == 1, tcgetpgrp(0) != getpgrp() {
        usleep(200_000)
        continue
      }
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(0, &bytes, bytes.count)
      if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { hasInput = false }
      if count > 0, bytes[..<count].contains(10) { show(server.address(path)) }
    }
  }
}
