import Model
package import SystemSupport

extension Remedy {
  /// The command for an action, and a description of its effect.
  private struct Wording {
    var command: [Hint.Word]
    /// The member of the request whose words follow the command; nil if none do.
    var member: String?
    var effect: String
  }

  /// The commands for the actions that errors offer.
  private static let wordings: [String: Wording] = [
    "document.add": Wording(command: ["add"], member: "paths", effect: "adds it"),
    "document.refresh": Wording(command: ["refresh"], effect: "checks the files"),
    "document.restore": Wording(
      command: ["doc", "restore"], member: "document", effect: "restores it"),
    "document.unlink": Wording(
      command: ["doc", "unlink"], member: "document", effect: "separates them first"),
    "highlight.explain": Wording(
      command: ["hl", "why"], member: "highlight", effect: "shows its place"),
    "highlight.list": Wording(command: ["list"], effect: "shows the ids"),
    "highlight.remove": Wording(
      command: ["highlight", "remove"], member: "highlights", effect: "moves it to the trash"),
    "highlight.restore": Wording(
      command: ["highlight", "restore"], member: "highlights", effect: "restores it"),
    "highlight.review": Wording(command: ["anchor", "review"], effect: "lists them"),
    "history.undo": Wording(
      command: ["undo", "--skip"], effect: "skips it"),
    "query.list": Wording(command: ["query", "list"], effect: "shows them"),
    "style.list": Wording(command: ["style", "list"], effect: "shows the styles"),
    "trash.list": Wording(command: ["trash", "list"], effect: "lists its contents"),
  ]

  /// The actions that have a command. A test compares them with the actions and the commands.
  package static var wordedActions: [(action: String, command: [String])] {
    wordings.map { name, wording in
      (
        name,
        wording.command.map { word in if case .word(let text) = word { text } else { "" } }
      )
    }
  }

  /// Returns the part of an id that users type, and other words unchanged.
  private static func short(_ word: String) -> String {
    Identifier<Document>(word).map { String($0.dot.sequence) } ?? word
  }

  /// The remedy as a command, for users who can type commands; nil if no command has the same
  /// effect.
  package var hint: Hint? {
    switch self {
    case .setting: return "\(command: "config", "show", "--origin") shows where it is set"
    case .action(let name, let members):
      guard let wording = Self.wordings[name] else { return nil }
      let words: [Hint.Word] =
        switch wording.member.flatMap({ members[$0] }) {
        case .text(let text): [.word(Self.short(text))]
        case .list(let texts): texts.map { .word(Self.short($0)) }
        case .flag, nil: []
        }
      return "\(command: wording.command + words) \(wording.effect)"
    }
  }
}

extension UserError {
  /// The error with its remedy as the hint, unless it already has a hint. `remedy` is nil in the
  /// result.
  package var withCommand: UserError {
    var error = self
    if hint == nil { error.hint = remedy?.hint }
    error.remedy = nil
    return error
  }
}
