import MarkdownParse
import Model
import Rendering
import Synchronization
import SystemSupport
import Workspace

extension WebService {
  private struct BodyAnswer: Encodable {
    struct Part: Encodable {
      var key: String
      var offset: Int
      var length: Int
      /// The HTML of the part; omitted if the page already has it.
      var html: String?
    }

    /// Identifies the text with its highlights and format. All pieces of a body have the same
    /// version.
    var version: String
    var digest: ContentDigest
    var at: Int?
    var css: String
    var formatClass: String
    var length: Int
    var parts: [Part]
    /// The number of all parts, and the index of the next part to request.
    var total: Int
    var next: Int?
  }

  /// The approximate maximum size of the HTML in a response, in UTF-8 bytes. A large text is
  /// displayed from its beginning while the rest is still being loaded.
  private static let pieceLength = 512 * 1024

  /// Returns the text of a document as HTML blocks, beginning with the part `from`. Omits the
  /// blocks that the page has from the version `known`.
  ///
  /// Throws ``UserError`` with the code `notFound` for an unknown document, `usage` for an invalid
  /// query.
  func bodyAnswer(_ id: String, _ input: WebInput) async throws -> WebAnswer {
    let from = try input.number("from") ?? 0
    let known = input.text("known").flatMap { version in bodies.withLock { $0.keys(of: version) } }
    if from > 0, let version = input.text("version"),
      let body = bodies.withLock({ $0.body(version) })
    {
      return piece(of: body, from: from, at: nil, known ?? [])
    }
    let (open, digest) = try await open(id)
    texts.add(open.parsed.text.string, digest)
    var at: Int?
    if let offset = try input.number("at"), let text = input.text("text") {
      guard let text = ContentDigest(text) else {
        throw UserError(.usage, "'text' must be the digest of the text")
      }
      at = try await library.place(
        TextOffset(utf16: offset), in: EarlierText(text, texts.text(text)), ofTextNow: open)?.utf16
    }
    let links = try await links(of: open)
    let body = await Self.body(
      open, digest, links, pictures: (pictureAddresses(of: open), pictureReasons(of: open)),
      lexers: library.plugins.lexers.all)
    return piece(of: body, from: from, at: at, known ?? [])
  }

  private func piece(
    of body: ServedBody, from: Int, at: Int?, _ known: Set<HTMLBody.Key>
  ) -> WebAnswer {
    var parts: [BodyAnswer.Part] = []
    var length = 0
    var next = from
    while next < body.parts.count, length < Self.pieceLength {
      let part = body.parts[next]
      let html = known.contains(part.key) ? nil : part.html
      length += html?.utf8.count ?? 0
      parts.append(
        BodyAnswer.Part(
          key: part.key.description, offset: part.range.lowerBound, length: part.range.count,
          html: html))
      next += 1
    }
    let isLast = next >= body.parts.count
    bodies.withLock { $0.gave(body, isLast: isLast) }
    return .json(
      BodyAnswer(
        version: body.version, digest: body.digest, at: at, css: body.css,
        formatClass: body.formatClass, length: body.length, parts: parts,
        total: body.parts.count, next: isLast ? nil : next))
  }

  /// Runs outside the library's actor, so that other requests aren't delayed.
  @concurrent
  private static func body(
    _ open: OpenDocument, _ digest: ContentDigest, _ links: [String: String],
    pictures: (
      address: @Sendable (String) -> String?, reason: @Sendable (String) -> String?
    ), lexers: [any CodeLexer]
  ) async -> ServedBody {
    let overlays = open.highlights.compactMap { Overlay($0, id: $0.id.description) }
    let noted = Set(overlays.lazy.filter(\.hasNote).map(\.id))
    var options = HTMLOptions()
    options.pictureAddress = pictures.address
    options.pictureReason = pictures.reason
    options.linkAddress = { links[$0] }
    options.signAddress = { noted.contains($0) ? "/h/\($0)" : nil }
    let body = HTMLBody(
      Page(document: open.parsed, overlays: overlays, format: open.format, lexers: lexers),
      options: options)
    return ServedBody(body, digest, length: open.parsed.text.count)
  }
}
