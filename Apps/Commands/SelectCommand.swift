import ArgumentParser
import Editing
import MarkdownParse
import Model
import Workspace

/// `select`: says what a SPEC means.
struct SelectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "select", abstract: "Print the passage that a SPEC selects, and change nothing.")

  @OptionGroup var options: GlobalOptions
  @Argument(help: "[DOC] SPEC; DOC may be left out in the REPL.") var words: [String]

  func run() async throws {
    let session = Session.current
    let (doc, spec) = try session.documentAndSpec(words)
    let library = try session.library(options, .lookOnly)
    let open: OpenDocument
    do {
      open = try await library.open(try await session.document(doc, in: library))
    } catch let error as LibraryError where error.code == .notFound {
      guard let doc, Library.isFile(doc) else { throw error }
      open = try Library.openFile(doc)
    }
    let range = try await library.select(spec, in: open)
    session.output.line(
      options.json
        ? SelectionRecord.line(range, in: open.parsed) : open.parsed.text.substring(range))
  }
}
