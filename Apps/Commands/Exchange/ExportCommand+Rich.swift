import Actions
import Console
import LibraryExchange
import Model
import Rendering
import RichText
import SystemSupport
import Workspace

extension ExportCommand {
  /// Exports documents as a word-processor document or a book. Several documents become one text.
  ///
  /// - Throws: ``UserError`` with the code:
  ///   - `incomplete` if `--fail-on-loss` is set and something would be lost
  ///   - `notFound` if a required program isn't installed
  ///   - `usage` if an option is not supported by the format.
  func export(as form: RichForm, _ context: CommandContext) async throws {
    guard template == nil, !update, !prune, !links, filter.isEmpty else {
      throw UserError(
        .usage, "--to \(form.rawValue) exports whole documents, without template, links or filter")
    }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let documents = try await context.documents(docs, in: library)
    try await context.refresh(library, documents, options)
    let wanted = try await documents.or { try await library.documents() }
      .filter { $0.state == .present }
    guard !wanted.isEmpty else {
      throw context.nothing("no document has a file to export", in: library, options)
    }
    let picture = try await exportOptions(library, context).picture
    let export = try await library.richExport(
      of: wanted, withMarkdown: form.needsMarkdown, picture: picture)
    let lost = losses(of: export, as: form)
    if failOnLoss, !lost.isEmpty {
      throw UserError(
        .incomplete,
        "nothing was written: \(form.rawValue) would omit \(lost.joined(separator: ", "))")
    }
    let isFile = output != "-"
    guard isFile || !form.isBinary || !context.terminal.output.isTerminal && !options.json else {
      throw UserError(
        .usage, "\(form.rawValue) is a binary format, which a terminal cannot show",
        hint: "name a file: -o FILE.\(form.rawValue)")
    }
    let bytes = try await form.bytes(
      of: export.document, markdown: export.markdown, title: wanted[0].title)
    if isFile {
      try await context.write(bytes, toFile: output, force: force, options)
      context.answer(
        options, "diple.export/1", Record(form: to, output: output, text: nil)
      ) {}
    } else if form.isBinary {
      context.terminal.output.write(bytes)
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      context.answer(
        options, "diple.export/1", Record(form: to, output: nil, text: text)
      ) {
        context.terminal.writeData(text)
      }
    }
    if !lost.isEmpty { context.show("\(to) omits \(lost.joined(separator: ", "))") }
  }

  /// Returns descriptions of the content that the format can't represent.
  private func losses(of export: RichExport, as form: RichForm) -> [String] {
    var lost: [String] = []
    if export.highlights > 0 { lost.append(export.highlights.counted("highlight")) }
    if form == .epub, export.formats > 0 {
      lost.append("the format of \(export.formats.counted("passage"))")
    }
    if form == .attributed, !export.document.notes.isEmpty {
      lost.append(export.document.notes.count.counted("footnote"))
    }
    if form == .attributed, !export.document.images.isEmpty {
      lost.append(export.document.images.count.counted("picture"))
    }
    if form == .attributed, !export.document.tableRows.isEmpty {
      lost.append("the structure of tables")
    }
    return lost + (form == .epub ? [] : export.losses) + export.document.losses
  }
}

extension Optional {
  /// Returns the value, or the result of an asynchronous closure for nil.
  fileprivate func or(_ other: () async throws -> Wrapped) async rethrows -> Wrapped {
    if let self { return self }
    return try await other()
  }
}
