import DaemonKit
import FoundationEssentials
import Glibc
import SystemSupport
import Workspace

/// A way to the clipboard.
package enum Clipboard: String, CaseIterable {
  /// The escape sequence by which a terminal takes a text over, also from another machine.
  case osc52
  case wlCopy = "wl-copy"
  case xclip
  case xsel

  /// The most bytes that go through a terminal: xterm's limit for the encoded text.
  package static let terminalLimit = 74_994

  /// What the environment offers, the best first.
  package static func found(in environment: [String: String], hasTerminal: Bool) -> [Clipboard] {
    func has(_ program: String) -> Bool {
      (environment["PATH"] ?? "").split(separator: ":").contains {
        access("\($0)/\(program)", X_OK) == 0
      }
    }
    var found: [Clipboard] = []
    if environment["WAYLAND_DISPLAY"]?.isEmpty == false, has("wl-copy") { found.append(.wlCopy) }
    if environment["DISPLAY"]?.isEmpty == false {
      if has("xclip") { found.append(.xclip) }
      if has("xsel") { found.append(.xsel) }
    }
    // On another machine its windows' clipboard is not the one of the person.
    let isRemote = environment["SSH_TTY"]?.isEmpty == false
    if hasTerminal { found.insert(.osc52, at: isRemote ? 0 : found.count) }
    return found
  }

  /// The command that takes the text on its standard input; nil for a terminal.
  private var command: String? {
    switch self {
    case .osc52: nil
    case .wlCopy: "wl-copy"
    // What stays in the background must not hold the output of a script open.
    case .xclip: "xclip -selection clipboard >/dev/null 2>&1"
    case .xsel: "xsel --clipboard --input >/dev/null 2>&1"
    }
  }

  /// The escape sequence for a text.
  package static func sequence(_ text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
  }

  /// Puts a text there.
  ///
  /// - Parameter write: writes to the terminal.
  /// - Throws: `usage` for a text that no terminal takes, `plugin` when the program fails.
  package func put(_ text: String, write: (String) -> Void) throws {
    guard let command else {
      let sequence = Self.sequence(text)
      guard sequence.utf8.count <= Self.terminalLimit else {
        throw UserError(
          .usage, "the passage is too long for a terminal's clipboard: \(text.utf8.count) bytes",
          hint: "--print writes it to the output")
      }
      return write(sequence)
    }
    guard ShellCommand(command).run(input: text) == 0 else {
      throw UserError(.plugin, "\(rawValue) could not copy", hint: "--print writes it instead")
    }
  }
}

extension Clipboard {
  /// The command that writes what is on the clipboard; nil for a terminal, which tells nobody.
  private var pasteCommand: String? {
    switch self {
    case .osc52: nil
    case .wlCopy: "wl-paste --no-newline"
    case .xclip: "xclip -selection clipboard -o"
    case .xsel: "xsel --clipboard --output"
    }
  }

  /// What is on the windows' clipboard.
  ///
  /// - Throws: `usage` when there is none, `plugin` when the program fails.
  package static func paste(in environment: [String: String]) throws -> [UInt8] {
    let ways = found(in: environment, hasTerminal: false)
    guard let way = ways.first, let command = way.pasteCommand else {
      throw UserError(
        .usage, "there is no clipboard here: no wl-paste, xclip or xsel",
        hint: "- reads standard input")
    }
    guard let stream = popen(command + " 2>/dev/null", "r") else {
      throw UserError(.plugin, "\(way.rawValue) cannot be started")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      bytes += buffer[..<count]
    }
    guard pclose(stream) == 0 else {
      throw UserError(.plugin, "\(way.rawValue) could not paste")
    }
    guard !bytes.isEmpty else { throw UserError(.nothing, "the clipboard is empty") }
    return bytes
  }
}

extension Terminal {
  /// Puts a text on the clipboard by the best way there is, and gives its name.
  ///
  /// - Throws: `usage` when there is none.
  package func copy(_ text: String, by way: Clipboard? = nil) throws -> Clipboard {
    let device = Glibc.open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
    defer { if device >= 0 { close(device) } }
    let ways = Clipboard.found(in: environment, hasTerminal: device >= 0)
    guard let way = way ?? ways.first else {
      throw UserError(
        .usage, "there is no clipboard here: no terminal, wl-copy, xclip or xsel",
        hint: "--print writes the text to the output")
    }
    if way == .osc52, device < 0 {
      throw UserError(.usage, "there is no terminal here", hint: "--print writes the text")
    }
    output.flush()
    try way.put(text) { sequence in
      let output = Output(descriptor: device)
      output.write(sequence)
      output.flush()
    }
    return way
  }
}
