package import Model
import SystemSupport
package import Workspace

/// Lists the links of a document and the links to it, or all broken links of a library.
package struct ListLinks: Action {
  package static let name = "document.links"
  package static let summary =
    "Lists the links of a document, the links to it, and the broken links."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter(
      "document", .identifier(.document),
      "The document; all when omitted, and then only broken links are listed.")
  ]
  package static let examples = [ListLinks(document: .example), ListLinks()]

  package var document: Document.ID?

  package init(document: Document.ID? = nil) { self.document = document }

  package struct Outcome: ActionOutcome {
    package var report: LinkReport
    /// The number of documents whose links were examined.
    package var documents: Int
    var location: LibraryLocation

    package init(_ report: LinkReport, documents: Int = 1, in location: LibraryLocation) {
      (self.report, self.documents, self.location) = (report, documents, location)
    }

    package var json: String {
      func records(_ links: [DocumentLink]) -> [LinkRecord] {
        links.map { LinkRecord($0, in: location) }
      }
      return JSON.line(
        "diple.links/1",
        LinkReportRecord(
          links: records(report.links), backlinks: records(report.backlinks),
          unresolved: records(report.unresolved)))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    guard let document else {
      let unresolved = Array(try await library.unresolvedLinks().prefix(session.rowLimit))
      let documents = try await library.documents()
      return Outcome(
        LinkReport(unresolved: unresolved), documents: documents.count { $0.state == .present },
        in: library.location)
    }
    let open = try await library.open(session.document(document))
    let path = open.document?.path
    var report = try await library.links(
      of: open, file: path.map(library.location.absolute) ?? "")
    report.links.removeLast(max(0, report.links.count - session.rowLimit))
    report.backlinks.removeLast(max(0, report.backlinks.count - session.rowLimit))
    report.unresolved.removeLast(max(0, report.unresolved.count - session.rowLimit))
    return Outcome(report, in: library.location)
  }
}

/// The links of a record of the schema `diple.links/1`.
private struct LinkReportRecord: Encodable {
  var links: [LinkRecord]
  var backlinks: [LinkRecord]
  var unresolved: [LinkRecord]
}

/// A link, an element of `diple.links/1`.
private struct LinkRecord: Encodable {
  /// The target of a link.
  struct Target: Encodable {
    var kind: String
    @Nullable var document: HighlightRecord.DocumentReference?
    @Nullable var path: String?
    @Nullable var part: String?
    @Nullable var range: TextRange?
    @Nullable var address: String?
  }

  /// The reason why a link is broken.
  struct Problem: Encodable {
    var code: String
    var message: String
    /// The files with the name; empty unless the code is `ambiguous`.
    var candidates: [String]
  }

  /// The document that contains the link; nil if its file is in no library.
  @Nullable var document: HighlightRecord.DocumentReference?
  var kind: DocumentLink.Kind
  var destination: String
  var words: String
  var sentence: String
  var line: Int
  var column: Int
  var range: TextRange
  @Nullable var target: Target?
  @Nullable var problem: Problem?

  init(_ link: DocumentLink, in location: LibraryLocation) {
    document = link.document.map { .init($0) }
    (kind, destination) = (link.kind, link.destination)
    (words, sentence, range) = (link.words, link.sentence, link.range)
    (line, column) = (link.position.line, link.position.column)
    problem = link.problem.map {
      Problem(code: $0.code.rawValue, message: $0.message, candidates: $0.candidates)
    }
    switch link.target {
    case nil: target = nil
    case .address(let address): target = Target(kind: "address", address: address)
    case .file(let path): target = Target(kind: "file", path: path)
    case .document(let found, let part, let range):
      target = Target(
        kind: "document", document: .init(found), path: location.absolute(found.path),
        part: part?.text, range: range)
    }
  }
}
