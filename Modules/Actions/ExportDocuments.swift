import Files
package import LibraryExchange
package import Model
import Rendering
import RichMarkdown
import RichText
import SystemSupport
package import Workspace

/// Exports whole documents with their formats. Several documents become one text.
package struct ExportDocuments: Action {
  package static let name = "document.export"
  package static let summary =
    "Exports documents with their formats, for word processors or as a book."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnlyOrEmpty
  package static let parameters = [
    ActionParameter.documents,
    ActionParameter(
      "to", .choice(RichForm.allCases.map(\.rawValue)), "Export format.", isRequired: true),
    ActionParameter(
      "file", .text, "The path of the file; needed for binary formats, else the text is returned."),
    ActionParameter("replace", .flag, "Replaces the file if it exists."),
    ActionParameter("failOnLoss", .flag, "Fails if the format would omit something."),
    ActionParameter("noHighlights", .flag, "Omits the highlights with their notes."),
  ]
  package static let examples = [
    ExportDocuments(
      documents: [.example], to: .docx, file: "/home/ada/book.docx", replace: true,
      failOnLoss: true, noHighlights: true)
  ]

  package var documents: [Document.ID]?
  package var to: RichForm
  package var file: String?
  package var replace: Bool?
  package var failOnLoss: Bool?
  package var noHighlights: Bool?

  package init(
    documents: [Document.ID]? = nil, to form: RichForm, file: String? = nil, replace: Bool? = nil,
    failOnLoss: Bool? = nil, noHighlights: Bool? = nil
  ) {
    (self.documents, to, self.file) = (documents, form, file)
    (self.replace, self.failOnLoss, self.noHighlights) = (replace, failOnLoss, noHighlights)
  }

  package struct Outcome: ActionOutcome {
    package var form: RichForm
    /// The file that was written; nil if none was.
    package var file: String?
    /// The exported document; empty if it was written to a file.
    package var bytes: [UInt8] = []
    /// The number of exported documents. If it is 0, nothing was written.
    package var count: Int
    /// What the format omits, a few words each.
    package var losses: [String] = []
    /// The reports of the files that changed.
    package var reports: [RefreshReport]

    package var json: String {
      JSON.line(
        "diple.export/1",
        ExportHighlights.Outcome.Record(
          form: form.rawValue, output: file,
          text: file == nil ? String(decoding: bytes, as: UTF8.self) : nil))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    guard file != nil || !to.isBinary else {
      throw UserError(.usage, "\(to.rawValue) is binary, so 'file' is needed").about("file")
    }
    return try await export(in: session)
  }

  /// Exports the documents, also in a binary format without a file.
  ///
  /// - Throws: `incomplete` if the format would omit something and `failOnLoss` is set; `notFound`
  ///   if a program that is needed is not installed.
  package func export(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    var named: [Document]?
    if let documents { named = try await session.documents(documents) }
    let reports =
      if let named { try await library.refresh(named) } else { try await session.refreshAll() }
    let wanted = inOrder(try await library.documents().filter { $0.state == .present })
    var outcome = Outcome(form: to, count: wanted.count, reports: reports)
    guard let first = wanted.first else { return outcome }
    let location = library.location
    let export = try await library.richExport(
      of: wanted, withHighlights: noHighlights != true, withMarkdown: to.needsMarkdown,
      picture: { destination, document in
        PictureShow.bytes(destination, from: location.absolute(document.path), document, location)
      })
    outcome.losses = export.losses(as: to)
    try requireComplete(outcome.losses)
    let (bytes, unplaced) = try await to.file(
      of: export.document, markdown: export.markdown, title: first.title,
      author: export.author)
    if unplaced > 0 {
      outcome.losses.append("\(unplaced.counted("highlight")) that no page shows")
      try requireComplete(outcome.losses)
    }
    if let file {
      try await library.requireForeign(file)
      try OutputFile.write(bytes, to: file, replacing: replace ?? false)
      outcome.file = file
    } else {
      outcome.bytes = bytes
    }
    return outcome
  }

  /// Throws `incomplete` if the format omits something and that is not allowed.
  private func requireComplete(_ losses: [String]) throws(UserError) {
    guard failOnLoss == true, !losses.isEmpty else { return }
    throw UserError(
      .incomplete,
      "nothing was written: \(to.rawValue) would omit \(losses.joined(separator: ", "))")
  }

  /// Returns the documents of the request, in its order; all documents if it names none.
  private func inOrder(_ found: [Document]) -> [Document] {
    guard let documents else { return found }
    return documents.compactMap { id in found.first { $0.id == id } }
  }
}

extension RichForm: Codable {}

extension RichExport {
  /// The maximum number of formats that are named, each with its passage.
  private static let namedFormats = 8

  /// Returns descriptions of the content that a format cannot represent.
  fileprivate func losses(as form: RichForm) -> [String] {
    var lost: [String] = []
    if orphans > 0 { lost.append("\(orphans.counted("highlight")) without a place in the text") }
    if form == .attributed, !document.highlights.isEmpty {
      lost.append(document.highlights.count.counted("highlight"))
    }
    if form == .epub, unmarked > 0 { lost.append("\(unmarked.counted("highlight")) in code") }
    if form == .epub {
      lost += formats.prefix(Self.namedFormats)
      let rest = formats.count - Self.namedFormats
      if rest > 0 { lost.append("\(rest.counted("more format"))") }
    }
    if form == .attributed, !document.notes.isEmpty {
      lost.append(document.notes.count.counted("footnote"))
    }
    if form == .attributed, !document.images.isEmpty {
      lost.append(document.images.count.counted("picture"))
    }
    if form == .attributed, !document.tableRows.isEmpty { lost.append("the structure of tables") }
    let omitted = losses.filter { form != .pdf || $0 != Self.alignmentOfColumns }
    return lost + (form == .epub ? [] : omitted) + document.losses
  }
}
