import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight log` command, which shows the history of a highlight.
  struct Log: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "log",
      abstract: "Show the history of a highlight: changes, places in each text, git commits.",
      discussion: """
        Example:
          diple hl log 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let (highlight, _) = try await context.highlight(id, in: library)
      let (entries, problem) = try await library.log(of: highlight)
      if let problem {
        let line = UserError(
          problem.code, problem.message + ": no commits are shown", hint: problem.hint)
        context.warn(line, options)
      }
      context.answer(options, "diple.log/1", entries.map(LogRecord.init)) {
        let writer = context.listWriter(options)
        for entry in entries { writer.write(entry.line.sanitizedForTerminal) }
      }
    }
  }
}

extension LogEntry {
  /// The entry as a line of a list.
  fileprivate var line: String {
    let what =
      switch event {
      case .operation(let operation): operation.summary
      case .seen(let anchor, let words):
        "\(anchor.state) in a text seen then" + (words.map { ": “\($0.shortened)”" } ?? "")
      case .commit(let hash, let author, let subject, let before, let after):
        "commit \(hash.prefix(10)) (\(author): \(subject)) "
          + Self.change(before, after)
      }
    return "\(date.localTimestamp)  \(what)"
  }

  private static func change(_ before: String?, _ after: String?) -> String {
    switch (before, after) {
    case (nil, let after?): return "added “\(after.shortened)”"
    case (let before?, nil): return "deleted “\(before.shortened)”"
    case (let before?, let after?):
      let (old, new) = WordChanges(from: before, to: after).sides
      return "changed “\(old.shortened)” to “\(new.shortened)”"
    case (nil, nil): return "changed its file"
    }
  }
}

extension Operation {
  /// A short description of the change.
  fileprivate var summary: String {
    switch (field, value) {
    case (.created, _): "created"
    case (.selector, .selector(let selector)): "anchored to “\(selector.exact.shortened)”"
    case (.color, .text(let color)): "coloured \(color)"
    case (.note, .text(let note)): note.isEmpty ? "note removed" : "note: \(note.shortened)"
    case (.trashed, .flag(let isOn)): isOn ? "removed" : "restored"
    case (.detached, .flag(let isOn)): isOn ? "marked as gone" : "no longer marked as gone"
    case (.document, _): "moved to another document"
    case (_, .flag(let isOn)):
      field.tag.map { (isOn ? "tagged #" : "untagged #") + $0 } ?? field.rawValue
    default: field.rawValue
    }
  }
}

/// An entry of the history, an element of `diple.log/1`.
struct LogRecord: Encodable {
  struct CommitRecord: Encodable {
    var hash: String
    var author: String
    var subject: String
  }

  var date: Date
  var kind: String
  @Nullable var field: String?
  @Nullable var state: AnchorState?
  @Nullable var range: TextRange?
  @Nullable var before: String?
  @Nullable var after: String?
  @Nullable var commit: CommitRecord?

  init(_ entry: LogEntry) {
    date = entry.date
    switch entry.event {
    case .operation(let operation):
      kind = "operation"
      field = operation.field.rawValue
      (before, after) = (operation.previous.text, operation.value.text)
    case .seen(let anchor, let words):
      kind = "seen"
      (state, range, after) = (anchor.state, anchor.range, words)
    case .commit(let hash, let author, let subject, let before, let after):
      kind = "commit"
      (self.before, self.after) = (before, after)
      commit = CommitRecord(hash: hash, author: author, subject: subject)
    }
  }
}

extension Operation.Value {
  /// The value as text. Nil if the field had no value.
  fileprivate var text: String? {
    switch self {
    case .none: nil
    case .flag(let isOn): isOn ? "true" : "false"
    case .text(let text): text
    case .selector(let selector): selector.exact
    case .reference(let dot): dot.description
    case .other: "(from a newer Diple)"
    }
  }
}
