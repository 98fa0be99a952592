import Editing
import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension WebService {
  private struct MarkInput: Decodable {
    var text: ContentDigest
    var ranges: [WebRange]
    var color: HighlightColor?
    var note: String?
    var tags: [String]?
  }

  private struct MarkAnswer: Encodable {
    var highlights: [HighlightAnswer]
    var digest: ContentDigest?
  }

  private struct UnsureAnswer: Encodable {
    struct Place: Encodable {
      var range: WebRange
      var quote: String
      var score: Double
    }

    var error: String
    var hint: String
    var code = UserError.Code.conflict
    var digest: ContentDigest?
    var candidates: [Place]
  }

  /// The maximum number of passages in a selection. Browsers return one for each table cell.
  private static let mostRanges = 100

  /// Creates highlights for a selection in the text version that the page displayed. If the text
  /// has changed and the passage can't be found for certain, the response is 409 with the
  /// candidates.
  func mark(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let asked = try input.decode(MarkInput.self)
    guard !asked.ranges.isEmpty, asked.ranges.count <= Self.mostRanges else {
      throw UserError(.usage, "a selection has 1 to \(Self.mostRanges) passages")
    }
    let document = try await document(id)
    let first = asked.ranges[0].range
    var template = MarkRequest(spec: SelectionSpec(units: first))
    template.color = asked.color ?? .yellow
    template.note = asked.note ?? ""
    template.tags = asked.tags ?? []
    let shown = EarlierText(asked.text, texts.text(asked.text))
    switch try await library.mark(document, asked.ranges.map(\.range), madeIn: shown, template) {
    case .made(let made, let open):
      return .json(
        MarkAnswer(highlights: made.map { HighlightAnswer($0) }, digest: open.textDigest),
        status: 201)
    case .unsure(let candidates, let open):
      return .json(
        UnsureAnswer(
          error: "the text changed, and the passage was not found for certain",
          hint: "choose a candidate, or select it again", digest: open.textDigest,
          candidates: candidates.map {
            UnsureAnswer.Place(range: WebRange($0.range), quote: $0.words, score: $0.score)
          }),
        status: 409)
    }
  }

  // MARK: - One highlight

  /// Returns the highlight with an id. Throws ``UserError`` if it is unknown or in the trash.
  private func highlight(_ id: String) async throws -> Highlight {
    let highlight = try await library.highlight(id: Self.highlightID(id))
    guard !highlight.isTrashed else {
      throw UserError(
        .notFound, "the highlight was removed",
        hint: "\(command: "highlight", "restore", .word(id)) restores it")
    }
    return highlight
  }

  func highlightAnswer(_ id: String) async throws -> WebAnswer {
    let highlight = try await highlight(id)
    return .json(
      HighlightAnswer(highlight, in: try await library.document(id: highlight.document)))
  }

  private struct ChangeInput: Decodable {
    var color: HighlightColor?
    var note: String?
    /// The note that the page displayed when the new one was written.
    var seenNote: String?
    var addTags: [String]?
    var removeTags: [String]?
  }

  private struct ClashAnswer: Encodable {
    var error: String
    var hint: String?
    var code = UserError.Code.conflict
    /// The current note.
    var note: String
  }

  func change(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let asked = try input.decode(ChangeInput.self)
    var change = HighlightChange()
    change.color = asked.color
    (change.note, change.seenNote) = (asked.note, asked.seenNote)
    change.addedTags = asked.addTags ?? []
    change.removedTags = asked.removeTags ?? []
    let highlight = try await highlight(id)
    do throws(UserError) {
      return .json(HighlightAnswer(try await library.change(highlight, change)))
    } catch {
      if error.code == .conflict, let seen = asked.seenNote {
        let now = try await self.highlight(id).note
        guard now != seen, now != asked.note else { throw error }
        return .json(
          ClashAnswer(error: error.message, hint: error.hint?.text(in: .shell), note: now),
          status: 409)
      }
      // Two pages may request the same change: then nothing is left to do.
      guard error.code == .nothing else { throw error }
      return .json(HighlightAnswer(highlight))
    }
  }

  private struct RemoveAnswer: Encodable {
    var undo: String?
  }

  func remove(_ id: String) async throws -> WebAnswer {
    let highlight = try await highlight(id)
    try await library.setTrashed(true, [highlight])
    return .json(
      RemoveAnswer(
        undo: try await library.nextStep(by: .undo, in: scope(highlight.document))?.summary))
  }

  private struct AcceptInput: Decodable {
    var candidate: Int?
    /// The text of the candidate on the page. It must still match, so that the user accepts only
    /// what was displayed.
    var quote: String?
  }

  func accept(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let asked = try input.decode(AcceptInput.self)
    let highlight = try await highlight(id)
    let place = try await library.place(of: highlight, candidate: asked.candidate)
    if let quote = asked.quote, quote != place.words {
      throw UserError(
        .conflict, "the text changed, and the candidates with it", hint: "review it again")
    }
    return .json(
      HighlightAnswer(try await library.accept(highlight, candidate: asked.candidate)))
  }

  func detach(_ id: String) async throws -> WebAnswer {
    .json(HighlightAnswer(try await library.detach(try await highlight(id))))
  }

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
    let highlight = try await highlight(id)
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
