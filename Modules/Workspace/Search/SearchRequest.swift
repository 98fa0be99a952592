package import Model
package import Search
import Storage
import SystemSupport

/// What a person looks for, and where.
package struct SearchRequest: Hashable, Sendable {
  /// Where to look.
  package enum Place: String, Hashable, Sendable, Codable, CaseIterable {
    /// In the texts of the documents.
    case text
    /// In the notes on highlights.
    case notes
    /// In the words that were highlighted, also where they stand no more.
    case highlights
    /// In all of these.
    case all

    /// Whether looking here means looking there.
    package func includes(_ other: Place) -> Bool { self == .all || self == other }
  }

  /// What is looked for.
  package var query: SearchQuery
  /// The id of the strategy.
  package var strategy = "literal"
  /// Where.
  package var place = Place.text
  /// Which documents; nil for all.
  package var documents: [Document.ID]?
  /// Which highlights count; in texts, only what stands in one of them is found. Nil for everything.
  package var highlights: HighlightFilter?
  /// The most matches that are given of one document; nil for all.
  package var matchesPerDocument: Int?
  /// Whether the matches beyond those are counted.
  package var countsAll = false
  /// Whether each file is checked, so that what changed since is found too; otherwise the texts are
  /// those last seen.
  package var looksAtFiles = true
  /// Whether it is known that the library holds all that happened to files until now, as a daemon can
  /// say: then none is checked, and what is found is the same.
  package var filesAreSettled = false
  /// When the search ends at the latest; nil for never.
  package var timeLimit: Duration?

  /// Looks for the characters in all texts unless something else is said.
  package init(query: SearchQuery) { self.query = query }
}

/// The matches of a query in one document.
package struct SearchResult: Sendable {
  /// Where.
  package var document: Document
  /// The matches in order, each with its source position and the line around it.
  package var matches: [Match]
  /// How many there are, where those beyond `matchesPerDocument` are counted; else how many are given.
  package var count: Int

  /// One match.
  package struct Match: Hashable, Sendable {
    /// What the match was found in: `text`, `notes` or `highlights`.
    package var place: SearchRequest.Place
    /// The highlight whose words or note hold the match.
    package var highlight: Highlight.ID?
    /// The place in the rendered text; nil for a match in a note, or in words that are no longer
    /// there.
    package var range: TextRange?
    /// The place in the source; nil for what has none.
    package var position: LinePosition?
    /// The rendered line that holds the match's start, the note, or the highlighted words.
    package var line: String
    /// The match inside `line`; cut at its end.
    package var lineRange: TextRange
  }
}

/// What a search gives as it goes on.
package enum SearchEvent: Sendable {
  /// A document with matches; many thousands of matches are several events.
  case found(SearchResult)
  /// What a formatter wrote for matches in the text of a document, instead of the matches.
  case written([UInt8], matches: Int)
  /// What the check of a file showed, when it was something.
  case report(RefreshReport)
}
