package import Model
package import Workspace

/// Lists the highlights that edits of their files have damaged.
package struct CheckHighlights: Action {
  package static let name = "highlight.check"
  package static let summary = "Lists the highlights that edits have damaged."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.documents]
  package static let examples = [CheckHighlights(documents: [.example])]

  package var documents: [Document.ID]?

  package init(documents: [Document.ID]? = nil) { self.documents = documents }

  package func run(in session: ActionSession) async throws -> CheckOutcome {
    var named: [Document]?
    if let documents { named = try await session.documents(documents) }
    return CheckOutcome(affected: try await session.library.check(named))
  }
}

/// Lists the highlights that the next commit of a git work tree would damage.
package struct CheckStaged: Action {
  package static let name = "highlight.staged"
  package static let summary = "Lists the highlights that the next git commit would damage."
  // Runs git in a folder that the request names.
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnlyOrEmpty
  package static let parameters = [ActionParameter.gitFolder]
  package static let examples = [CheckStaged(folder: "/home/ada/notes")]

  package var folder: String

  package init(folder: String) { self.folder = folder }

  package func run(in session: ActionSession) async throws -> CheckOutcome {
    CheckOutcome(affected: try await session.library.checkStaged(around: folder), isStaged: true)
  }
}

/// Damaged highlights.
package struct CheckOutcome: ActionOutcome {
  package var affected: [AffectedHighlight]
  /// Whether the staged content of files was checked, rather than the files.
  package var isStaged = false

  /// A damaged highlight, an element of `diple.check/1`. The words are null if it has no position.
  private struct Record: Encodable {
    var highlight: HighlightRecord
    var state: AnchorState
    @Nullable var words: String?

    init(_ item: AffectedHighlight) {
      highlight = HighlightRecord(item.highlight, in: item.document)
      state = item.after.state
      words = item.words
    }
  }

  package var json: String { JSON.line("diple.check/1", affected.map(Record.init)) }
}

/// Installs a git hook that checks the staged content of files before each commit.
package struct InstallHook: Action {
  package static let name = "library.hook"
  package static let summary = "Installs a git hook that checks highlights before each commit."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter.gitFolder,
    ActionParameter(
      "naming", .flag, "Names this library in the hook; otherwise git finds the one of the folder."),
  ]
  package static let examples = [InstallHook(folder: "/home/ada/notes", naming: true)]

  package var folder: String
  package var naming: Bool?

  package init(folder: String, naming: Bool? = nil) {
    (self.folder, self.naming) = (folder, naming)
  }

  package struct Outcome: ActionOutcome {
    /// The path of the hook.
    package var path: String

    package var json: String { JSON.line("diple.file/1", ["path": path]) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(
      path: try await session.library.installHook(around: folder, naming: naming ?? false))
  }
}

extension ActionParameter {
  fileprivate static let gitFolder = ActionParameter(
    "folder", .text, "A folder of the git work tree.", isRequired: true)
}
