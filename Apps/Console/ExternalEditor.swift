package import Configuration
import DaemonKit
import FoundationEssentials
import Glibc
package import Model
import Rendering
package import SystemSupport
import Workspace

/// Longer texts are written in a person's own editor.
package struct ExternalEditor {
  private let command: String
  private let environment: [String: String]

  /// Takes the command line of an editor.
  package init(_ command: String, environment: [String: String]) {
    self.command = command
    self.environment = environment
  }

  /// Lets the person edit a text in a file of its own, and gives what is in it afterwards.
  ///
  /// - Parameter name: how the file's name ends, which tells the editor what it is: `note.md`.
  /// - Throws: `plugin` when the editor fails, `conflict` when there is no room for the file.
  package func edit(_ text: String, as name: String) throws(UserError) -> String {
    guard let file = TemporaryFile(name, holding: text, environment: environment) else {
      throw .noTemporaryFile
    }
    let code = ShellCommand(command, file.path).run()
    let data = FileManager.default.contents(atPath: file.path)
    guard code == 0 else {
      // An editor that crashed may have stored what was written.
      let isChanged = data.map { !$0.isEmpty && $0 != Data(text.utf8) } ?? false
      if !isChanged { unlink(file.path) }
      throw UserError(
        .plugin, "the editor ended with \(code); nothing was changed",
        hint: isChanged ? "what you wrote is in \(file.path)" : nil)
    }
    unlink(file.path)
    guard let data else {
      throw UserError(.notFound, "what was written could not be read back")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Opens a file of the person's own, at a line where the editor is known to take one.
  ///
  /// - Throws: `plugin` when the editor fails; what it stored in the file is there.
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
        .plugin, "the editor ended with \(code)", hint: "what it stored is in the file")
    }
  }

  private enum LineSyntax { case plus, colon, goto }

  /// How an editor is told a line; nil for one that is not known.
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

  /// Stores what a person wrote. Where that fails, the text is kept in a file, which the error names.
  ///
  /// - Parameter name: as for `edit`.
  package func storing<T>(
    _ text: String, as name: String, _ body: () async throws -> T
  ) async throws -> T {
    do { return try await body() } catch {
      throw Self.keep(text, as: name, after: error, environment: environment)
    }
  }

  /// Keeps a text in a file of its own, and gives the error that says where.
  static func keep(
    _ text: String, as name: String, after error: any Error, environment: [String: String]
  ) -> any Error {
    if text.allSatisfy(\.isWhitespace) { return error }
    var error = error as? UserError ?? UserError(.conflict, "\(error)")
    // The folder of temporary files first; where it is full, the person's own.
    let state = StandardFolders(environment: environment).state.map { $0 + "/diple" }
    let places = [environment, state.map { ["TMPDIR": $0] }].compactMap { $0 }
    let place = places.lazy.compactMap {
      TemporaryFile(name, holding: text, environment: $0)?.path
    }.first
    let said: Hint =
      place.map { "what you wrote is in \($0)" } ?? "what you wrote could not be saved"
    error.hint = error.hint?.followed(by: said) ?? said
    return error
  }

  /// Lets the person edit a note, and gives it without the line end that editors add.
  package func edit(note: String) throws(UserError) -> String {
    var text = try edit(note.isEmpty ? "" : note + "\n", as: "note.md")
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}

extension CommandContext {
  /// Refuses to open an editor without a terminal: there only one that was chosen can know what to do.
  package func requireEditor(_ options: GlobalOptions, hint: Hint) throws(UserError) {
    let settings = try? libraries.settings(options)
    let isChosen =
      settings.map { $0.origin(of: .editor) != .fallback } ?? false
      || ["DIPLE_EDITOR", "VISUAL", "EDITOR"].contains {
        terminal.environment[$0]?.isEmpty == false
      }
    guard isChosen || isatty(0) == 1 else {
      throw UserError(.usage, "an editor needs a terminal, and there is none", hint: hint)
    }
  }

  /// Lets another program have the terminal.
  package func suspendingTerminal(_ body: () throws(UserError) -> Void) throws(UserError) {
    var result = Result<Void, UserError>.success(())
    leavingTerminal { result = Result { () throws(UserError) in try body() } }
    try result.get()
  }

  /// The same for what cannot fail.
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

/// Settings in an editor: the file changes only when all of it is right.
package struct SettingsEditing {
  private let path: String
  private let owner: SettingsFile.Owner

  package init(_ path: String, _ owner: SettingsFile.Owner) {
    (self.path, self.owner) = (path, owner)
  }

  /// Opens the editor, and says whether the file was changed.
  ///
  /// - Throws: what is wrong with the new text, which is then kept beside the file.
  package func run(_ context: CommandContext, _ options: GlobalOptions) throws -> Bool {
    let before = try SettingsFile.text(at: path, owner)
    let shown = before ?? Self.template(for: owner)
    // A file with a mistake is mended here: the editor must be found all the same.
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
        "\(error.description.sanitizedForTerminal); the file stays as it was")
      throw keep(new, after: refused, context.terminal.environment)
    }
  }

  /// Keeps what was written beside the file, else among the temporary ones, and says where.
  private func keep(_ text: String, after error: UserError, _ environment: [String: String])
    -> any Error
  {
    let place = path + ".rejected"
    guard owner == .person, (try? AtomicReplacement.write(text.utf8, to: place, mode: 0o600)) != nil
    else {
      return ExternalEditor.keep(text, as: "config.toml", after: error, environment: environment)
    }
    var error = error
    error.hint = "what you wrote is in \(place.sanitizedForTerminal)"
    return error
  }

  /// All settings as they are without a file, each with what it does.
  private static func template(for owner: SettingsFile.Owner) -> String {
    var text = "# Settings of Diple. Remove a # to change a setting.\n"
    for key in SettingKey.allCases where owner == .person || !key.rule.isPersonal {
      text += "\n# \(key.rule.help) (\(key.rule.range))\n# \(key.rawValue) = "
      text += key.rule.fallback.toml + "\n"
    }
    return text
  }
}
