import Actions
import Editing
import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import Rendering
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
    var device: DeviceAnswer?
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
    // Read the number first: later changes are sent as events.
    let sequence = await pages.sequence
    // Read the state before the data. If it is outdated, the page requests the data again.
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
        device: caller.device.map { DeviceAnswer($0) }, outline: Self.outline(of: open.parsed),
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
