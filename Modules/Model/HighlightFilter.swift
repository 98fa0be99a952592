package import FoundationEssentials

/// Selects highlights. A highlight must meet every condition that is set.
///
/// ```swift
/// let filter = HighlightFilter(colors: [.green], tags: ["thesis"], states: [.doubtful])
/// ```
package struct HighlightFilter: Hashable, Sendable {
  /// How the filter treats the trash.
  package enum Trash: Hashable, Sendable {
    /// Matches only highlights outside the trash, in documents that were not removed.
    case excluded
    /// Matches all highlights, including those in removed documents.
    case included
    /// Matches only highlights in the trash.
    case only
  }

  /// The kinds of passages that the filter matches.
  package enum Kind: Hashable, Sendable {
    /// Only highlights.
    case highlights
    /// Only formatted passages.
    case formats
    /// Highlights and formatted passages.
    case all
  }

  /// Matches highlights in any of these documents; nil matches all.
  package var documents: [Document.ID]?
  /// Matches highlights in any of these colours; nil matches all.
  package var colors: Set<HighlightColor>?
  /// Matches highlights that have all of these tags.
  package var tags: [String]
  /// Matches highlights in any of these states; nil matches all.
  package var states: Set<AnchorState>?
  /// Matches highlights created or changed at or after this time; nil matches all.
  package var since: Date?
  /// Whether highlights in the trash match.
  package var trash: Trash
  /// Whether highlights, formatted passages or both match.
  package var kind: Kind
  /// Further conditions, which are tested after a highlight was read.
  package var conditions: [HighlightCondition] = []
  /// The properties to read for each match.
  package var detail = Detail.all

  /// How many of a highlight's properties are read.
  package enum Detail: Sendable {
    /// Every property.
    case all
    /// Everything except the context around the passage, which is most of the data.
    case withoutContext
    /// The properties that a line of a list shows: no context, no origin and no digest of the text.
    case line
  }

  /// Creates a filter. Without arguments, it matches all highlights that are not in the trash.
  package init(
    documents: [Document.ID]? = nil, colors: Set<HighlightColor>? = nil, tags: [String] = [],
    states: Set<AnchorState>? = nil, since: Date? = nil, trash: Trash = .excluded,
    kind: Kind = .highlights
  ) {
    self.documents = documents
    self.colors = colors
    self.tags = tags
    self.states = states
    self.since = since
    self.trash = trash
    self.kind = kind
  }
}
