public import MarkdownParse
public import Model

/// A document with what is painted over it: all that a renderer needs.
public struct Page: Sendable {
  /// The text.
  public var document: ParsedDocument
  /// The highlights with a place; on an overlap the later one in this list is on top.
  public var overlays: [Overlay]
  /// What is looked for: in the order of the text, without overlaps.
  package var decorations: [DecoratedRange]
  /// What a library holds of its format beside the Markdown; nil for none. Highlights are painted above.
  package var format: ShownFormat?
  /// How it is drawn.
  public var options: PageOptions
  /// What tells the parts of code apart; the first that knows a language reads it.
  package var lexers: [any CodeLexer]

  /// Makes a page of its parts.
  public init(
    document: ParsedDocument, overlays: [Overlay] = [], decorations: [DecoratedRange] = [],
    options: PageOptions = .init(), lexers: [any CodeLexer] = []
  ) {
    self.document = document
    self.overlays = overlays
    self.decorations = decorations
    self.options = options
    self.lexers = lexers
  }

  /// Makes a page of a text with a format beside its Markdown.
  package init(
    document: ParsedDocument, overlays: [Overlay] = [], format: ShownFormat?,
    decorations: [DecoratedRange] = [], options: PageOptions = .init(),
    lexers: [any CodeLexer] = []
  ) {
    self.init(
      document: document, overlays: overlays, decorations: decorations, options: options,
      lexers: lexers)
    self.format = format
  }

  /// The overlays as they lie upon each other, the topmost last: in their order, but of those that begin
  /// at one place a shorter one lies on a longer one, which is seen behind its end. O(n log n).
  var stackedOverlays: [Overlay] {
    var stacked = overlays
    let byStart = Dictionary(grouping: overlays.indices) { overlays[$0].range.lowerBound }
    for places in byStart.values where places.count > 1 {
      let longestFirst = places.sorted {
        (overlays[$1].range.upperBound, $0) < (overlays[$0].range.upperBound, $1)
      }
      for (place, index) in zip(places, longestFirst) { stacked[place] = overlays[index] }
    }
    return stacked
  }

  /// Leaves only what the Markdown says, for what is no screen and no page of its own.
  public mutating func removeFormat() { format = nil }
}

/// A highlight, painted when the page is drawn and never part of the text.
public struct Overlay: Hashable, Sendable {
  /// What is covered.
  public var range: TextRange
  /// The colour.
  public var color: HighlightColor
  /// A doubtful one is marked as such; an orphan has no place and so is none.
  public var state: AnchorState
  /// A short name for the reader.
  package var id: String
  /// Whether the person wrote something about it.
  package var hasNote: Bool

  /// Makes an overlay of its parts.
  public init(
    range: TextRange, color: HighlightColor, state: AnchorState = .exact, id: String = "",
    hasNote: Bool = false
  ) {
    self.range = range
    self.color = color
    self.state = state
    self.id = id
    self.hasNote = hasNote
  }
}

/// How a page is drawn.
public struct PageOptions: Hashable, Sendable {
  /// Columns; at least 20.
  public var width: Int
  /// Which colours there are.
  public var color: ColorMode
  /// The colours.
  package var theme: Theme
  /// Whether it is for a screen: then rules stand below headings, and signs where a line of code goes
  /// on. Neither belongs into a file.
  package var isOnScreen = false
  /// Whether text that runs from right to left is put in the order in which it is seen; otherwise it
  /// stays as it is read, for terminals that order it.
  package var ordersText = false
  /// Whether the terminal draws more than one kind of line below letters.
  package var hasUnderlineStyles = false
  /// The pictures that the terminal draws; nil for none.
  package var pictures: PictureShow?
  /// Whether links are made clickable (OSC 8).
  public var hyperlinks: Bool
  /// Only the blocks that touch this range; nil for all.
  public var range: TextRange?
  /// The first heading of level 1 is not drawn when it says this; it stays in the text, and all
  /// offsets are the same. Nil for a page with all of its headings.
  package var hiddenTitle: String?
  /// Lines above the text that are no part of it: its title, then author and date, each empty where
  /// there is none.
  package var head: [String] = []

  /// Eighty columns without colours unless something else is said.
  public init(
    width: Int = 80, color: ColorMode = .none, theme: Theme = .light, hyperlinks: Bool = false,
    range: TextRange? = nil
  ) {
    self.width = max(20, width)
    self.color = color
    self.theme = theme
    self.hyperlinks = hyperlinks
    self.range = range
  }
}

/// A way to draw a page.
public protocol Renderer: Strategy where Example == RenderExample {
  /// Writes the page.
  func render(_ page: Page, to output: inout some TextOutputStream)
}

extension Registry where Element == any Renderer {
  /// Appends a renderer.
  package mutating func register<R: Renderer>(_ renderer: R) { register(renderer, as: R.self) }
}

/// An example of what a renderer writes.
public struct RenderExample: Sendable {
  /// What it shows.
  public var title: String
  /// The Markdown.
  public var markdown: String
  /// What is highlighted in the rendered text.
  public var overlays: [Overlay]
  /// The options.
  public var options: PageOptions
  /// The lines that must come out.
  public var lines: [String]

  /// Makes an example of its parts.
  public init(
    _ title: String, markdown: String, overlays: [Overlay] = [], options: PageOptions = .init(),
    lines: [String]
  ) {
    self.title = title
    self.markdown = markdown
    self.overlays = overlays
    self.options = options
    self.lines = lines
  }
}
