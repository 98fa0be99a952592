import ArgumentParser
import Console
import DaemonKit
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
  @Flag(help: "Replace the output file if it exists.") var force = false
  @Argument(
    help: "Documents or folders; all when omitted.", completion: .values(.document))
  var docs: [String] = []

  /// With `--json`: the text itself, or the file that it was written to.
  private struct Record: Encodable {
    var form: String
    @Nullable var output: String?
    @Nullable var text: String?
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let documents = try await context.documents(docs, in: library)
    try await context.refresh(library, documents, options)
    let text = try await library.export(
      try await filter.filter(documents, of: library, context), as: to)
    let isFile = output != "-"
    if isFile {
      try await context.write(Array(text.utf8), toFile: output, force: force, options)
    }
    if options.json {
      let record = Record(
        form: to, output: isFile ? output : nil,
        text: isFile ? nil : text)
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.export/1", data: record)))
    } else if !isFile {
      context.terminal.writeData(text)
    }
  }
}
