import Actions
import Editing
import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import Rendering
import Synchronization
import SystemSupport
import Workspace

extension WebService {
  private struct DocumentAnswer: Encodable {
    struct Heading: Encodable {
      var level: Int
      var text: String
      var offset: Int
    }

    var id: Document.ID
    var path: String
    var title: String
    var author: String?
    var date: String?
    var digest: ContentDigest
    var sequence: Int
    /// Identifies the state of the highlights, the format and the title; comparable only within one
    /// process.
    var version: String
    var readOnly: Bool
    var device: PairedDeviceRecord?
    var outline: [Heading]
    var highlights: [HighlightRecord]
    var colors: [ColorAnswer]
    var undo: String?
    var redo: String?
  }

  /// Opens a document, reading the current file. Throws ``UserError`` with the code `notFound` if
  /// the document is unknown or was removed.
  func open(_ id: String) async throws -> (OpenDocument, ContentDigest) {
    let open = try await library.open(try await document(id))
    guard let digest = open.textDigest else { throw UserError(.notFound, "no such document") }
    return (open, digest)
  }

  /// Returns the data of a document's page, without its text. Throws ``UserError`` with the code
  /// `notFound` if the document is unknown or was removed.
  func documentAnswer(_ id: String, _ caller: Principal) async throws -> WebAnswer {
    // Read the number of changes first, because later changes are sent as events.
    let sequence = await pages.sequence
    // Read the state before the data. If the state is outdated, the page requests the data again.
    let state = try await library.recordedState(of: try await document(id))
    let (open, digest) = try await open(id)
    guard let document = open.document else { throw UserError(.notFound, "no such document") }
    let scope = scope(document.id)
    let head = open.head
    return .json(
      DocumentAnswer(
        id: document.id, path: document.path.string, title: document.title,
        author: head.author, date: head.date, digest: digest, sequence: sequence,
        version: String(UInt(bitPattern: state.marks), radix: 36),
        readOnly: library.isReadOnly || !caller.mayWrite,
        device: caller.device.map { PairedDeviceRecord($0) },
        outline: Self.outline(of: open.parsed),
        highlights: open.highlights.map { HighlightRecord($0, in: document) },
        colors: ColorAnswer.all(try await library.labels()),
        undo: try await library.nextStep(by: .undo, in: scope)?.summary,
        redo: try await library.nextStep(by: .redo, in: scope)?.summary))
  }

  private static func outline(of parsed: ParsedDocument) -> [DocumentAnswer.Heading] {
    parsed.blocks.compactMap { block in
      guard case .heading(let level) = block.kind, !block.text.isEmpty else { return nil }
      return DocumentAnswer.Heading(
        level: level, text: parsed.text.substring(block.text).oneLine,
        offset: block.text.utf16.lowerBound)
    }
  }
}

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
  /// blocks that the page has from the version `known`. If `view` is `source`, the blocks are lines
  /// of the Markdown source, with the positions of the text.
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
    let view = input.text("view")
    guard view == nil || view == "source" else {
      throw UserError(.usage, "'view' can only be 'source'")
    }
    let isSource = view == "source"
    let body = await Self.body(
      open, digest, links, isSource ? nil : await embeds(of: open),
      pictures: (pictureAddresses(of: open), pictureReasons(of: open)),
      lexers: library.plugins.lexers.all, showsSource: isSource)
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

  /// Returns the content of the notes and pictures that a document embeds; nil if there are none.
  private func embeds(of open: OpenDocument) async -> PageEmbeds? {
    guard let document = open.document, !document.path.isElsewhere else { return nil }
    let file = library.location.absolute(document.path)
    let embeds = await library.embeds(in: open.parsed, file: file, of: document)
    return embeds.isEmpty ? nil : embeds
  }

  /// Runs outside the library's actor, so that other requests aren't delayed.
  @concurrent
  private static func body(
    _ open: OpenDocument, _ digest: ContentDigest, _ links: [String: String],
    _ embeds: PageEmbeds?,
    pictures: (
      address: @Sendable (String) -> String?, reason: @Sendable (String) -> String?
    ), lexers: [any CodeLexer], showsSource: Bool
  ) async -> ServedBody {
    let overlays = open.highlights.compactMap { Overlay($0, id: $0.id.description) }
    let noted = Set(overlays.lazy.filter(\.hasNote).map(\.id))
    var options = HTMLOptions()
    options.pictureAddress = pictures.address
    options.pictureReason = pictures.reason
    options.linkAddress = { links[$0] }
    options.noteAddress = { links[$0] }
    options.embeds = embeds
    options.signAddress = { noted.contains($0) ? "/h/\($0)" : nil }
    var page = Page(
      document: open.parsed, overlays: overlays, format: open.format, lexers: lexers)
    if showsSource { page.options.source = SourceDrawing(hasNumbers: true) }
    let body = HTMLBody(page, options: options)
    return ServedBody(body, digest, length: open.parsed.text.count)
  }
}

/// A document's text as HTML.
struct ServedBody: Sendable {
  /// Identifies the parts and the format; comparable only within one process.
  let version: String
  let digest: ContentDigest
  let css: String
  let formatClass: String
  /// The length of the text in UTF-16 units.
  let length: Int
  let parts: [HTMLBody.Part]

  init(_ body: HTMLBody, _ digest: ContentDigest, length: Int) {
    (self.digest, self.length, parts) = (digest, length, body.parts)
    css = body.format.css
    formatClass = body.formatClass
    var hasher = Hasher()
    hasher.combine(css)
    hasher.combine(formatClass)
    hasher.combine(length)
    for part in parts {
      hasher.combine(part.key)
      hasher.combine(part.range.lowerBound)
    }
    version = String(UInt(bitPattern: hasher.finalize()), radix: 36)
  }
}

/// The HTML recently sent to pages. All pieces of a large text have the same version, and a page
/// that already has most of a text is sent only the differences.
struct ServedBodies {
  private var known: [(version: String, keys: Set<HTMLBody.Key>)] = []
  /// The bodies of which pages still request pieces.
  private var unfinished: [ServedBody] = []

  private static let (mostKnown, mostUnfinished) = (16, 2)

  /// Returns the keys of a version's parts, or nil if the version isn't cached any more.
  func keys(of version: String) -> Set<HTMLBody.Key>? {
    known.last { $0.version == version }?.keys
  }

  /// Returns the body of a version of which pages still request pieces; nil if all pieces were sent
  /// or the body isn't cached any more.
  func body(_ version: String) -> ServedBody? { unfinished.last { $0.version == version } }

  /// Records that a piece was sent to a page.
  mutating func gave(_ body: ServedBody, isLast: Bool) {
    known.removeAll { $0.version == body.version }
    known.append((body.version, Set(body.parts.lazy.map(\.key))))
    if known.count > Self.mostKnown { known.removeFirst() }
    unfinished.removeAll { $0.version == body.version }
    if !isLast { unfinished.append(body) }
    if unfinished.count > Self.mostUnfinished { unfinished.removeFirst() }
  }
}

/// The texts that pages display. A selection in one of them can be moved to a newer version of the
/// text. The library itself stores earlier texts only for documents with highlights.
final class ShownTexts: Sendable {
  /// The maximum size of all texts, except the newest, in bytes. The texts added longest ago are
  /// removed.
  private static let mostBytes = 8 << 20

  private struct Entry {
    var digest: ContentDigest
    var text: String
  }

  private let entries = Mutex<[Entry]>([])

  /// Stores a text that a page shows, as the most recent one.
  func add(_ text: String, _ digest: ContentDigest) {
    entries.withLock { entries in
      entries.removeAll { $0.digest == digest }
      entries.append(Entry(digest: digest, text: text))
      var left = Self.mostBytes
      let kept = entries.reversed().prefix { entry in
        left -= entry.text.utf8.count
        return left >= 0
      }
      entries = kept.isEmpty ? [entries[entries.count - 1]] : kept.reversed()
    }
  }

  /// Returns the text with a digest, or nil if it isn't stored.
  func text(_ digest: ContentDigest) -> String? {
    entries.withLock { entries in entries.last { $0.digest == digest }?.text }
  }
}
