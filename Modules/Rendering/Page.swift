public import MarkdownParse
public import Model

/// A document with its highlights and options: everything that a renderer needs.
///
/// ```swift
/// let document = ParsedDocument(parsing: MarkdownSource("The *quick* fox"))
/// let overlay = Overlay(range: TextRange(utf16: 4..<9), color: .yellow)
/// let page = Page(document: document, overlays: [overlay])
/// ```
public struct Page: Sendable {
  /// The document that is laid out.
  public var document: ParsedDocument
  /// The highlights that have a range. Where they overlap, the later one in the list is on top.
  public var overlays: [Overlay]
  /// The matches of a search, in the order of the text and without overlaps.
  package var decorations: [DecoratedRange]
  /// The format that the library stores for the document; nil if it stores none. Highlights are
  /// drawn over it.
  package var format: ShownFormat?
  /// The options for drawing the page.
  public var options: PageOptions
  /// The lexers for code blocks. The first lexer that supports a language is used.
  package var lexers: [any CodeLexer]

  /// Creates a page without a format. `decorations` must be in order and disjoint.
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

  /// Creates a page with a format. `decorations` must be in order and disjoint.
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

  /// The overlays in stacking order, the topmost last. This is the order of `overlays`, except for
  /// overlays with the same start: the longer ones are below, so that they remain visible after the
  /// ends of the shorter ones. O(n log n).
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

  /// Removes the format, for output that is neither a screen nor a page.
  public mutating func removeFormat() { format = nil }
}

/// A highlight on a page. Overlays are drawn over the text and are never part of it.
public struct Overlay: Hashable, Sendable {
  /// The range that is highlighted.
  public var range: TextRange
  /// The colour of the highlight.
  public var color: HighlightColor
  /// The state of the anchor. Doubtful overlays are marked as such, and orphaned ones are not
  /// drawn.
  public var state: AnchorState
  /// A short name of the highlight for the reader.
  package var id: String
  /// Whether the highlight has a note.
  package var hasNote: Bool

  /// Creates an overlay. `range` is ignored if the state is `orphaned`.
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

  /// Creates the overlay of a highlight; nil if the highlight has no range.
  package init?(_ highlight: Highlight, id: String) {
    guard let range = highlight.anchor.range else { return nil }
    self.init(
      range: range, color: highlight.color, state: highlight.anchor.state, id: id,
      hasNote: !highlight.note.isEmpty)
  }
}

/// The options for drawing a page.
public struct PageOptions: Hashable, Sendable {
  /// The number of columns; at least 20.
  public var width: Int
  /// The colours that are available.
  public var color: ColorMode
  /// The colours to use.
  package var theme: Theme
  /// Whether the output is shown on a screen. On a screen, headings are underlined with rules, and
  /// continued lines of code have a marker. In a file, both would be wrong.
  package var isOnScreen = false
  /// Whether lines of code and rows of tables are as long as their content, as in a pipe. Prose is
  /// wrapped at `width` all the same.
  package var keepsLines = false
  /// Whether right-to-left text is reordered for display. Otherwise it is written in logical order,
  /// for terminals that reorder it themselves.
  package var ordersText = false
  /// Whether the terminal supports several underline styles.
  package var hasUnderlineStyles = false
  /// How the Markdown source is drawn instead of the rendered text; nil to draw the text. Positions
  /// are those of the rendered text in both.
  package var source: SourceDrawing?
  /// The images that the terminal draws; nil to draw no images.
  package var pictures: PictureShow?
  /// The content of embedded notes to draw; nil to draw none.
  package var embeds: PageEmbeds?
  /// Whether links have numbers.
  package var numbersLinks = true
  /// Whether links are clickable (OSC 8).
  public var hyperlinks: Bool
  /// The range whose blocks are drawn; nil for the whole document.
  public var range: TextRange?
  /// The title to hide: the first heading of level 1 isn't drawn if its text equals this. It
  /// remains part of the text, so offsets don't change. Nil draws all headings.
  package var hiddenTitle: String?
  /// The lines above the text that aren't part of it: the title, the author and the date. Missing
  /// lines are empty.
  package var head: [String] = []

  /// Creates options. The default is 80 columns without colours.
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

/// The options for drawing the Markdown source of a page.
package struct SourceDrawing: Hashable, Sendable {
  /// Whether lines have their numbers.
  package var hasNumbers: Bool

  package init(hasNumbers: Bool) { self.hasNumbers = hasNumbers }
}

/// A plugin that writes a page in some format.
public protocol Renderer: Strategy where Example == RenderExample {
  /// Writes a page to an output.
  func render(_ page: Page, to output: inout some TextOutputStream)
}

extension Registry where Element == any Renderer {
  /// Appends a renderer. Traps if its id is already registered.
  package mutating func register<R: Renderer>(_ renderer: R) { register(renderer, as: R.self) }
}

/// A test case for a renderer, which is also an example in its documentation.
public struct RenderExample: Sendable {
  /// A title for the example.
  public var title: String
  /// The Markdown to render.
  public var markdown: String
  /// The highlights in the rendered text.
  public var overlays: [Overlay]
  /// The options for the page.
  public var options: PageOptions
  /// The expected lines of the output.
  public var lines: [String]

  /// Creates an example. `lines` must contain the whole output.
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
