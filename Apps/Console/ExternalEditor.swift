package import Configuration
import DaemonKit
import FoundationEssentials
import Glibc
package import Model
import Rendering
package import SystemSupport
import Workspace

/// Runs the user's editor.
package struct ExternalEditor {
  private let command: String
  private let environment: [String: String]

  /// Creates the value for an editor's command line, which is run by the shell.
  package init(_ command: String, environment: [String: String]) {
    self.command = command
    self.environment = environment
  }

  /// Opens a text in a temporary file and returns the edited text.
  ///
  /// - Parameter name: the end of the file's name, such as `note.md`. The editor recognises the
  ///   file type by it.
  /// - Throws: ``UserError`` with the code `plugin` if the editor fails, `conflict` if the file
  ///   can't be created, `notFound` if the edited file can't be read.
  package func edit(_ text: String, as name: String) throws(UserError) -> String {
    guard let file = TemporaryFile(name, containing: text, environment: environment) else {
      throw .noTemporaryFile
    }
    let code = ShellCommand(command, file.path).run()
    let data = FileManager.default.contents(atPath: file.path)
    guard code == 0 else {
      // An editor that crashed may have saved changes. Keep the file if it did.
      let isChanged = data.map { !$0.isEmpty && $0 != Data(text.utf8) } ?? false
      if !isChanged { unlink(file.path) }
      throw UserError(
        .plugin, "the editor ended with \(code); nothing was changed",
        hint: isChanged ? "what you wrote is in \(file.path)" : nil)
    }
    unlink(file.path)
    guard let data else {
      throw UserError(.notFound, "the edited text could not be read")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Opens an existing file, at a line if the editor is known to support this.
  ///
  /// - Throws: ``UserError`` with the code `plugin` if the editor fails. Changes that it saved are
  ///   kept.
  package func open(_ path: String, at position: LinePosition?) throws(UserError) {
    let code: Int32
    switch (position, Self.lineSyntax(of: command)) {
    case (let position?, .plus): code = ShellCommand(command, "+\(position.line)", path).run()
    case (let position?, .colon): code = ShellCommand(command, "\(path):\(position.line)").run()
    case (let position?, .goto):
      code = ShellCommand(command, "--goto", "\(path):\(position.line):\(position.column)").run()
    default: code = ShellCommand(command, path).run()
    }
    guard code == 0 else {
      throw UserError(
        .plugin, "the editor ended with \(code)",
        hint: "the file contains the text that the editor saved")
    }
  }

  private enum LineSyntax { case plus, colon, goto }

  /// Returns the syntax in which an editor accepts a line, or nil for an unknown editor.
  private static func lineSyntax(of command: String) -> LineSyntax? {
    let program = command.split(separator: " ").first?.split(separator: "/").last ?? ""
    switch program {
    case "vi", "vim", "nvim", "view", "gvim", "nano", "pico", "emacs", "emacsclient", "micro",
      "kak",
      "joe", "jed", "mg", "ne", "gedit", "kate":
      return .plus
    case "hx", "helix", "subl", "sublime_text", "zed": return .colon
    case "code", "code-insiders", "codium": return .goto
    default: return nil
    }
  }

  /// Runs a closure that stores an edited text. If it throws, the text is saved in a temporary
  /// file, and the hint of the error contains the file's path.
  ///
  /// - Parameter name: the end of the file's name, as for ``edit(_:as:)``.
  package func storing<T>(
    _ text: String, as name: String, _ body: () async throws -> T
  ) async throws -> T {
    do { return try await body() } catch {
      throw Self.keep(text, as: name, after: error, environment: environment)
    }
  }

  /// Saves a text in a temporary file and returns the error with the file's path as a hint. A text
  /// of only whitespace isn't saved.
  static func keep(
    _ text: String, as name: String, after error: any Error, environment: [String: String]
  ) -> any Error {
    if text.allSatisfy(\.isWhitespace) { return error }
    var error = error as? UserError ?? UserError(.conflict, "\(error)")
    // Try the folder for temporary files first. If it is full, use the user's state folder.
    let state = StandardFolders(environment: environment).state.map { $0 + "/diple" }
    let places = [environment, state.map { ["TMPDIR": $0] }].compactMap { $0 }
    let place = places.lazy.compactMap {
      TemporaryFile(name, containing: text, environment: $0)?.path
    }.first
    let hint: Hint =
      place.map { "what you wrote is in \($0)" } ?? "what you wrote could not be saved"
    error.hint = error.hint?.followed(by: hint) ?? hint
    return error
  }

  /// The line that ends the note in the editor. The lines from it on are not part of the note.
  private static let noteEnd = "<!-- The note ends above this line. It is about:"

  /// Opens a note in the editor and returns it without the final line breaks that editors add.
  ///
  /// - Parameter quote: the words that the note is about, which the editor shows below the note as
  ///   a comment; nil for no comment.
  /// - Throws: the errors of ``edit(_:as:)``.
  package func edit(note: String, about quote: String? = nil) throws(UserError) -> String {
    let comment = quote.map { "\n\(Self.noteEnd)\n\($0.shortened)\n-->\n" } ?? ""
    var text = try edit((note.isEmpty ? "" : note + "\n") + comment, as: "note.md")
    if quote != nil, let end = text.firstRange(of: Self.noteEnd) {
      // Lines that the user wrote below the comment are part of the note.
      let rest = text[end.upperBound...]
      let close = rest.firstRange(of: "-->\n")?.upperBound ?? rest.endIndex
      text.removeSubrange(end.lowerBound..<close)
    }
    return String(text.withoutFinalNewlines)
  }
}

extension String {
  /// The text without the line breaks at its end.
  package var withoutFinalNewlines: Substring {
    var text = self[...]
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}

extension CommandContext {
  /// Throws ``UserError`` with the code `usage` if there is no terminal, unless the user has chosen
  /// an editor. The default editor needs a terminal, but a chosen one may not.
  package func requireEditor(_ options: GlobalOptions, hint: Hint) throws(UserError) {
    let settings = try? libraries.settings(options)
    let isChosen =
      settings.map { $0.origin(of: .editor) != .fallback } ?? false
      || ["DIPLE_EDITOR", "VISUAL", "EDITOR"].contains {
        terminal.environment[$0]?.isEmpty == false
      }
    guard isChosen || isatty(0) == 1 else {
      throw UserError(.usage, "an editor needs a terminal", hint: hint)
    }
  }

  /// Releases the terminal while another program runs.
  ///
  /// - Throws: the errors of `body`.
  package func suspendingTerminal(_ body: () throws(UserError) -> Void) throws(UserError) {
    var result = Result<Void, UserError>.success(())
    leavingTerminal { result = Result { () throws(UserError) in try body() } }
    try result.get()
  }

  /// Releases the terminal while a closure runs that can't throw.
  fileprivate func leavingTerminal(to body: () -> Void) {
    terminal.output.drain()
    terminal.errors.flush()
    if let suspendingTerminal = terminal.suspendingTerminal {
      suspendingTerminal(body)
    } else {
      body()
    }
  }
}

/// Edits the settings in an editor. The file is only replaced if all new settings are valid.
package struct SettingsEditing {
  private let path: String
  private let owner: SettingsFile.Owner

  package init(_ path: String, _ owner: SettingsFile.Owner) {
    (self.path, self.owner) = (path, owner)
  }

  /// Opens the editor and returns whether the file was changed.
  ///
  /// - Throws: ``UserError`` if the editor fails, or with the code `usage` if the new settings are
  ///   invalid. The invalid text is then saved beside the settings file. ``SettingsError`` if the
  ///   file can't be read.
  package func run(_ context: CommandContext, _ options: GlobalOptions) throws -> Bool {
    let before = try SettingsFile.text(at: path, owner)
    let shown = before ?? Self.template(for: owner)
    // The user may be about to repair an invalid file. Then the editor is that of the environment.
    let settings =
      (try? context.libraries.settings(options))
      ?? Settings(variablesOf: context.terminal.environment)
    let editor = ExternalEditor(settings.text(.editor), environment: context.terminal.environment)
    var result = Result<String, UserError>.success(shown)
    let edit = { () throws(UserError) in try editor.edit(shown, as: "config.toml") }
    let body = { result = Result { () throws(UserError) in try edit() } }
    context.leavingTerminal(to: body)
    let new = try result.get()
    if new == shown { return false }
    do {
      let file = try SettingsFile(path, owner, text: new)
      try SettingsFile.replace(path, owner, from: before, with: file)
      return true
    } catch {
      let refused = UserError(
        error.isEnvironmental ? .conflict : .usage,
        "\(error.description.sanitizedForTerminal); the file is unchanged")
      throw keep(new, after: refused, context.terminal.environment)
    }
  }

  /// Saves an invalid text beside the settings file, or else as a temporary file, and returns the
  /// error with the file's path as a hint.
  private func keep(_ text: String, after error: UserError, _ environment: [String: String])
    -> any Error
  {
    let place = path + ".rejected"
    guard owner == .user, (try? AtomicReplacement.write(text.utf8, to: place, mode: 0o600)) != nil
    else {
      return ExternalEditor.keep(text, as: "config.toml", after: error, environment: environment)
    }
    var error = error
    error.hint = "what you wrote is in \(place.sanitizedForTerminal)"
    return error
  }

  /// Returns a file with all settings as comments, each with its description and default value.
  private static func template(for owner: SettingsFile.Owner) -> String {
    var text = "# Settings of Diple. Remove a # to change a setting.\n"
    for key in SettingKey.allCases where owner == .user || !key.rule.isPersonal {
      text += "\n# \(key.rule.help) (\(key.rule.range))\n# \(key.rawValue) = "
      text += key.rule.fallback.toml + "\n"
    }
    return text
  }
}
