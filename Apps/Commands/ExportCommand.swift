import ArgumentParser
import FoundationEssentials
import Model
import Workspace

/// `export`: writes highlights in another program's form.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write highlights in another form.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var filter: FilterOptions
  @Option(help: "The form; `strategies` lists them.") var to = "markdown"
  @Option(name: .shortAndLong, help: "The file; - for standard output.", completion: .file())
  var output = "-"
  @Argument(help: "Documents; all when none is named.") var docs: [String] = []

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, .lookOnly)
    var documents: [Document] = []
    for doc in docs { documents.append(try await session.document(doc, in: library)) }
    session.notify(try await library.refresh(docs.isEmpty ? nil : documents))
    let text = try await library.export(
      try filter.filter(docs.isEmpty ? nil : documents.map(\.id)), as: to)
    if output == "-" {
      session.output.write(text)
      return
    }
    do { try Data(text.utf8).write(to: URL(filePath: output), options: .atomic) } catch {
      throw LibraryError(
        .conflict, "cannot write \(output)", hint: "check the folder and its space")
    }
  }
}
