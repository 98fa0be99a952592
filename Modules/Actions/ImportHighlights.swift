package import LibraryExchange
package import Model
import SystemSupport
import Workspace

/// Imports highlights that another program made.
package struct ImportHighlights: Action {
  package static let name = "highlight.import"
  package static let summary = "Imports highlights that another program made."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter("files", .list(.text), "The files."),
    ActionParameter("text", .text, "The content of a file, for example from the clipboard."),
    ActionParameter("from", .text, "The import format; recognised when omitted."),
    ActionParameter(
      "document", .identifier(.document),
      "The document of all highlights; when omitted, each highlight names its document."),
    .dryRun,
  ]
  package static let examples = [
    ImportHighlights(
      files: ["/home/ada/My Clippings.txt"], text: "> words", from: "kindle-clippings",
      document: .example, dryRun: true)
  ]

  package var files: [String]?
  package var text: String?
  package var from: String?
  package var document: Document.ID?
  package var dryRun: Bool?
  /// Contents that the front-end has read, such as standard input. Only front-ends in Swift can set
  /// them.
  package var contents: [Content] = []

  private enum CodingKeys: CodingKey { case files, text, from, document, dryRun }

  package init(
    files: [String]? = nil, text: String? = nil, from: String? = nil, document: Document.ID? = nil,
    dryRun: Bool? = nil
  ) {
    (self.files, self.text, self.from) = (files, text, from)
    (self.document, self.dryRun) = (document, dryRun)
  }

  package struct Outcome: ActionOutcome {
    package var report: ImportReport

    package init(_ report: ImportReport) { self.report = report }

    /// The record `diple.imported/1`.
    private struct Record: Encodable {
      struct SourceRecord: Encodable {
        var format: String
        var documents: Int
        var highlights: Int
        var hasLocalDates: Bool
      }

      var sources: [SourceRecord]
      var made: [HighlightRecord]
      var updated: [HighlightRecord]
      var placed: Int
      var unplaced: Int
      var notes: Int
      var known: Int
      var failed: Int
      var skipped: [String]
      var kept: [String]

      init(_ report: ImportReport) {
        sources = report.sources.map {
          SourceRecord(
            format: $0.format, documents: $0.documents, highlights: $0.highlights,
            hasLocalDates: $0.hasLocalDates)
        }
        made = report.made.map { HighlightRecord($0.highlight, in: $0.document) }
        updated = report.updated.map { HighlightRecord($0.highlight, in: $0.document) }
        placed = report.placed
        unplaced = report.made.count - report.placed
        notes = report.notes.reduce(0) { $0 + $1.count }
        (known, failed) = (report.known, report.failed)
        (skipped, kept) = (report.skipped, report.kept)
      }
    }

    package var json: String { JSON.line("diple.imported/1", Record(report)) }
  }

  /// The content of a file.
  package struct Content: Hashable, Sendable {
    /// The path of the file; empty for the clipboard and standard input.
    package var path: String
    package var data: [UInt8]

    package init(path: String = "", data: [UInt8]) { (self.path, self.data) = (path, data) }
  }

  /// The maximum size of a file in bytes.
  package static let sizeLimit = 64 << 20

  package func run(in session: ActionSession) async throws -> Outcome {
    var contents = contents
    for (index, file) in (files ?? []).enumerated() {
      do throws(SystemCallError) {
        let data = try Descriptor.contentOfFile(file, limit: Self.sizeLimit)
        contents.append(Content(path: file, data: data))
      } catch {
        throw UserError(.notFound, "cannot read \(file): \(error)").about("files.\(index)")
      }
    }
    if let text { contents.append(Content(data: Array(text.utf8))) }
    guard !contents.isEmpty else { throw UserError(.usage, "'files' or 'text' is needed") }
    let library = session.library
    var target: Document?
    if let document { target = try await session.document(document) }
    // A database that contains only titles is passed along with each of the other files.
    var companions: [[UInt8]] = []
    if contents.count > 1 {
      var main: [Content] = []
      for content in contents {
        if try await library.isCompanion(content.data, at: content.path) {
          companions.append(content.data)
        } else {
          main.append(content)
        }
      }
      if main.isEmpty { companions = [] } else { contents = main }
    }
    var total = ImportReport()
    for content in contents {
      total.add(
        try await library.importHighlights(
          content.data, at: content.path, beside: companions, from: from, into: target,
          dryRun: dryRun ?? false))
    }
    return Outcome(total)
  }
}
