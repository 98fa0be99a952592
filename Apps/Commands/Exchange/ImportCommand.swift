import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import Model
import Rendering
import SystemSupport
import Workspace

/// `import`: brings another program's highlights into the library.
struct ImportCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import highlights from another program.",
    discussion: """
      Each highlight is searched for in its document as the file is now. One without a match is \
      imported as an orphan, with its quote.

      Examples:
        diple import highlights.json
        diple import --clipboard --doc essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Option(
    name: .customLong("from"),
    help: .strategy("Format; detected when omitted", \.importers),
    completion: .values(.importer))
  var format: String?
  @Option(
    name: .customLong("doc"),
    help: "Document of all highlights; when omitted, each names its own.",
    completion: .values(.document))
  var doc: String?
  @Flag(help: "Read the clipboard (wl-paste, xclip or xsel).") var clipboard = false
  @Argument(help: "Files; - is standard input.", completion: .file()) var files: [String] = []

  func validate() throws {
    if files.isEmpty, !clipboard { throw ValidationError("name a file, or - for standard input") }
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    var target: Document?
    if let doc { target = try await context.document(doc, in: library) }
    var total = ImportReport()
    var sources = try files.map { try Self.read($0, context) }
    if clipboard { sources.append(try await Clipboard.paste(in: context.terminal.environment)) }
    for data in sources {
      let report = try await library.importHighlights(
        data, from: format, into: target, dryRun: writing.dryRun)
      total.made += report.made
      total.known += report.known
      total.skipped += report.skipped
      total.problems += report.problems
    }
    say(total, context)
    if let problem = total.problems.first { throw ExitCode(problem.code.exitCode) }
    if total.made.isEmpty { throw ExitCode(1) }
  }

  /// The most that is read of one source, in bytes.
  private static let sizeLimit = 64 << 20

  private static func read(_ file: String, _ context: CommandContext) throws -> [UInt8] {
    let bytes: [UInt8]
    if file == "-" {
      bytes = try context.terminal.readInput(limit: sizeLimit + 1)
    } else {
      do throws(SystemFailure) {
        bytes = try Descriptor.contentOfFile(file, limit: sizeLimit)
      } catch {
        if error.number == EFBIG { throw tooLarge(file) }
        throw UserError(
          .notFound, "cannot read \(file): \(error)", hint: "check its name and permissions")
      }
    }
    if bytes.count > sizeLimit { throw tooLarge(file) }
    return bytes
  }

  private static func tooLarge(_ file: String) -> UserError {
    UserError(
      .usage,
      "\(file == "-" ? "the input" : file) is larger than \(sizeLimit >> 20) MiB, and is not "
        + "imported", hint: "split it")
  }

  private func say(_ report: ImportReport, _ context: CommandContext) {
    for problem in report.problems {
      context.terminal.errors.line(
        options.json
          ? JSON.line(ErrorRecord(problem)) : "diple: \(problem.description.sanitizedForTerminal)")
    }
    for line in report.skipped {
      context.terminal.errors.line(
        options.json
          ? JSON.line(ErrorRecord(UserError(.nothing, "skipped: \(line)")))
          : "skipped: \(line.sanitizedForTerminal)")
    }
    if options.json {
      let records = report.made.map { HighlightRecord($0.highlight, in: $0.document) }
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.highlights/1", data: records)))
      return
    }
    let writer = context.listWriter(options)
    for (highlight, document) in report.made { writer.write(highlight, document) }
    let verb = writing.dryRun ? "would be imported" : "imported"
    let skipped = report.skipped.isEmpty ? "" : ", \(report.skipped.count) skipped"
    context.terminal.errors.line(
      "\(report.made.count) \(verb), \(report.known) already present\(skipped)")
  }
}
