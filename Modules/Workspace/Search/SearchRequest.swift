package import Model
package import Search
import Storage
import SystemSupport

/// A search in the library: the query, where it applies, and its limits.
///
/// ```swift
/// var request = SearchRequest(query: try SearchQuery("attention"))
/// request.place = .all
/// let outcome = try await library.search(request) { event in
///   if case .found(let result) = event { print(result.document.title, result.count) }
///   return true
/// }
/// ```
package struct SearchRequest: Hashable, Sendable {
  /// The kind of text to search.
  package enum Place: String, Hashable, Sendable, Codable, CaseIterable {
    /// The texts of documents.
    case text
    /// The notes on highlights and on documents.
    case notes
    /// The quotes of highlights, including quotes whose text was deleted from the document.
    case highlights
    /// Texts, notes and quotes.
    case all

    /// Returns whether a search of this kind also searches `other`.
    package func includes(_ other: Place) -> Bool { self == .all || self == other }
  }

  package var query: SearchQuery
  /// The id of the search strategy, as in `find --strategy`.
  package var strategy = "literal"
  package var place = Place.text
  /// The documents to search; nil for all.
  package var documents: [Document.ID]?
  /// The highlights to search. In texts, only matches that overlap one of them are returned, and
  /// notes on documents aren't searched. Nil for no limit.
  package var highlights: HighlightFilter?
  /// The maximum number of matches returned for one document; nil for no limit.
  package var matchesPerDocument: Int?
  /// Whether matches beyond that limit are counted.
  package var countsAll = false
  /// Whether files are checked, so that changes since the last check are found. If false, the
  /// stored texts are searched.
  package var checksFiles = true
  /// Whether the caller guarantees that the library is up to date with all files, as the daemon
  /// can. Then no file is checked, and the results are the same.
  package var filesAreSettled = false
  /// The maximum time of the search; nil for no limit.
  package var timeLimit: Duration?

  /// Creates a literal search in the texts of all documents.
  package init(query: SearchQuery) { self.query = query }
}

/// The matches of a query in one document.
package struct SearchResult: Sendable {
  package var document: Document
  /// The matches in order, each with its position in the source and its line.
  package var matches: [Match]
  /// The number of matches, including those beyond `matchesPerDocument` if all are counted;
  /// otherwise the number returned.
  package var count: Int

  package struct Match: Hashable, Sendable {
    /// The kind of text that contains the match: `text`, `notes` or `highlights`, never `all`.
    package var place: SearchRequest.Place
    /// The highlight whose quote or note contains the match; nil for a match in a document's text or
    /// in the note on a document.
    package var highlight: Highlight.ID?
    /// The short id of that highlight.
    package var highlightName: String?
    /// The range in the rendered text; nil for a match in a note, or in a quote that is no longer
    /// in the document.
    package var range: TextRange?
    /// The position in the Markdown source; nil if the match has none.
    package var position: LinePosition?
    /// The rendered line in which the match begins, the whole note, or the whole quote.
    package var line: String
    /// The match in UTF-16 units of `line`, cut off at the end of the line.
    package var lineRange: TextRange
  }
}

/// A result that a running search passes to its caller.
package enum SearchEvent: Sendable {
  /// A document with matches. A document with many thousands of matches is passed in several
  /// events.
  case found(SearchResult)
  /// The output of a formatter for matches in the text of a document, instead of the matches.
  case written([UInt8], matches: Int)
  /// The report of a file that changed or could not be read.
  case report(RefreshReport)
}
