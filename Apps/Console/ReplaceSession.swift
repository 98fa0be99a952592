import DaemonKit
import Editing
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Replaces matches one by one, as the user decides. Each replacement is written immediately and
/// can be undone separately. `all` replaces the remaining matches as a single step.
package struct ReplaceSession: Sendable {
  /// The user's decision about a match.
  package enum Answer: Hashable, Sendable {
    case yes
    /// Skip this match.
    case no
    /// Replace this and all later matches.
    case all
    /// End the session without replacing this match.
    case quit
  }

  /// The current match and its replacement.
  package struct Proposal: Sendable {
    /// The document that contains the match.
    package var open: OpenDocument
    /// The match's range and its replacement.
    package var edit: TextEdit
    /// The ranges of all matches in the document.
    package var matches: [TextRange]
    /// The index of this match in `matches`.
    package var index: Int

    /// The question for the user, one line.
    package var question: String {
      let words = open.parsed.text.substring(edit.range).shortened
      return "Replace “\(words)” by “\(edit.replacement.shortened)” (\(index + 1) of "
        + "\(matches.count))?"
    }
  }

  /// The document in which matches are replaced.
  package let document: Document
  private var request: ReplaceRequest
  /// The offset in UTF-16 units at which the next search starts.
  private var place: Int
  /// The number of replaced matches.
  package private(set) var replaced = 0
  /// The match that was shown last. Nil after ``take(_:in:)``, or if there are no further matches.
  package private(set) var proposal: Proposal?

  /// Creates a session that starts at the first match at or after an offset.
  ///
  /// - Parameter request: the replacement in the rendered text. Its `which` is ignored.
  package init(_ request: ReplaceRequest, in document: Document, from place: TextOffset) {
    (self.request, self.document, self.place) = (request, document, place.utf16)
  }

  /// Returns the next match in the current version of the document, or nil if there is none. Skips
  /// matches whose text equals the replacement.
  ///
  /// - Throws: ``UserError``: the errors of `Library.places(of:in:)`, or those of
  ///   `Library.select(_:in:)` for the passage of the request.
  package mutating func advance(in library: Library) async throws -> Proposal? {
    let (open, edits) = try await library.places(of: request, in: document)
    // Convert the passage to offsets once, because replacements may change the words it is found
    // by.
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

  /// Carries out the user's decision about the match that was shown last.
  ///
  /// - Returns: the replacements and rejections, or nil if nothing was to be replaced.
  /// - Throws: ``UserError`` with the code `conflict` if the file has changed since the match was
  ///   shown.
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

  /// The result of the session, one line.
  package var summary: String {
    replaced == 0 ? "nothing was replaced" : "replaced \(replaced.counted("place"))"
  }
}
