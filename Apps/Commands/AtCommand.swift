import ArgumentParser
import Editing
import Model
import Workspace

/// `at`: the highlights at a place.
struct AtCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "at", abstract: "Show the highlights at a place of a document.",
    discussion: "POS is LINE:COLUMN of the file, or a number of UTF-16 units of the rendered text.")

  @OptionGroup var options: GlobalOptions
  @Argument(help: "[DOC] POS; DOC may be left out in the REPL.") var words: [String]

  func run() async throws {
    let session = Session.current
    let (doc, position) = try session.documentAndPosition(words)
    let library = try session.library(options, .lookOnly)
    let document = try await session.document(doc, in: library)
    let (found, report) = try await library.highlights(in: document, at: position)
    session.notify([report])
    if options.json {
      let records = found.map { HighlightRecord($0, in: document) }
      session.output.line(JSON.line(Envelope(schema: "diple.highlights/1", data: records)))
    } else {
      for highlight in found { session.output.line(ListCommand.line(highlight, document)) }
    }
    if found.isEmpty { throw ExitCode(1) }
  }
}

extension Session {
  /// Divides `[DOC] POS`.
  func documentAndPosition(_ words: [String]) throws -> (doc: String?, position: PositionSpec) {
    guard (1...2).contains(words.count), isInteractive || words.count == 2 else {
      throw LibraryError(
        .usage, "this takes DOC and POS", hint: "for example: diple at essay.md 12:5")
    }
    do {
      let position = try PositionSpec(parsing: words[words.count - 1])
      return (words.count == 2 ? words[0] : nil, position)
    } catch {
      throw LibraryError(.usage, error.description)
    }
  }
}
