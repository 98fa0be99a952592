import FoundationEssentials
package import Interchange
package import Model
package import SystemSupport

/// A card that the program `diple-card` renders. Only that program needs Pango.
///
/// ```swift
/// let card = try DrawnCard(theme).card(of: quote)
/// ```
package struct DrawnCard: CardStrategy {
  package static let id = "drawn-card"
  package static let summary = "a card that diple-card draws"
  package static let examples: [CardExample] = []

  private let theme: CardTheme
  private let program: @Sendable (_ folder: String) -> Program

  /// - Parameter program: returns the program that renders the order in a folder; nil for
  ///   `diple-card` in the folder of this program.
  package init(
    _ theme: CardTheme, program: (@Sendable (_ folder: String) -> Program)? = nil
  ) {
    self.theme = theme
    self.program = program ?? { .sibling("diple-card", [$0]) }
  }

  /// Returns the first card of a quote, as SVG.
  ///
  /// - Throws: `StrategyError` if the quote is too long or the program fails.
  package func card(of quote: AnnotationRecord) throws(StrategyError) -> Card {
    try cards(of: quote, as: CardForm(format: .svg)).cards[0]
  }

  package func cards(of quote: AnnotationRecord, as form: CardForm) throws(StrategyError)
    -> CardSet
  {
    guard let order = try? JSONEncoder().encode(CardOrder(quote, in: theme, as: form)),
      order.count <= CardOrder.sizeLimit
    else { throw StrategyError("the quote is too long for cards") }
    do {
      let folder = try TemporaryFolder("card")
      try folder.write(order, to: CardOrder.fileName)
      let code = try program(folder.path).run(output: .discarded)
      guard code == 0, let bytes = try folder.content(of: CardAnswer.fileName, limit: 1 << 16)
      else { throw StrategyError("diple-card: \(Program.ending(code))") }
      let answer = try JSONDecoder().decode(CardAnswer.self, from: Data(bytes))
      if let problem = answer.problem { throw StrategyError(problem) }
      let cards = try answer.files.map { name in
        guard !name.contains("/"), let bytes = try folder.content(of: name, limit: Self.cardLimit)
        else { throw StrategyError("diple-card did not write \(name)") }
        return Card(mediaType: form.format.mediaType, bytes: bytes)
      }
      guard !cards.isEmpty else { throw StrategyError("diple-card drew no card") }
      return CardSet(cards, unknownGlyphs: answer.unknownGlyphs)
    } catch let failure as StrategyError {
      throw failure
    } catch let failure as Program.StartError {
      throw StrategyError("\(failure); it must be installed next to diple")
    } catch { throw StrategyError("diple-card: \(error)") }
  }

  /// The maximum size of a card in bytes.
  private static let cardLimit = 64 << 20
}
