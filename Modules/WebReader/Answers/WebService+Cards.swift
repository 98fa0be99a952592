import Actions
import Interchange
import Model
import SystemSupport

extension WebService {
  // MARK: - Cards

  /// Returns an image of a card with a highlight. Throws the errors of ``DrawCard``, and
  /// ``UserError`` with the code `plugin` if the card isn't an image.
  func card(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    try await drawnCard(DrawCard(highlight: Self.highlightID(id)), input)
  }

  /// Returns an image of a card with a passage. Throws the same errors as `card(_:_:)`.
  func passageCard(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    guard let text = input.text("text").flatMap({ ContentDigest($0) }) else {
      throw UserError(.usage, "'text' must be the digest of the text")
    }
    let passage = RequestedPassage.ranges([try input.passage()], of: text)
    return try await drawnCard(DrawCard(document: Self.documentID(id), passage: passage), input)
  }

  private func drawnCard(_ card: DrawCard, _ input: WebInput) async throws -> WebAnswer {
    let name = input.text("size") ?? CardForm.Size.square.rawValue
    guard let size = CardForm.Size(rawValue: name) else {
      let sizes = CardForm.Size.allCases.map(\.rawValue)
      throw UserError(
        .usage, "the size of a card is one of \(sizes.joined(separator: ", ")), not '\(name)'")
    }
    var card = card
    (card.size, card.theme) = (size, input.text("style"))
    let drawn = try await card.run(in: session).set.cards.first
    guard let drawn, PictureType.of(drawn.bytes) == "image/png" else {
      throw UserError(.plugin, "the card is not a picture")
    }
    return .file(drawn.bytes, type: "image/png")
  }
}
