public import FoundationEssentials

/// Which highlights are meant; every condition that is set must hold.
public struct HighlightFilter: Hashable, Sendable {
  /// Whether highlights in the trash are meant.
  public enum Trash: Hashable, Sendable {
    /// Only live ones, in documents that were not removed.
    case excluded
    /// All of them, in removed documents too.
    case included
    /// Only those in the trash.
    case only
  }

  /// In one of these documents.
  public var documents: [Document.ID]?
  /// Of one of these colours.
  public var colors: Set<HighlightColor>?
  /// With all of these tags.
  public var tags: [String]
  /// In one of these states.
  public var states: Set<AnchorState>?
  /// Made or changed at or after this moment.
  public var since: Date?
  /// In the trash or not.
  public var trash: Trash
  /// Whether the selectors come without the words before and after, which are most of the data and
  /// nothing that a listing shows.
  public var omitsContext = false

  /// Lets all live highlights through unless something is set.
  public init(
    documents: [Document.ID]? = nil, colors: Set<HighlightColor>? = nil, tags: [String] = [],
    states: Set<AnchorState>? = nil, since: Date? = nil, trash: Trash = .excluded
  ) {
    self.documents = documents
    self.colors = colors
    self.tags = tags
    self.states = states
    self.since = since
    self.trash = trash
  }
}
