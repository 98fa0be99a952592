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
    guard template == nil, !update, !prune, !links, filter.isEmpty, words.filter == nil
    else {
      throw UserError(
        .usage, "--to \(form.rawValue) exports whole documents, without template, links or filter")
    }
    let isFile = output != "-"
    guard isFile || !form.isBinary || !context.terminal.output.isTerminal && !options.json else {
      throw UserError(
        .usage, "\(form.rawValue) is a binary format, which a terminal cannot show",
        hint: "name a file: -o FILE.\(form.rawValue)")
    }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let request = ExportDocuments(
      documents: try await context.documents(docs, in: library)?.map(\.id), to: form,
      file: isFile ? output : nil, replace: force, failOnLoss: failOnLoss,
      noHighlights: noHighlights)
    let outcome = try await request.export(
      in: try context.session(for: ExportDocuments.self, options))
    context.notify(outcome.reports)
    guard outcome.count > 0 else {
      throw context.nothing("no document has a file to export", in: library, options)
    }
    if form.isBinary, !isFile {
      context.terminal.output.write(outcome.bytes)
    } else {
      context.answer(options, json: outcome.json) {
        if isFile {
          showFile(of: outcome.count.counted("document"), context)
        } else {
          context.terminal.writeData(String(decoding: outcome.bytes, as: UTF8.self))
        }
      }
    }
    if !outcome.losses.isEmpty {
      context.show("\(to) omits \(outcome.losses.joined(separator: ", "))")
    }
  }
}
