/// The size and file format of a card, and how it shows the highlight's colour.
///
/// ```swift
/// let form = CardForm(size: .portrait, format: .pdf)
/// (form.size.width, form.size.height)  // (1080, 1350)
/// ```
public struct CardForm: Hashable, Sendable {
  /// The size of the card, named by its use.
  public var size: Size
  /// The file format.
  public var format: Format
  /// How the card shows the highlight's colour; nil for the usual way of the theme.
  public var mark: Mark?
  /// Whether the card shows the file name of the document.
  public var showsFile: Bool

  /// Creates a form, by default a square PNG without the file name.
  public init(
    size: Size = .square, format: Format = .png, mark: Mark? = nil, showsFile: Bool = false
  ) {
    self.size = size
    self.format = format
    self.mark = mark
    self.showsFile = showsFile
  }

  /// The ways to show the highlight's colour on a card.
  public enum Mark: String, CaseIterable, Codable, Sendable {
    /// A bar beside the quote.
    case bar
    /// Soft lines under the words of the quote.
    case underline
    /// Boxes behind the lines of the quote, like a highlighter.
    case box
    /// A quotation mark above the quote.
    case sign
  }

  /// Returns the source of a quote as the card shows it: the host of a web address, or the file if
  /// it is requested; empty for none, and if it equals the title.
  package func source(of quote: AnnotationRecord) -> String {
    if let scheme = quote.source.firstRange(of: "://") {
      let host = quote.source[scheme.upperBound...].prefix { !"/?#".contains($0) }
      return String(host.drop { $0 == "." }.trimmingPrefix("www."))
    }
    return showsFile && quote.source != quote.title ? quote.source : ""
  }

  /// The sizes of cards, named by their use.
  public enum Size: String, CaseIterable, Codable, Sendable {
    /// A square of 1080 × 1080 pixels.
    case square
    /// Slightly taller than wide: 1080 × 1350 pixels.
    case portrait
    /// The full screen of a phone: 1080 × 1920 pixels.
    case story
    /// The aspect ratio of video: 1600 × 900 pixels.
    case wide

    /// The width in pixels.
    public var width: Int { self == .wide ? 1600 : 1080 }
    /// The height in pixels.
    public var height: Int {
      switch self {
      case .square: 1080
      case .portrait: 1350
      case .story: 1920
      case .wide: 900
      }
    }
  }

  /// The file formats of cards.
  public enum Format: String, CaseIterable, Codable, Sendable {
    case png, svg, pdf
    /// Plain text: the quote in quotation marks, followed by its source.
    case text
    /// A Markdown block quote, followed by its source.
    case markdown

    /// The media type of the format.
    public var mediaType: String {
      switch self {
      case .png: "image/png"
      case .svg: "image/svg+xml"
      case .pdf: "application/pdf"
      case .text: "text/plain"
      case .markdown: "text/markdown"
      }
    }

    /// The extensions of file names, without the dot. The usual one is the first.
    public var endings: [String] {
      switch self {
      case .png: ["png"]
      case .svg: ["svg"]
      case .pdf: ["pdf"]
      case .text: ["txt"]
      case .markdown: ["md", "markdown"]
      }
    }

    /// Whether the format is a picture rather than text.
    public var isPicture: Bool { [.png, .svg, .pdf].contains(self) }

    /// Returns whether a media type is that of a picture format.
    package static func isPicture(_ mediaType: String) -> Bool {
      allCases.contains { $0.isPicture && $0.mediaType == mediaType }
    }
  }
}
