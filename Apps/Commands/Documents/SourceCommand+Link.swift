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
  struct Link: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "link",
      abstract: "Take the sources of documents from a bibliography, CSL-JSON or BibTeX.",
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
      help: "Key of the entry to link; all when omitted. Required with --doc if there are several.")
    var entry: String?
    @Argument(help: "Bibliography; - is standard input.", completion: .file()) var file: String

    /// The maximum size of a bibliography in bytes.
    private static let sizeLimit = 16 << 20

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      guard let bibliography = Bibliography(try context.content(of: file, limit: Self.sizeLimit))
      else {
        throw UserError(
          .usage, "\(file == "-" ? "the input" : file) is neither CSL-JSON nor BibTeX")
      }
      for problem in bibliography.problems {
        let place = problem.line.map { ":\($0)" } ?? ""
        context.warn(
          UserError(
            .usage, "\(file)\(place): \(problem.message)", hint: "the entry is skipped"), options)
      }
      var entries = bibliography.sources
      if let entry {
        entries = entries.filter { $0.text(.citationKey) == entry }
        guard entries.count == 1 else {
          throw UserError(
            entries.isEmpty ? .notFound : .ambiguous,
            entries.isEmpty
              ? "\(file) has no entry '\(entry)'" : "\(file) has several entries '\(entry)'",
            candidates: entries.isEmpty
              ? bibliography.sources.prefix(10).map { $0.text(.citationKey) } : [])
        }
      }
      var exit: ExitCode?
      if let doc {
        try await link(doc, to: entries, in: library, context)
      } else {
        exit = try await link(entries, in: library, context)
      }
      if !bibliography.problems.isEmpty { exit = ExitCode(2) }
      if let exit { throw exit }
    }

    private func link(
      _ name: String, to entries: [Source], in library: Library, _ context: CommandContext
    ) async throws {
      guard entries.count == 1 else {
        throw UserError(
          entries.isEmpty ? .nothing : .ambiguous,
          "\(file) has \(entries.count.counted("entry"))", hint: "choose one: --entry KEY",
          candidates: entries.prefix(10).map { $0.text(.citationKey) })
      }
      let document = try await context.document(name, in: library, toChange: true)
      let linked = entries[0].completed(by: try await library.source(of: document).userSource)
      let source = try await library.source(of: document, setting: linked, dryRun: writing.dryRun)
      SourceCommand.show(
        document, source, after: "\(writing.verb(.link)) \(document.path.string)", options, context)
    }

    /// Links each entry to the document that it matches, and prints the links.
    ///
    /// - Returns: the exit code if nothing was linked: 5 if entries were ambiguous, or else 1. Nil
    ///   if entries were linked.
    private func link(_ entries: [Source], in library: Library, _ context: CommandContext)
      async throws -> ExitCode?
    {
      let result = try await library.link(entries, dryRun: writing.dryRun)
      context.answer(
        options, "diple.source-links/1", LinksRecord(result)
      ) {
        let output = context.terminal.output
        for link in result.links where link.isNew {
          output.line(
            "\(writing.verb(.link)) \(link.document.path.string.sanitizedForTerminal) to "
              + "\(link.entry.key.sanitizedForTerminal) (same \(link.by.rawValue))")
        }
        for (entry, documents) in result.ambiguous {
          let paths = documents.prefix(3).map(\.path.string).joined(separator: ", ")
          context.show(
            """
            \(entry.key) matches \(documents.count.counted("document")) equally well (\(paths)); \
            choose one with \
            \(command: "source link", .word(file), "--entry", .word(entry.key), "--doc", "DOC")
            """)
        }
        let known = result.links.count { !$0.isNew }
        let rest = [
          known > 0 ? "\(known) linked already" : "",
          result.unmatched.isEmpty ? "" : "\(result.unmatched.count) without a document",
        ].filter { !$0.isEmpty }.joined(separator: ", ")
        context.terminal.errors.line(
          "\(entries.count.counted("entry")): \(result.links.count - known) "
            + "\(writing.verb(.link))\(rest.isEmpty ? "" : ", \(rest)")")
      }
      if result.links.contains(where: \.isNew) { return nil }
      return ExitCode(result.ambiguous.isEmpty ? 1 : 5)
    }

    /// The result of linking, a record of the schema `diple.source-links/1`.
    private struct LinksRecord: Encodable {
      struct LinkRecord: Encodable {
        var entry: String
        var document: HighlightRecord.DocumentReference
        var by: String
        var isNew: Bool
      }
      struct AmbiguousRecord: Encodable {
        var entry: String
        var documents: [HighlightRecord.DocumentReference]
      }
      var links: [LinkRecord]
      var ambiguous: [AmbiguousRecord]
      var unmatched: [String]

      init(_ found: SourceLinks) {
        links = found.links.map {
          LinkRecord(
            entry: $0.entry.key, document: .init($0.document), by: $0.by.rawValue, isNew: $0.isNew)
        }
        ambiguous = found.ambiguous.map {
          AmbiguousRecord(entry: $0.entry.key, documents: $0.documents.map { .init($0) })
        }
        unmatched = found.unmatched.map(\.key)
      }
    }
  }
}
