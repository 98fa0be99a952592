package import FoundationEssentials

/// A passage of a document that the user highlighted, with its note and tags.
///
/// A passage that the user formatted is stored the same way; see `format`.
public struct Highlight: Hashable, Sendable, Identifiable {
  /// Identifies a highlight in every replica.
  public typealias ID = Identifier<Highlight>

  /// The highlight's identity.
  public var id: ID
  /// The document that contains the passage.
  package var document: Document.ID
  /// The passage as it was selected. Anchoring starts from it whenever the document changes.
  package var selector: Selector
  package var color: HighlightColor
  /// The meaning of the colour in this library; nil if the user set none.
  package var label: String?
  /// The user's note; empty if there is none.
  package var note: String
  /// The tags, sorted and without duplicates.
  package var tags: [String]
  /// Whether the highlight is in the trash, from which it can be restored.
  package var isTrashed: Bool
  /// Whether the user declared the passage deleted. The highlight is kept but no longer looked for.
  package var isDetached: Bool
  /// The time at which the highlight was created.
  package var created: Date
  /// The time of the user's last change to it.
  package var updated: Date
  /// The source of an imported highlight; nil if it was created in Diple.
  package var origin: StoredOrigin?
  /// The formatting of a formatted passage, as JSON; nil for a highlight.
  ///
  /// Highlights and formatted passages are anchored in the same way. A formatted passage uses no
  /// other property that describes a highlight, such as the colour or the note.
  package var format: String?
  /// The position in the latest text of the document; a local cache, never synchronized.
  package var anchor: Anchor
  /// The words at its place in the latest text of the document, if they were edited after the
  /// marking. Nil for unedited words, and if the text was not read; a local cache like ``anchor``.
  package var now: String?
  /// The number in this copy of the library, by which people name the highlight. It is never given
  /// to another highlight. Nil for a formatted passage.
  package var number: Int?

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
  /// The words to show: those in the document now if they are known, otherwise the marked words.
  package var words: String { now ?? selector.exact }

  /// The shortest name that commands accept and print: the number, such as `42`, or the id if there
  /// is no number.
  package var shortID: String { number.map(String.init) ?? id.description }
}

/// The colours of highlights.
public enum HighlightColor: String, Hashable, Sendable, Codable, CaseIterable {
  /// Yellow, the default.
  case yellow
  case green
  case blue
  case pink

  /// The letter printed where colours are not available: `Y`, `G`, `B` or `P`.
  public var letter: Character {
    switch self {
    case .yellow: "Y"
    case .green: "G"
    case .blue: "B"
    case .pink: "P"
    }
  }
}

extension HighlightColor {
  /// Creates the nearest colour, by its hue, to a colour as `0xRRGGBB`; blue for a grey.
  public init(nearest color: UInt32) {
    let (red, green, blue) = (
      Int(color >> 16 & 0xFF), Int(color >> 8 & 0xFF), Int(color & 0xFF)
    )
    let (most, least) = (max(red, green, blue), min(red, green, blue))
    guard most - least > 24 else {
      self = .blue
      return
    }
    let range = Double(most - least)
    let hue: Double =
      if most == red {
        Double(green - blue) / range * 60
      } else if most == green {
        Double(blue - red) / range * 60 + 120
      } else {
        Double(red - green) / range * 60 + 240
      }
    self =
      switch hue < 0 ? hue + 360 : hue {
      case 22..<72: .yellow
      case 72..<172: .green
      case 172..<258: .blue
      default: .pink
      }
  }

  /// The colour on white paper, as `0xRRGGBB`.
  package var onPaper: UInt32 {
    switch self {
    case .yellow: 0xFFF36D
    case .green: 0xA6E8B4
    case .blue: 0x86B6FF
    case .pink: 0xF7BFE6
    }
  }

  /// Creates the highlight colour with a value of ``onPaper``; nil for other colours.
  package init?(onPaper color: UInt32) {
    guard let found = Self.allCases.first(where: { $0.onPaper == color }) else { return nil }
    self = found
  }
}
