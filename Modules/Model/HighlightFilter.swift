package import FoundationEssentials

/// Which highlights are meant; every condition that is set must hold.
package struct HighlightFilter: Hashable, Sendable {
  /// Whether highlights in the trash are meant.
  package enum Trash: Hashable, Sendable {
    /// Only live ones, in documents that were not removed.
    case excluded
    /// All of them, in removed documents too.
    case included
    /// Only those in the trash.
    case only
  }

  /// What stands at a passage.
  package enum Kind: Hashable, Sendable {
    /// Highlights.
    case highlights
    /// Formatted passages.
    case formats
    /// Both.
    case all
  }

  /// In one of these documents.
  package var documents: [Document.ID]?
  /// Of one of these colours.
  package var colors: Set<HighlightColor>?
  /// With all of these tags.
  package var tags: [String]
  /// In one of these states.
  package var states: Set<AnchorState>?
  /// Made or changed at or after this moment.
  package var since: Date?
  /// In the trash or not.
  package var trash: Trash
  /// Highlights or formatted passages.
  package var kind: Kind
  /// How much of each highlight is read.
  package var detail = Detail.all

  /// How much of a highlight is read.
  package enum Detail: Sendable {
    /// All of it.
    case all
    /// All but the words before and after the passage, which are most of the data.
    case withoutContext
    /// What a line of a list shows: neither those words, nor the origin, nor the digest of the text.
    case line
  }

  /// Lets all live highlights through unless something is set.
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
