import DaemonKit
import FoundationEssentials
import Glibc
import Model
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

  /// The program that takes something on its standard input; nil where there is none for it.
  ///
  /// - Parameter mediaType: what it is; nil for text.
  private func copyProgram(_ mediaType: String? = nil) -> Program? {
    switch self {
    case .osc52: nil
    case .wlCopy: Program("wl-copy", mediaType.map { ["--type", $0] } ?? [])
    case .xclip:
      Program("xclip", ["-selection", "clipboard"] + (mediaType.map { ["-t", $0] } ?? []))
    case .xsel: mediaType == nil ? Program("xsel", ["--clipboard", "--input"]) : nil
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
    guard let program = copyProgram() else {
      let sequence = Self.sequence(text)
      guard sequence.utf8.count <= Self.terminalLimit else {
        throw UserError(
          .usage,
          "the passage is too long for a terminal's clipboard: "
            + text.utf8.count.counted("byte"),
          hint: "--print writes to standard output")
      }
      return write(sequence)
    }
    // What stays in the background must not hold the output of a script open.
    guard (try? program.run(input: text, output: .discarded)) == 0 else {
      throw UserError(
        .plugin, "\(rawValue) could not copy", hint: "--print writes to standard output")
    }
  }
}

extension Clipboard {
  /// Puts a picture, or what else is no text, on the windows' clipboard.
  ///
  /// - Throws: `usage` when no program here takes it, `plugin` when the program fails.
  package static func put(_ bytes: [UInt8], of mediaType: String, in environment: [String: String])
    throws
  {
    let ways = found(in: environment, hasTerminal: false)
    guard let program = ways.lazy.compactMap({ $0.copyProgram(mediaType) }).first else {
      throw UserError(
        .usage, "there is no clipboard for pictures here: no wl-copy or xclip",
        hint: "-o writes to a file")
    }
    guard (try? program.run(input: bytes, output: .discarded)) == 0 else {
      throw UserError(.plugin, "\(program.path) could not copy", hint: "-o writes to a file")
    }
  }

  /// The words that write what is on the clipboard; nil for a terminal, which tells nobody.
  private var pasteWords: [String]? {
    switch self {
    case .osc52: nil
    case .wlCopy: ["wl-paste", "--no-newline"]
    case .xclip: ["xclip", "-selection", "clipboard", "-o"]
    case .xsel: ["xsel", "--clipboard", "--output"]
    }
  }

  /// The most bytes that are pasted.
  private static let pasteLimit = 256 << 20
  /// How long the program that holds the clipboard may take.
  private static let pasteTime = Duration.seconds(30)

  /// What is on the windows' clipboard.
  ///
  /// - Throws: `usage` when there is none, `plugin` when the program fails.
  package static func paste(in environment: [String: String]) async throws -> [UInt8] {
    let ways = found(in: environment, hasTerminal: false)
    guard let way = ways.first, let words = way.pasteWords else {
      throw UserError(
        .usage, "there is no clipboard here: no wl-paste, xclip or xsel",
        hint: "- reads standard input")
    }
    let bytes: [UInt8]
    do throws(CapturedProgram.Failure) {
      bytes = try await CapturedProgram.output(
        of: words[0], Array(words.dropFirst()), limit: pasteLimit, time: pasteTime)
    } catch {
      throw UserError(.plugin, "\(way.rawValue) could not paste: \(error)")
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
        hint: "--print writes to standard output")
    }
    if way == .osc52, device < 0 {
      throw UserError(
        .usage, "there is no terminal here", hint: "--print writes to standard output")
    }
    output.drain()
    try way.put(text) { sequence in
      let output = Output(descriptor: device)
      output.write(sequences: sequence)
      output.flush()
    }
    return way
  }
}
