import DaemonKit
import FoundationEssentials
import Glibc
import Model
import SystemSupport
import Workspace

/// A method of accessing the clipboard.
package enum Clipboard: String, CaseIterable {
  /// The terminal's escape sequence OSC 52. It also works across SSH, but can only write.
  case osc52
  case wlCopy = "wl-copy"
  case xclip
  case xsel

  /// What was done with a text, for messages: a terminal does not confirm that it accepted it.
  package func copied(_ text: String) -> String {
    "copied \(text.count.counted("character")) to the \(self == .osc52 ? "terminal's " : "")clipboard"
  }

  /// The maximum length of the escape sequence in bytes. This is the limit of xterm.
  package static let terminalLimit = 74_994

  /// Returns the methods that are available in an environment, the best one first. OSC 52 is the
  /// first in an SSH session and the last elsewhere.
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
    // In an SSH session, the window system's clipboard belongs to the remote machine.
    let isRemote = environment["SSH_TTY"]?.isEmpty == false
    if hasTerminal { found.insert(.osc52, at: isRemote ? 0 : found.count) }
    return found
  }

  /// Returns the program that copies its standard input, or nil if this method has none for the
  /// type.
  ///
  /// - Parameter mediaType: the media type of the content. Nil for text.
  private func copyProgram(_ mediaType: String? = nil) -> Program? {
    switch self {
    case .osc52: nil
    case .wlCopy: Program("wl-copy", mediaType.map { ["--type", $0] } ?? [])
    case .xclip:
      Program("xclip", ["-selection", "clipboard"] + (mediaType.map { ["-t", $0] } ?? []))
    case .xsel: mediaType == nil ? Program("xsel", ["--clipboard", "--input"]) : nil
    }
  }

  /// Returns the escape sequence that copies a text.
  package static func sequence(_ text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
  }

  /// Copies a text to the clipboard.
  ///
  /// - Parameters:
  ///   - mediaType: the media type of a text that is more than plain, such as `text/html`. A method
  ///     that has no media types copies it as plain text.
  ///   - write: writes an escape sequence to the terminal. Only called for `osc52`.
  /// - Throws: ``UserError`` with the code `usage` if the text is too long for the terminal,
  ///   `plugin` if the program fails.
  package func put(_ text: String, as mediaType: String? = nil, write: (String) -> Void) throws {
    guard let program = copyProgram(mediaType) ?? copyProgram() else {
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
    // The program stays in the background to serve the clipboard. Discard its output, so that it
    // doesn't keep the output of a calling script open.
    guard (try? program.run(input: text, output: .discarded)) == 0 else {
      throw UserError(
        .plugin, "\(rawValue) could not copy", hint: "--print writes to standard output")
    }
  }
}

extension Clipboard {
  /// Copies a picture or other binary data to the window system's clipboard.
  ///
  /// - Throws: ``UserError`` with the code `usage` if no installed program supports this, `plugin`
  ///   if the program fails.
  package static func put(_ bytes: [UInt8], of mediaType: String, in environment: [String: String])
    throws
  {
    let methods = found(in: environment, hasTerminal: false)
    guard let program = methods.lazy.compactMap({ $0.copyProgram(mediaType) }).first else {
      throw UserError(
        .usage, "there is no clipboard for pictures here: no wl-copy or xclip",
        hint: "-o writes to a file")
    }
    guard (try? program.run(input: bytes, output: .discarded)) == 0 else {
      throw UserError(.plugin, "\(program.path) could not copy", hint: "-o writes to a file")
    }
  }

  /// The command that prints the clipboard's text. Nil for a terminal, which can't be read.
  private var pasteWords: [String]? {
    switch self {
    case .osc52: nil
    case .wlCopy: ["wl-paste", "--no-newline"]
    case .xclip: ["xclip", "-selection", "clipboard", "-o"]
    case .xsel: ["xsel", "--clipboard", "--output"]
    }
  }

  /// The maximum size of pasted text, 256 MiB in bytes.
  private static let pasteLimit = 256 << 20
  /// The maximum time for the program that reads the clipboard.
  private static let pasteTime = Duration.seconds(30)

  /// Returns the contents of the window system's clipboard.
  ///
  /// - Throws: ``UserError`` with the code `usage` if no program for it is installed, `plugin` if
  ///   the program fails, `nothing` if the clipboard is empty.
  package static func paste(in environment: [String: String]) async throws -> [UInt8] {
    let methods = found(in: environment, hasTerminal: false)
    guard let clipboard = methods.first, let words = clipboard.pasteWords else {
      throw UserError(
        .usage, "there is no clipboard here: no wl-paste, xclip or xsel",
        hint: "pass - to read standard input")
    }
    let bytes: [UInt8]
    do throws(CapturedProgram.Failure) {
      bytes = try await CapturedProgram.output(
        of: words[0], Array(words.dropFirst()), limit: pasteLimit, time: pasteTime)
    } catch {
      throw UserError(.plugin, "\(clipboard.rawValue) could not paste: \(error)")
    }
    guard !bytes.isEmpty else { throw UserError(.nothing, "the clipboard is empty") }
    return bytes
  }
}

extension Terminal {
  /// Copies a text to the clipboard and returns the method that was used: `clipboard`, or the best
  /// available method if `clipboard` is nil.
  ///
  /// - Parameter mediaType: the media type; nil for plain text.
  /// - Throws: ``UserError`` with the code `usage` if no method is available or the text is too
  ///   long for the terminal, `plugin` if the program fails.
  package func copy(_ text: String, as mediaType: String? = nil, by clipboard: Clipboard? = nil)
    throws -> Clipboard
  {
    let device = Glibc.open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
    defer { if device >= 0 { close(device) } }
    let methods = Clipboard.found(in: environment, hasTerminal: device >= 0)
    guard let clipboard = clipboard ?? methods.first else {
      throw UserError(
        .usage, "there is no clipboard here: no terminal, wl-copy, xclip or xsel",
        hint: "--print writes to standard output")
    }
    if clipboard == .osc52, device < 0 {
      throw UserError(
        .usage, "there is no terminal here", hint: "--print writes to standard output")
    }
    output.drain()
    try clipboard.put(text, as: mediaType) { sequence in
      let output = Output(descriptor: device)
      output.write(sequences: sequence)
      output.flush()
    }
    return clipboard
  }
}
