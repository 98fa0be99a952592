import Console
import Glibc
import Rendering
import SystemSupport

/// The terminal, or whatever started the server: it is told the address, asks for another, and ends it.
final class ServeConsole {
  private let server: WebServer
  private let path: String
  private let writesJSON: Bool

  private struct Record: Encodable {
    var address: String
    var port: Int
  }

  /// - Parameter path: of the page to begin with.
  init(_ server: WebServer, path: String, writesJSON: Bool) {
    (self.server, self.path, self.writesJSON) = (server, path, writesJSON)
  }

  /// Says the address.
  ///
  /// - Parameter opens: whether a browser is started too.
  func begin(opens: Bool) {
    // A new code replaces the one before, so the browser gets the one that is printed.
    let address = server.address(path)
    say(address)
    if !writesJSON {
      let output = Output.standardError
      output.line("The address is good for one minute, once. Enter prints a new one, Ctrl-C ends.")
      output.flush()
    }
    if opens { openBrowser(at: address) }
  }

  private func say(_ address: String) {
    let output = Output.standardOutput
    output.line(
      writesJSON
        ? JSON.line("diple.serve/1", Record(address: address, port: server.port)) : address)
    output.flush()
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
