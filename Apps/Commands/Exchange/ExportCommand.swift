import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import SystemSupport
import Workspace

/// `export`: writes highlights in another program's form.
struct ExportCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export highlights in another format.",
    discussion: """
      Examples:
        diple export essay.md
        diple export --to w3c -o highlights.json
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var filter: FilterOptions
  @Option(help: .strategy("Format", \.exporters), completion: .values(.exporter)) var to =
    "markdown"
  @Option(name: .shortAndLong, help: "Output file; - is standard output.", completion: .file())
  var output = "-"
  @Argument(
    help: "Documents; all of them when omitted.", completion: .values(.document))
  var docs: [String] = []

  /// With `--json`: the text itself, or the file that it was written to.
  private struct Record: Encodable {
    var form: String
    @Nullable var output: String?
    @Nullable var text: String?
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .lookOnly)
    var documents: [Document] = []
    for doc in docs { documents.append(try await context.document(doc, in: library)) }
    try await context.refresh(library, docs.isEmpty ? nil : documents, options)
    let text = try await library.export(
      try filter.filter(docs.isEmpty ? nil : documents.map(\.id)), as: to)
    let isFile = output != "-"
    if isFile {
      try Data(text.utf8).write(toFile: output)
    }
    if options.json {
      let record = Record(
        form: to, output: isFile ? output : nil,
        text: isFile ? nil : text)
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.export/1", data: record)))
    } else if !isFile {
      context.terminal.output.write(text)
    }
  }
}

extension Data {
  /// Writes a file that a person named, as a whole.
  ///
  /// - Throws: `UserError` of the kind `conflict`.
  func write(toFile path: String) throws(UserError) {
    do { try write(to: URL(filePath: path), options: .atomic) } catch {
      throw UserError(.conflict, "cannot write \(path)", hint: "check the folder and its space")
    }
  }
}
