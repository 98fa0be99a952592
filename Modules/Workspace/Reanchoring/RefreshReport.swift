package import Model
package import SystemSupport

/// What a check of a document's file showed, and what became of its highlights.
package struct RefreshReport: Hashable, Sendable {
  /// The document as it is now.
  package var document: Document
  /// What happened to the file.
  package var change: Change
  /// What became of each highlight, in the order of their places before; empty unless the text
  /// changed.
  package var outcomes: [Outcome]

  /// How many formatted passages had a sure place before, and have none now: they are shown again
  /// when their place is found.
  package var lostFormats = 0

  /// Where the file stood before, when it was found at another place.
  package var movedFrom: DocumentPath?

  /// Why the same bytes have another text, as what follows "is"; nil where the bytes are others.
  package var reread: String?

  /// What happened to a file since it was last looked at.
  package enum Change: String, Hashable, Sendable, Codable {
    /// Nothing that matters to the reader.
    case unchanged
    /// Its text is another.
    case changed
    /// It is not there any more.
    case missing
    /// It was missing and is there again.
    case returned
    /// It is there but cannot be read; everything is as before.
    case unreadable
  }

  /// What became of one highlight.
  package struct Outcome: Hashable, Sendable {
    /// Which one.
    package var highlight: Highlight.ID
    /// The short name by which a person calls it.
    package var name: String
    /// The words that were marked.
    package var quote: String
    /// Where it stood.
    package var before: Anchor
    /// Where it stands.
    package var after: Anchor

    /// Whether it is where it was relative to its neighbours but at another offset.
    package var isShifted: Bool { after.state == .exact && after.range != before.range }
  }

  /// Why the file cannot be read, when it cannot.
  package var problem: UserError?

  /// Whether there is a file, and it could not be read. In one that is gone there is surely no match.
  package var isUnread: Bool { change == .unreadable && problem != .missingFile(document) }

  /// How many highlights ended in a state.
  package func count(_ state: AnchorState) -> Int { outcomes.count { $0.after.state == state } }

  /// One line for a person, or nil when there is nothing to say.
  package var summary: String? { summary(in: .shell) }

  /// The same, with commands as they are typed at a place.
  package func summary(in syntax: Hint.Syntax) -> String? {
    let name = document.path.string
    switch change {
    case .unchanged: return movedFrom.map { "\($0.string) was renamed to \(name)" }
    case .missing: return "\(name) is missing; its highlights are kept"
    case .unreadable: return problem.map { "\(name) not refreshed: \($0.description(in: syntax))" }
    case .changed, .returned:
      let news =
        movedFrom.map { "\($0.string) was renamed to \(name)" }
        ?? (change == .returned
          ? "\(name) was found again" : reread.map { "\(name) is \($0)" } ?? "\(name) changed")
      let lost =
        lostFormats > 0
        ? "; \(lostFormats.counted("formatted passage")) lost \(lostFormats == 1 ? "its" : "their") place"
        : ""
      guard !outcomes.isEmpty else { return "\(news); no highlights\(lost)" }
      let shifted = outcomes.count(where: \.isShifted)
      var parts: [String] = []
      for (state, word) in Self.words where count(state) > 0 {
        let detail = state == .exact && shifted > 0 ? " (\(shifted) shifted)" : ""
        parts.append("\(count(state)) \(word)\(detail)")
      }
      return "\(news): " + parts.joined(separator: ", ") + lost
    }
  }

  /// A line about one document, or about several that went the same way.
  package struct Gathered: Sendable {
    /// The line.
    package var summary: String
    /// What became of the highlights that it is about.
    package var outcomes: [Outcome]
  }

  /// The lines for a person about some documents, without those of which there is nothing to say.
  /// Documents whose folder was renamed, and whose highlights stand where they stood, share one.
  package static func gathered(
    _ reports: [RefreshReport], in syntax: Hint.Syntax = .shell
  ) -> [Gathered] {
    let moves = Dictionary(grouping: reports.indices) { reports[$0].folderMove }
    var lines: [Gathered] = []
    for (index, report) in reports.enumerated() {
      guard let move = report.folderMove, let group = moves[move], group.count > 1 else {
        if let summary = report.summary(in: syntax) {
          lines.append(Gathered(summary: summary, outcomes: report.outcomes))
        }
        continue
      }
      guard group.first == index else { continue }
      let documents = group.count.counted("document")
      lines.append(
        Gathered(
          summary: move.from.isEmpty || move.to.isEmpty
            ? "moved \(documents) from \(move.from.isEmpty ? "." : move.from) "
              + "to \(move.to.isEmpty ? "." : move.to)"
            : "renamed folder \(move.from) → \(move.to): \(documents)", outcomes: []))
    }
    return lines
  }

  private struct FolderMove: Hashable {
    var from: String
    var to: String
  }

  /// The folders before and after, when the file only went with its folder; nil when it has another
  /// name, or more is to be said.
  private var folderMove: FolderMove? {
    guard let movedFrom, [.unchanged, .returned].contains(change), problem == nil,
      outcomes.allSatisfy({ $0.after == $0.before })
    else { return nil }
    var (old, new) = (movedFrom.components, document.path.components)
    guard old.last == new.last else { return nil }
    while let last = old.last, last == new.last {
      old.removeLast()
      new.removeLast()
    }
    let (from, to) = (old.joined(separator: "/"), new.joined(separator: "/"))
    return FolderMove(
      from: movedFrom.isAbsolute ? "/" + from : from, to: document.path.isAbsolute ? "/" + to : to)
  }

  private static let words: [(AnchorState, String)] = [
    (.exact, "kept"), (.moved, "moved"), (.edited, "edited"), (.doubtful, "doubtful"),
    (.orphaned, "orphaned"),
  ]
}

extension DocumentPath {
  fileprivate var components: [Substring] { string.split(separator: "/") }
}
