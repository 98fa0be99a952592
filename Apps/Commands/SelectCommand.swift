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

  private struct Record: Encodable {
    var range: TextRange
    var text: String
    var line: Int
    var column: Int
    var renderVersion: Int
  }

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
    let text = open.parsed.text.substring(range)
    guard options.json else {
      session.output.line(text)
      return
    }
    let byte = open.parsed.map.sourceOffset(of: range.lowerBound, bias: .trailing)
    let position = open.parsed.sourceLines.position(of: byte)
    let record = Record(
      range: range, text: text, line: position.line, column: position.column,
      renderVersion: ParsedDocument.renderVersion)
    session.output.line(JSON.line(Envelope(schema: "diple.selection/1", data: record)))
  }
}
