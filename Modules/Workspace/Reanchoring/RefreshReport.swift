package import Model
package import SystemSupport

/// The result of checking a document's file, with the outcome for each of its highlights.
///
/// ```swift
/// for report in try await library.refresh() {
///   if let line = report.summary { print(line) }
/// }
/// ```
package struct RefreshReport: Hashable, Sendable {
  /// The document after the check.
  package var document: Document
  /// The change of the file.
  package var change: Change
  /// The outcome for each highlight, sorted by its previous location. Empty if the text is
  /// unchanged, unless the file has returned.
  package var outcomes: [Outcome]

  /// The number of formatted passages that lost their certain location. They are displayed again
  /// when they are located.
  package var lostFormats = 0

  /// The file's previous path if it was found at another one; otherwise nil.
  package var movedFrom: DocumentPath?

  /// Why a file with the same bytes has a new text, as a phrase that follows "is"; nil if the bytes
  /// changed.
  package var reread: String?

  /// Whether the document has highlights. Only set to false in the report of a missing file.
  package var hasHighlights = true

  /// The change of a file since the last check.
  package enum Change: String, Hashable, Sendable, Codable {
    case unchanged
    /// The text has changed.
    case changed
    /// The file has disappeared since the last check.
    case missing
    /// The file was missing and exists again.
    case returned
    /// The file exists but cannot be read. The document keeps its state.
    case unreadable
  }

  /// The outcome for one highlight.
  package struct Outcome: Hashable, Sendable {
    package var highlight: Highlight.ID
    /// The highlight's short identifier, as commands print and accept it.
    package var name: String
    /// The text that was highlighted.
    package var quote: String
    /// The location before the change.
    package var before: Anchor
    /// The location after the change.
    package var after: Anchor

    /// Whether the highlight is exact, at another range than before.
    package var isShifted: Bool { after.state == .exact && after.range != before.range }

    /// Whether the highlight became doubtful or orphaned by this change. A highlight that was
    /// doubtful or orphaned before has been reported already.
    package var isNewlyLost: Bool { isLost && after.state != before.state }

    /// Whether the highlight is doubtful or orphaned.
    fileprivate var isLost: Bool { [.doubtful, .orphaned].contains(after.state) }
  }

  /// The error if the file cannot be read; otherwise nil.
  package var problem: UserError?

  /// Whether the file is missing. A search then uses the last text that was read from it.
  package var isMissing: Bool { change == .missing || problem == .missingFile(document) }

  /// Whether the file exists but could not be read, so that it may contain matches of a search.
  package var isUnread: Bool { change == .unreadable && problem != .missingFile(document) }

  /// Returns the number of highlights with a state.
  package func count(_ state: AnchorState) -> Int { outcomes.count { $0.after.state == state } }

  /// The outcomes to report: those of all highlights except the ones that were lost before, which
  /// have been reported already.
  package var affected: [Outcome] { outcomes.filter { !$0.isLost || $0.isNewlyLost } }

  /// A line for the user; nil if there is nothing to report.
  package var summary: String? { summary(in: .plain) }

  /// Returns a line for the user, in the words of a front-end; nil if there is nothing to report.
  package func summary(in syntax: Hint.Syntax) -> String? {
    let name = document.path.string
    switch change {
    case .unchanged: return movedFrom.map { "\($0.string) was renamed to \(name)" }
    case .missing:
      return
        "\(name) is missing; \(hasHighlights ? "its highlights are kept" : "it had no highlights")"
    case .unreadable:
      guard let problem else { return nil }
      let description = problem.description(in: syntax)
      // The message about a missing file already contains the document's path.
      return problem == .missingFile(document)
        ? description : "\(name) not refreshed: \(description)"
    case .changed, .returned:
      let summary =
        movedFrom.map { "\($0.string) was renamed to \(name)" }
        ?? (change == .returned
          ? "\(name) was found again" : reread.map { "\(name) is \($0)" } ?? "\(name) changed")
      let lost =
        lostFormats > 0
        ? """
        ; \(lostFormats.counted("formatted passage")) lost \(lostFormats == 1 ? "its" : "their") \
        place
        """
        : ""
      guard !outcomes.isEmpty else { return "\(summary); no highlights\(lost)" }
      let shifted = outcomes.count(where: \.isShifted)
      let affected = affected
      var parts: [String] = []
      for (state, word) in Self.words {
        let count = affected.count { $0.after.state == state }
        if count == 0 { continue }
        let detail = state == .exact && shifted > 0 ? " (\(shifted) shifted)" : ""
        parts.append("\(count) \(word)\(detail)")
      }
      return summary + (parts.isEmpty ? "" : ": ") + parts.joined(separator: ", ") + lost
    }
  }

  /// A line about one document, or about several that moved together.
  package struct Gathered: Sendable {
    /// The text of the line.
    package var summary: String
    /// The outcomes for the highlights of its documents.
    package var outcomes: [Outcome]
  }

  /// Returns the lines for the user about some documents. Documents without anything to report are
  /// left out. Documents whose folder was renamed and whose highlights are unchanged share a line.
  package static func gathered(
    _ reports: [RefreshReport], in syntax: Hint.Syntax = .plain
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

  /// The old and new path of the folder, if the file only moved with its folder; nil if its name
  /// changed, too, or there is more to report.
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
