import DaemonKit
import Editing
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Replaces match by match: each one is shown, and a person says what becomes of it. Each replacement
/// is written at once and is a step of its own for `undo`; `all` is one step for all that is left.
package struct ReplaceSession: Sendable {
  /// What becomes of a match.
  package enum Answer: Hashable, Sendable {
    /// Replace it.
    case yes
    /// Leave it as it is.
    case no
    /// Replace it and all after it.
    case all
    /// Leave it and all after it.
    case quit
  }

  /// The match at hand.
  package struct Proposal: Sendable {
    /// The text that it stands in.
    package var open: OpenDocument
    /// Where it stands, with what would stand there.
    package var edit: TextEdit
    /// All matches of the text.
    package var matches: [TextRange]
    /// Which of them it is, from 0.
    package var index: Int

    /// The question to a person, on one line.
    package var question: String {
      let words = open.parsed.text.substring(edit.range).shortened
      return "Replace “\(words)” by “\(edit.replacement.shortened)” (\(index + 1) of "
        + "\(matches.count))?"
    }
  }

  /// The document.
  package let document: Document
  private var request: ReplaceRequest
  /// Where the next match is looked for.
  private var place: Int
  /// How many places were replaced.
  package private(set) var replaced = 0
  /// The match that was shown last.
  package private(set) var proposal: Proposal?

  /// Begins with the first match at or behind a place.
  ///
  /// - Parameter request: in the rendered text; which of its matches are meant is left aside.
  package init(_ request: ReplaceRequest, in document: Document, from place: TextOffset) {
    (self.request, self.document, self.place) = (request, document, place.utf16)
  }

  /// Goes to the next match, in the text as its file is now; nil when there is none any more.
  package mutating func advance(in library: Library) async throws -> Proposal? {
    let (open, edits) = try await library.places(of: request, in: document)
    // The passage is that of the beginning, however its words change.
    if let spec = request.passage {
      let range = try await library.select(spec, in: open)
      request.passage = try SelectionSpec(parsing: range.description)
    }
    let text = open.parsed.text
    let index = edits.firstIndex {
      $0.range.utf16.lowerBound >= place && text.substring($0.range) != $0.replacement
    }
    proposal = index.map {
      Proposal(open: open, edit: edits[$0], matches: edits.map(\.range), index: $0)
    }
    return proposal
  }

  /// Does what a person said about the match that was shown last.
  ///
  /// - Returns: what was replaced and refused; nil when nothing was tried.
  /// - Throws: `conflict` when the file changed since the match was shown.
  package mutating func take(_ answer: Answer, in library: Library) async throws -> ReplaceReport? {
    guard let shown = proposal else { return nil }
    proposal = nil
    switch answer {
    case .quit: return nil
    case .no:
      place = shown.edit.range.utf16.upperBound + (shown.edit.range.isEmpty ? 1 : 0)
      return nil
    case .yes: request.which = .number(shown.index + 1)
    case .all: request.which = .from(shown.index + 1)
    }
    let now = try await library.open(document)
    guard now.parsed.isSame(as: shown.open.parsed) else {
      throw UserError(.conflict, "the file changed meanwhile", hint: "review the match again")
    }
    let report = try await library.replace(request, in: [document])
    replaced += report.places
    let after = try await library.open(document).parsed.text.count
    let growth = after - now.parsed.text.count
    place = shown.edit.range.utf16.upperBound + growth + (shown.edit.range.isEmpty ? 1 : 0)
    if answer == .all { place = .max }
    if let spec = request.passage, growth != 0 {
      let range = try await library.select(spec, in: now)
      request.passage = try SelectionSpec(
        parsing: TextRange(
          utf16: range.utf16
            .lowerBound..<max(
              range.utf16.lowerBound, range.utf16.upperBound + growth)
        ).description)
    }
    return report
  }

  /// What was done, on one line.
  package var summary: String {
    replaced == 0 ? "nothing was replaced" : "replaced \(replaced.counted("place"))"
  }
}
