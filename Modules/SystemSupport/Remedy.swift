/// What removes the cause of an error: an action, a setting or a tool. Each front-end presents it
/// in its own way: a shell as a command, a page as a button.
package enum Remedy: Hashable, Sendable {
  /// A member of an action's request.
  package enum Member: Hashable, Sendable {
    case text(String)
    case list([String])
    case flag(Bool)
    /// The id of a record, with the name under which the user knows it.
    case record(String, name: String)
    /// The ids of records, with the names under which the user knows them.
    case records([String], names: [String])
    /// No value, where that differs from a missing member for the user: `history.undo` without a
    /// document is for all documents.
    case null
    /// A value that the user has to supply, described by a word such as `file`.
    case asked(String)
  }

  /// Something that the user can start which is not an action on a library.
  package enum Tool: Hashable, Sendable {
    case startDaemon, stopDaemon, showDaemon, showDaemonLog
    /// Saves the readable data of a damaged library.
    case repairLibrary
    /// Replaces the library with a backup.
    case restoreBackup
    /// Opens the user's settings in an editor.
    case editSettings
    case listPlugins
    /// Uninstalls a plugin.
    case removePlugin(String)
  }

  /// An action by its name, with its request.
  case action(String, [String: Member])
  /// A setting by its key, such as `library.outside`.
  case setting(String)
  case tool(Tool)

  /// The name in messages of programs that know no commands.
  var name: String {
    switch self {
    case .action(let name, _): name
    case .setting(let key): key
    case .tool(let tool): "\(tool)"
    }
  }

  /// The request as JSON encodes it; nil if the remedy is not an action, or the user has to supply
  /// a value.
  package var request: [String: Member]? {
    guard case .action(_, let members) = self,
      !members.values.contains(where: { if case .asked = $0 { true } else { false } })
    else { return nil }
    return members
  }
}

extension Remedy.Member: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text), .record(let text, _): try container.encode(text)
    case .list(let texts), .records(let texts, _): try container.encode(texts)
    case .flag(let flag): try container.encode(flag)
    case .null, .asked: try container.encodeNil()
    }
  }
}
