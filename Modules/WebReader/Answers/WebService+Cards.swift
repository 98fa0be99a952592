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

  /// Returns the value of a parameter of a card, or nil without it.
  ///
  /// - Throws: ``UserError`` with the code `usage` for an unknown value.
  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ input: WebInput
  ) throws(UserError) -> Value? where Value.RawValue == String {
    guard let text = input.text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw UserError(.usage, "the \(name) of a card is one of \(values), not '\(text)'")
    }
    return value
  }

  private func drawnCard(_ card: DrawCard, _ input: WebInput) async throws -> WebAnswer {
    var card = card
    card.size = try Self.choice("size", input) ?? CardForm.Size.square
    card.mark = try Self.choice("mark", input)
    card.theme = input.text("style")
    let drawn = try await card.run(in: session).set.cards.first
    guard let drawn, PictureType.of(drawn.bytes) == "image/png" else {
      throw UserError(.plugin, "the card is not a picture")
    }
    return .file(drawn.bytes, type: "image/png")
  }
}
