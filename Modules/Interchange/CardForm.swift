/// How a card is to be: its shape, and what kind of file it is.
public struct CardForm: Hashable, Sendable {
  /// A shape.
  public var size: Size
  /// A kind of file.
  public var format: Format

  /// Makes a form of its parts.
  public init(size: Size = .square, format: Format = .png) {
    self.size = size
    self.format = format
  }

  /// The shape of a card, by what it is for.
  public enum Size: String, CaseIterable, Codable, Sendable {
    /// As wide as high: 1080 × 1080.
    case square
    /// A little higher than wide: 1080 × 1350.
    case portrait
    /// A whole telephone: 1080 × 1920.
    case story
    /// As wide as a film: 1600 × 900.
    case wide

    /// Pixels across.
    public var width: Int { self == .wide ? 1600 : 1080 }
    /// Pixels down.
    public var height: Int {
      switch self {
      case .square: 1080
      case .portrait: 1350
      case .story: 1920
      case .wide: 900
      }
    }
  }

  /// What kind of file a card is.
  public enum Format: String, CaseIterable, Codable, Sendable {
    case png, svg, pdf
    /// The words between quotation marks, and below where they are from.
    case text
    /// The same as a block quote of Markdown.
    case markdown

    /// The media type.
    public var mediaType: String {
      switch self {
      case .png: "image/png"
      case .svg: "image/svg+xml"
      case .pdf: "application/pdf"
      case .text: "text/plain"
      case .markdown: "text/markdown"
      }
    }

    /// The endings of a file's name, the usual one first.
    public var endings: [String] {
      switch self {
      case .png: ["png"]
      case .svg: ["svg"]
      case .pdf: ["pdf"]
      case .text: ["txt"]
      case .markdown: ["md", "markdown"]
      }
    }

    /// Whether it is drawn, and not written.
    public var isPicture: Bool { [.png, .svg, .pdf].contains(self) }

    /// Whether a media type is that of a picture.
    package static func isPicture(_ mediaType: String) -> Bool {
      allCases.contains { $0.isPicture && $0.mediaType == mediaType }
    }
  }
}
