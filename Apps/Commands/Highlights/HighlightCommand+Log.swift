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
  struct Log: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "log",
      abstract: """
        Show the history of a highlight: changes, its place in each version of the document, and \
        git commits.
        """,
      discussion: """
        Example:
          diple hl log 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String

    func request(in context: CommandContext) async throws -> HighlightLog {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      return HighlightLog(highlight: try await library.highlight(id).id)
    }

    func notices(of outcome: HighlightLog.Outcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: HighlightLog.Outcome, to context: CommandContext) {
      let writer = context.listWriter(options)
      for entry in outcome.entries { writer.write(entry.line.sanitizedForTerminal) }
    }

    func problems(of outcome: HighlightLog.Outcome) -> [UserError] {
      guard let problem = outcome.problem else { return [] }
      return [
        UserError(problem.code, problem.message + ": no commits are shown", hint: problem.hint)
      ]
    }
  }
}

extension LogEntry {
  /// The entry as a line of a list.
  fileprivate var line: String {
    let description =
      switch event {
      case .operation(let operation): operation.summary
      case .seen(let anchor, let words):
        "\(anchor.state) in that version" + (words.map { ": “\($0.shortened)”" } ?? "")
      case .commit(let hash, let author, let subject, let before, let after):
        "commit \(hash.prefix(10)) (\(author): \(subject)) "
          + Self.change(before, after)
      }
    return "\(date.localTimestamp)  \(description)"
  }

  private static func change(_ before: String?, _ after: String?) -> String {
    switch (before, after) {
    case (nil, let after?): return "added “\(after.shortened)”"
    case (let before?, nil): return "deleted “\(before.shortened)”"
    case (let before?, let after?):
      let (old, new) = WordChanges(from: before, to: after).sides
      return "changed “\(old.shortened)” to “\(new.shortened)”"
    case (nil, nil): return "changed the file"
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
