import ArgumentParser
import Model
import Search
import Workspace

/// `search`: finds words in the documents.
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find words in the documents of the library.",
    discussion: "Case counts only when the query has a capital letter.")

  @OptionGroup var options: GlobalOptions
  @Option(help: "How to search; `strategies` lists the ways.") var strategy = "literal"
  @Flag(help: "Only whole words.") var word = false
  @Argument(help: "What to look for.") var query: String
  @Argument(help: "Documents; all when none is named.") var docs: [String] = []

  private struct Record: Encodable {
    var document: HighlightRecord.DocumentReference
    var range: TextRange
    var line: Int
    var column: Int
    var text: String
  }

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, .lookOnly)
    let searched: SearchQuery
    do { searched = try SearchQuery(query, wholeWords: word) } catch {
      throw LibraryError(.usage, error.description)
    }
    var documents: [Document] = []
    for doc in docs { documents.append(try await session.document(doc, in: library)) }
    let results = try await library.search(
      searched, strategy: strategy, in: docs.isEmpty ? nil : documents)
    session.notify(results.reports)
    for result in results.found {
      let path = result.document.path.string
      for hit in result.hits {
        if options.json {
          let record = Record(
            document: .init(result.document),
            range: hit.range, line: hit.position.line, column: hit.position.column, text: hit.line)
          session.output.line(JSON.line(Envelope(schema: "diple.match/1", data: record)))
        } else {
          session.output.line(
            "\(path.neutralized):\(hit.position.line):\(hit.position.column): \(hit.line.shortened)"
          )
        }
      }
    }
    if results.found.isEmpty { throw ExitCode(1) }
  }
}
