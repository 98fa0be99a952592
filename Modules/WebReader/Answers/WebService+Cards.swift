import Actions
import Editing
import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension WebService {
  // MARK: - Cards

  private struct StyleAnswer: Encodable {
    var id: String
    var summary: String
  }

  func cardStyles() -> WebAnswer {
    .json(library.plugins.cards.entries.map { StyleAnswer(id: $0.id, summary: $0.summary) })
  }

  /// Returns an image of a card with a highlight. Throws ``UserError`` with the code `notFound` for
  /// an unknown highlight, `usage` for an unknown size, `plugin` if the card isn't an image.
  func card(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let highlight = try await session.highlight(Self.highlightID(id))
    let document = try await library.document(id: highlight.document)
    let source = try await library.source(of: document)
    return try await drawnCard(input) { plugins, style, form in
      try plugins.cards(of: highlight, in: document, source, theme: style, as: form)
    }
  }

  /// Returns an image of a card with a passage. Throws the same errors as `card(_:_:)`, and
  /// ``UserError`` with the code `conflict` if the text has changed.
  func passageCard(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let (open, digest) = try await open(id)
    let range = try input.passage()
    guard input.text("text").map({ $0 == digest.description }) ?? true,
      range.utf16.upperBound <= open.parsed.text.count
    else { throw Self.otherText }
    guard let document = open.document else { throw UserError(.notFound, "no such document") }
    let source = try await library.source(of: document)
    return try await drawnCard(input) { plugins, style, form in
      try plugins.cards(
        of: open.parsed.wholeGraphemes(range), in: open, source, theme: style, as: form)
    }
  }

  private func drawnCard(
    _ input: WebInput,
    _ draw: @Sendable (_ plugins: PluginSet, _ style: String, _ form: CardForm) throws -> CardSet
  ) async throws -> WebAnswer {
    let name = input.text("size") ?? CardForm.Size.square.rawValue
    guard let size = CardForm.Size(rawValue: name) else {
      let sizes = CardForm.Size.allCases.map(\.rawValue)
      throw UserError(.usage, "a card is \(sizes.joined(separator: ", ")), not '\(name)'")
    }
    let (plugins, style) = (library.plugins, input.text("style") ?? "paper")
    let card = try await Self.aside {
      try draw(plugins, style, CardForm(size: size, format: .png))
    }.cards.first
    guard let card, PictureType.of(card.bytes) == "image/png" else {
      throw UserError(.plugin, "the card is not a picture")
    }
    return .file(card.bytes, type: "image/png")
  }

  /// Runs slow work outside the library's actor.
  @concurrent
  private static func aside<T: Sendable>(_ work: @Sendable () throws -> T) async rethrows -> T {
    try work()
  }
}
