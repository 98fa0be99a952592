public import MarkdownParse
public import Model

/// One row of a laid-out page.
public struct Line: Hashable, Sendable {
  /// Its pieces from left to right.
  public var spans: [Span]

  /// A piece that looks alike.
  public struct Span: Hashable, Sendable {
    /// What is drawn: without control characters.
    public var text: String
    /// How it looks.
    public var look: Look
    /// The part of the rendered text that it shows; nil for what is only decoration.
    public var range: TextRange?
  }

  /// The columns it takes.
  public var width: Int { spans.reduce(0) { $0 + displayWidth(of: $1.text) } }
}

/// How a piece of a line looks.
public struct Look: Hashable, Sendable {
  /// The author's styles.
  public var style: TextStyle = []
  /// A heading's level, 0 for none.
  public var heading = 0
  /// Whether it is a decoration: a marker, a border, a number.
  public var isFaint = false
  /// The colour of the topmost highlight.
  public var highlight: HighlightColor?
  /// Whether several highlights cover it.
  public var isOverlap = false
  /// Whether the topmost highlight's place is doubtful.
  public var isDoubtful = false
  /// Whether it is a match of what is looked for.
  public var decoration = Decoration.normal
  /// The destination, for a clickable link.
  public var destination: String?

  /// Plain.
  public init() {}

  /// A decoration.
  static let faint: Look = {
    var look = Look()
    look.isFaint = true
    return look
  }()
}

/// One grapheme on its way into a line.
struct Cell {
  var text: Character
  var width: Int
  var look: Look
  /// Its units in the rendered text; nil for a decoration.
  var range: Range<Int>?
  /// Whether a line may end before it.
  var isBreak: Bool { text == " " && range != nil }
}

extension Character {
  /// A sign that stands for a control character, so that a text can never steer the terminal.
  var neutralized: Character {
    guard let scalar = unicodeScalars.first else { return self }
    switch scalar.value {
    case 0..<0x20: return Character(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
    case 0x7F: return "\u{2421}"
    case 0x80..<0xA0, 0x2028, 0x2029: return "\u{FFFD}"
    // Marks that reverse what follows could make a text show what it does not say.
    case 0x202A...0x202E, 0x2066...0x2069: return "\u{FFFD}"
    default: return self
    }
  }
}
