import Actions
import ArgumentParser
import Console
import Interchange
import Model
import Rendering
import SystemSupport
import Workspace

extension SourceCommand {
  /// The `source link` command, which links documents to the entries of a bibliography.
  struct Link: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "link",
      abstract: "Set the sources of documents from a bibliography, CSL-JSON or BibTeX.",
      discussion: """
        Links each entry to the document with the same DOI, ISBN, address, key or title; with \
        --doc, links one entry to that document. Run it again to update the sources from the file.

        Examples:
          diple source link refs.bib
          diple source link refs.json --doc room.md --entry woolf1929
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(help: "Document to link.", completion: .values(.document)) var doc: String?
    @Option(
      help: "Key of the entry; all when omitted. With --doc, required if there are several.")
    var entry: String?
    @Argument(help: "Bibliography; - is standard input.", completion: .file()) var file: String

    /// The maximum size of a bibliography in bytes. A larger file is refused.
    private static let sizeLimit = 16 << 20

    func request(in context: CommandContext) async throws -> LinkSources {
      let library = try context.libraries.library(options, .existing)
      let text = try context.content(of: file, limit: Self.sizeLimit)
      var request = LinkSources(bibliography: Bibliography.text(of: text))
      if let doc {
        request.document = try await context.document(doc, in: library, toChange: true).id
      }
      request.entry = entry
      request.name = file == "-" ? "the input" : file
      request.dryRun = writing.dryRun
      return request
    }

    func problems(of outcome: LinkSources.Outcome) -> [UserError] {
      outcome.problems.map { problem in
        let place = problem.line.map { ":\($0)" } ?? ""
        return UserError(
          .usage, "\(file)\(place): \(problem.message)", hint: "the entry is skipped")
      }
    }

    func write(_ outcome: LinkSources.Outcome, to context: CommandContext) {
      if let source = outcome.source, let document = source.sources.first?.document {
        return SourceCommand.show(
          source, after: "\(writing.verb(.link)) \(context.paths.name(document.path))", context)
      }
      let found = outcome.found
      let output = context.terminal.output
      for link in found.links where link.isNew {
        output.line(
          "\(writing.verb(.link)) \(context.shown(link.document.path)) to "
            + "\(link.entry.key.sanitizedForTerminal) (same \(link.by.rawValue))")
      }
      for (entry, documents) in found.ambiguous {
        let paths = documents.prefix(3).map { context.paths.name($0.path) }.joined(separator: ", ")
        context.show(
          """
          \(entry.key): \(documents.count.counted("document")) match equally well (\(paths)); \
          choose one with \
          \(command: "source", "link", .word(file), "--entry", .word(entry.key), "--doc", "DOC")
          """)
      }
      let known = found.links.count { !$0.isNew }
      let rest = [
        known > 0 ? "\(known) linked already" : "",
        found.unmatched.isEmpty ? "" : "\(found.unmatched.count) without a document",
      ].filter { !$0.isEmpty }.joined(separator: ", ")
      context.terminal.errors.line(
        "\(outcome.entries.counted("entry")): \(found.links.count - known) "
          + "\(writing.verb(.link))\(rest.isEmpty ? "" : ", \(rest)")")
    }

    func exitCode(of outcome: LinkSources.Outcome) -> Int32 {
      if !outcome.problems.isEmpty { return 2 }
      if outcome.source != nil || outcome.found.links.contains(where: \.isNew) { return 0 }
      return outcome.found.ambiguous.isEmpty ? 1 : 5
    }
  }
}
