package import FoundationEssentials

/// A passage that a person marked.
public struct Highlight: Hashable, Sendable, Identifiable {
  /// Names a highlight in every replica.
  public typealias ID = Identifier<Highlight>

  /// The identity.
  public var id: ID
  /// The document that it stands in.
  package var document: Document.ID
  /// What was selected when it was made: the truth from which its place is found again.
  package var selector: Selector
  /// One of the four colours.
  package var color: HighlightColor
  /// What the colour means in its library; nil when nobody said.
  package var label: String?
  /// What the person wrote about it; empty when nothing.
  package var note: String
  /// Sorted, without repeats.
  package var tags: [String]
  /// Whether a person moved it to the trash; it can be restored.
  package var isTrashed: Bool
  /// Whether a person said that its passage is gone: it is looked for no more, and stays.
  package var isDetached: Bool
  /// When it was made.
  package var created: Date
  /// When the person last changed it.
  package var updated: Date
  /// Where it was imported from; nil for one that was made here.
  package var origin: StoredOrigin?
  /// What it gives its text, as JSON, when it is a formatted passage; nil for a highlight. Both are
  /// found again in the same way, and nothing else of a formatted passage is used.
  package var format: String?
  /// Where it stands in the document's last seen text; a local cache, never synced.
  package var anchor: Anchor
  /// Whether another highlight, of another machine, has the same number.
  package var hasNamesake = false

  /// Makes a highlight of its parts.
  package init(
    id: ID, document: Document.ID, selector: Selector, color: HighlightColor,
    label: String? = nil, note: String = "", tags: [String] = [], isTrashed: Bool = false,
    isDetached: Bool = false, created: Date,
    updated: Date, origin: StoredOrigin? = nil, format: String? = nil, anchor: Anchor
  ) {
    self.id = id
    self.document = document
    self.selector = selector
    self.color = color
    self.label = label
    self.note = note
    self.tags = tags
    self.isTrashed = isTrashed
    self.isDetached = isDetached
    self.created = created
    self.updated = updated
    self.origin = origin
    self.format = format
    self.anchor = anchor
  }
}

extension Highlight {
  /// The short name by which a person calls it.
  package var shortID: String { id.dot.shortName(withReplica: hasNamesake) }
}

/// The four colours.
public enum HighlightColor: String, Hashable, Sendable, Codable, CaseIterable {
  /// The default.
  case yellow
  /// The second colour.
  case green
  /// The third colour.
  case blue
  /// The fourth colour.
  case pink

  /// The sign that stands for the colour where there is none: `Y`, `G`, `B`, `P`.
  public var letter: Character {
    switch self {
    case .yellow: "Y"
    case .green: "G"
    case .blue: "B"
    case .pink: "P"
    }
  }
}
