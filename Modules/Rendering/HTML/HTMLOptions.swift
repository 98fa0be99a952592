/// How a document's text is written as HTML.
public struct HTMLOptions: Sendable {
  /// Stands before every name that the document gives to a place, so that several documents can be on
  /// one page and none can choose a name of the page's own. Highlights begin at `hl-`, this and their
  /// id; footnotes are `fn-`, this and their number. Not one of these kinds itself.
  public var namePrefix = "t-"
  /// The colours of the page, against which those of a format must be read.
  public var colors = HTMLPageColors.standard
  /// The address in an `img` for the destination of a picture; nil where only the picture's description
  /// is shown.
  public var pictureAddress: @Sendable (_ destination: String) -> String? = { _ in nil }
  /// Why a picture is not shown, in a word or a few, by its destination; nil where nothing is said of it.
  public var pictureReason: @Sendable (_ destination: String) -> String? = { _ in nil }
  /// The address for a link whose destination is safe; nil where the link is only text.
  public var linkAddress: @Sendable (_ destination: String) -> String? = { $0 }
  /// The address that the sign at a highlight's end leads to, by the highlight's id; nil for none.
  public var signAddress: @Sendable (_ id: String) -> String? = { _ in nil }

  /// No pictures, all safe links.
  public init() {}
}
