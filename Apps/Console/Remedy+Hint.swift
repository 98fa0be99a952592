package import SystemSupport

extension Remedy {
  /// The command for an action, and a description of its effect.
  private struct Wording {
    var action: String
    /// The members that the request must have for this command.
    var condition: [String: Member]
    var command: [Hint.Word]
    /// The members of the request whose words follow the command.
    var members: [String] = []
    /// The effect, for errors with nothing but a remedy.
    var effect: String?

    init(
      _ action: String, with condition: [String: Member] = [:], _ command: Hint.Word...,
      members: [String] = [], effect: String? = nil
    ) {
      (self.action, self.condition, self.command) = (action, condition, command)
      (self.members, self.effect) = (members, effect)
    }
  }

  /// The commands for the actions that errors offer. The first one that fits the request is chosen.
  private static let wordings = [
    Wording("device.allow", "serve", "allow", members: ["device"]),
    Wording("device.list", "serve", "devices"),
    Wording("device.revoke", "serve", "revoke", members: ["device"]),
    Wording("document.add", "add", members: ["paths"], effect: "adds it"),
    Wording("document.link", "doc", "link", members: ["document", "path"]),
    Wording("document.list", "doc", "list"),
    Wording("document.refresh", "refresh", effect: "checks the files"),
    Wording("document.remove", "doc", "remove", members: ["document"]),
    Wording("document.restore", "doc", "restore", members: ["document"], effect: "restores it"),
    Wording(
      "document.unlink", "doc", "unlink", members: ["document"], effect: "separates them first"),
    Wording("font.list", "font", "list"),
    Wording("format.copy", "format", "copy", members: ["document", "passage"]),
    Wording("format.set", with: ["reset": .flag(true)], "format", "default", "reset"),
    Wording("highlight.change", "note", members: ["highlight", "note"]),
    Wording("highlight.explain", "hl", "why", members: ["highlight"], effect: "shows its place"),
    Wording(
      "highlight.import", with: ["document": .asked("document")], "import", "--doc",
      members: ["document", "files"]),
    Wording("highlight.import", with: ["from": .null], "import", members: ["files"]),
    Wording("highlight.import", "import", "--from", members: ["from", "files"]),
    Wording("highlight.list", "list", effect: "shows the ids"),
    Wording("highlight.reattach", "anchor", "reattach", members: ["highlight", "passage"]),
    Wording(
      "highlight.remove", "highlight", "remove", members: ["highlights"],
      effect: "moves it to the trash"),
    Wording(
      "highlight.restore", "highlight", "restore", members: ["highlights"], effect: "restores it"),
    Wording("highlight.review", "anchor", "review", effect: "lists them"),
    Wording("highlight.show", "highlight", "show", members: ["highlight"]),
    Wording("history.redo", with: ["document": .null], "redo", "--all"),
    Wording("history.undo", with: ["skip": .flag(true)], "undo", "--skip", effect: "skips it"),
    Wording("history.undo", with: ["document": .null], "undo", "--all"),
    Wording("history.undo", "undo"),
    Wording("library.configure", "config", "set", members: ["key", "value"]),
    Wording("library.settings", "config", "show"),
    Wording("library.tags", "tags"),
    Wording("query.list", "query", "list", effect: "shows them"),
    Wording("source.link", "source", "link", members: ["bibliography"]),
    Wording("style.list", "style", "list", effect: "shows the styles"),
    Wording("sync.admit", "sync", "pair"),
    Wording("sync.ask", "sync", "join", "--pair", members: ["transport", "address"]),
    Wording("sync.begin", "sync", "init", members: ["transport", "address"]),
    Wording("sync.join", "sync", "join", members: ["transport", "address"]),
    Wording("sync.leave", "sync", "leave"),
    Wording("sync.now", with: ["upload": .flag(true)], "sync", "now", "--upload"),
    Wording("sync.now", "sync"),
    Wording("sync.passphrase", "sync", "passphrase"),
    Wording("sync.revoke", "sync", "revoke"),
    Wording("trash.empty", "trash", "empty"),
    Wording("trash.list", "trash", "list", effect: "lists its contents"),
  ]

  /// The actions that have a command. A test compares them with the actions and the commands.
  package static var wordedActions: [(action: String, command: [String])] {
    wordings.map { wording in
      (
        wording.action,
        wording.command.map { word in if case .word(let text) = word { text } else { "" } }
      )
    }
  }

  /// The command of a tool.
  private static func command(_ tool: Tool) -> [Hint.Word] {
    switch tool {
    case .startDaemon: ["daemon", "start"]
    case .stopDaemon: ["daemon", "stop"]
    case .showDaemon: ["daemon", "status"]
    case .showDaemonLog: ["daemon", "logs"]
    case .repairLibrary: ["doctor", "--repair"]
    case .restoreBackup: ["restore", "FILE"]
    case .editSettings: ["config", "edit"]
    case .listPlugins: ["plugin", "list"]
    case .removePlugin(let id): ["plugin", "remove", .word(id)]
    }
  }

  private static func wording(_ name: String, _ members: [String: Member]) -> Wording? {
    wordings.first { wording in
      wording.action == name && wording.condition.allSatisfy { members[$0.key] == $0.value }
    }
  }

  private static func words(_ member: Member) -> [Hint.Word] {
    switch member {
    case .text(let text): [.word(text)]
    case .record(_, let name): [.word(name)]
    case .list(let texts), .records(_, let texts): texts.map { .word($0) }
    case .asked(let kind): [.word(kind.uppercased())]
    case .flag, .null: []
    }
  }

  /// The words of the command, without `diple`; nil if no command has the same effect.
  package var command: [Hint.Word]? {
    switch self {
    case .setting: return ["config", "show", "--origin"]
    case .tool(let tool): return Self.command(tool)
    case .action(let name, let members):
      guard let wording = Self.wording(name, members) else { return nil }
      return wording.command + wording.members.flatMap { members[$0].map(Self.words) ?? [] }
    }
  }

  /// The remedy as a command with its effect, for users who can type commands; nil if no command
  /// has the same effect.
  package var hint: Hint? {
    switch self {
    case .setting: return "\(command: "config", "show", "--origin") shows where it is set"
    case .tool: return nil
    case .action(let name, let members):
      guard let effect = Self.wording(name, members)?.effect, let command else { return nil }
      return "\(command: command) \(effect)"
    }
  }
}

extension UserError {
  /// The error with commands in its hint. If it has no hint, its remedy becomes the hint. `remedy`
  /// is nil in the result.
  package var withCommand: UserError {
    var error = self
    error.hint = (hint ?? remedy?.hint)?.worded(in: .shell)
    error.remedy = nil
    return error
  }
}
