public import Model

/// A way to show one quote to others: a picture, or a page.
public protocol CardStrategy: Strategy where Example == CardExample {
  /// Draws the card of a quote: its words, and where they are from.
  ///
  /// - Throws: `StrategyFailure` when the strategy could not do its work.
  func card(of quote: AnnotationRecord) throws(StrategyFailure) -> Card

  /// Draws the cards of a quote in a form: several when the words do not fit on one. A strategy that
  /// has one form alone leaves this out.
  ///
  /// - Throws: `StrategyFailure` when the strategy could not do its work.
  func cards(of quote: AnnotationRecord, as form: CardForm) throws(StrategyFailure) -> CardSet
}

extension CardStrategy {
  /// The one card that there is, whatever form is asked for.
  public func cards(of quote: AnnotationRecord, as form: CardForm) throws(StrategyFailure)
    -> CardSet
  {
    CardSet([try card(of: quote)])
  }
}

/// The cards of one quote.
public struct CardSet: Hashable, Sendable {
  /// In the order of the words; at least one.
  public var cards: [Card]
  /// How many characters no font has.
  package var unknownGlyphs: Int

  /// Makes a set of its cards.
  public init(_ cards: [Card]) { self.init(cards, unknownGlyphs: 0) }

  package init(_ cards: [Card], unknownGlyphs: Int) {
    self.cards = cards
    self.unknownGlyphs = unknownGlyphs
  }
}

/// What a card strategy gives.
public struct Card: Hashable, Sendable {
  /// What the bytes are, such as `image/svg+xml`.
  package var mediaType: String
  /// The file.
  package var bytes: [UInt8]

  /// Makes a card of its parts.
  public init(mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }

  /// The card as text; nil for a picture in bytes.
  public var text: String? {
    let isText = ["text/", "+xml", "/xml", "/json"].contains { mediaType.contains($0) }
    return isText ? String(validating: bytes, as: UTF8.self) : nil
  }
}

/// An example of what a card strategy draws.
public struct CardExample: Sendable {
  /// What it shows.
  public var title: String
  /// The quote.
  public var quote: AnnotationRecord
  /// Lines that must be in the card, in this order.
  public var lines: [String]

  /// Makes an example of its parts.
  public init(_ title: String, quote: AnnotationRecord, lines: [String]) {
    self.title = title
    self.quote = quote
    self.lines = lines
  }
}

extension Registry where Element == any CardStrategy {
  /// Appends a card strategy.
  package mutating func register<C: CardStrategy>(_ strategy: C) { register(strategy, as: C.self) }
}
