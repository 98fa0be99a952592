import Actions
import ArgumentParser
import Console
import Interchange
import Model
import Rendering
import SystemSupport
import Workspace

extension Bibliography.Format: OptionChoice {}

extension SourceCommand {
  /// The `source show` command. Without `--as` its record is `diple.sources/1`, with `--as` it
  /// prints a bibliography.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show the sources of documents, as a list or as a bibliography.",
      discussion: """
        Without DOC, all documents with a known source are listed.

        Examples:
          diple source show room.md
          diple source show --as csl
        """)
    @OptionGroup var options: GlobalOptions
    @Option(name: .customLong("as"), help: "Write a bibliography in this format.")
    var format: Bibliography.Format?
    @Option(name: .shortAndLong, help: "Output file; - is standard output.", completion: .file())
    var output = "-"
    @Flag(help: "Replace the output file if it exists.") var force = false
    @Argument(help: "Documents or folders; all when omitted.", completion: .values(.document))
    var docs: [String] = []

    func validate() throws {
      if format == nil, output != "-" {
        throw ValidationError("-o needs --as: diple source show --as bibtex -o refs.bib")
      }
      if format != nil, options.json {
        throw ValidationError("--as and --json exclude each other")
      }
    }

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let named = try await context.documents(docs, in: library)
      let outcome = try await context.perform(
        ListSources(documents: named?.map(\.id)), options)
      let sources = outcome.sources
      if sources.isEmpty {
        if options.json { context.answer(options, json: outcome.json) {} }
        throw context.nothing(
          "no document has a source; \(command: "source", "set", "DOC") sets one", in: library,
          options)
      }
      if let format { return try await write(sources, as: format, context) }
      context.answer(options, json: outcome.json) {
        if sources.count == 1, named != nil { return SourceCommand.show(outcome, context) }
        let paths = context.paths
        for (document, source) in sources {
          context.terminal.output.line(
            "\(paths.text(document.path))  "
              + Citation(source.whole).text.sanitizedForTerminal)
        }
      }
    }

    private func write(
      _ sources: [(document: Document, source: DocumentSource)], as format: Bibliography.Format,
      _ context: CommandContext
    ) async throws {
      let text = Bibliography.text(of: sources.map(\.source.whole), as: format)
      guard output != "-" else { return context.terminal.writeData(text) }
      try await context.write(Array(text.utf8), toFile: output, force: force, options)
      context.terminal.errors.line(
        "\(sources.count.counted("entry")) written to \(output.sanitizedForTerminal)")
    }
  }
}
