public import Model

/// A strategy that presents one quote for sharing, as a picture or as text.
public protocol CardStrategy: Strategy where Example == CardExample {
  /// Creates the card of a quote with its source.
  ///
  /// - Throws: `StrategyError` if the strategy failed.
  func card(of quote: AnnotationRecord) throws(StrategyError) -> Card

  /// Creates the cards of a quote in a format and size. There are several if the quote does not fit
  /// on one. A strategy with only one format need not implement this.
  ///
  /// - Throws: `StrategyError` if the strategy failed.
  func cards(of quote: AnnotationRecord, as form: CardForm) throws(StrategyError) -> CardSet
}

extension CardStrategy {
  /// Returns the single card that `card(of:)` creates, whatever format is requested.
  ///
  /// - Throws: the error of `card(of:)`.
  public func cards(of quote: AnnotationRecord, as form: CardForm) throws(StrategyError)
    -> CardSet
  {
    CardSet([try card(of: quote)])
  }
}

/// The cards of one quote.
public struct CardSet: Hashable, Sendable {
  /// The cards in the order of the quote's text; at least one.
  public var cards: [Card]
  /// The number of characters that no installed font contains.
  package var unknownGlyphs: Int

  /// Creates a set of cards, of which there must be at least one.
  public init(_ cards: [Card]) { self.init(cards, unknownGlyphs: 0) }

  package init(_ cards: [Card], unknownGlyphs: Int) {
    self.cards = cards
    self.unknownGlyphs = unknownGlyphs
  }
}

/// A card as a file in memory.
public struct Card: Hashable, Sendable {
  /// The media type of the bytes, such as `image/svg+xml`.
  package var mediaType: String
  /// The content of the file.
  package var bytes: [UInt8]

  /// Creates a card from a file's content.
  public init(mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }

  /// The content as text; nil if the media type is not textual or the bytes are not valid UTF-8.
  public var text: String? {
    let isText = ["text/", "+xml", "/xml", "/json"].contains { mediaType.contains($0) }
    return isText ? String(validating: bytes, as: UTF8.self) : nil
  }
}

/// An example of a card, which the tests check.
public struct CardExample: Sendable {
  /// The case that the example shows, such as "a quote without a source". Tests print it.
  public var title: String
  /// The quote for which a card is created.
  public var quote: AnnotationRecord
  /// Lines that the card must contain, in this order.
  public var lines: [String]

  /// Creates an example of a card that contains these lines, possibly with others between them.
  public init(_ title: String, quote: AnnotationRecord, lines: [String]) {
    self.title = title
    self.quote = quote
    self.lines = lines
  }
}

extension Registry where Element == any CardStrategy {
  package mutating func register<C: CardStrategy>(_ strategy: C) { register(strategy, as: C.self) }
}
