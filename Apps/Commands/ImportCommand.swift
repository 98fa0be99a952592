import ArgumentParser
import FoundationEssentials
import Model
import Workspace

/// `import`: brings another program's highlights into the library.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring another program's highlights into the library.",
    discussion: """
      Each highlight is looked for in its document as the file is now. One that is found nowhere \
      comes in as an orphan, with its quote.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Option(name: .customLong("from"), help: "The form; found out when left out.")
  var format: String?
  @Option(name: .customLong("doc"), help: "The document of all of them; else each names its own.")
  var doc: String?
  @Flag(help: "Read the clipboard, through wl-paste, xclip or xsel.") var clipboard = false
  @Argument(help: "Files; - for standard input.", completion: .file()) var files: [String] = []

  func validate() throws {
    if files.isEmpty, !clipboard { throw ValidationError("name a file, or - for standard input") }
  }

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, .existing)
    var target: Document?
    if let doc { target = try await session.document(doc, in: library) }
    var total = ImportReport()
    var sources = try files.map(Self.read)
    if clipboard { sources.append(try Clipboard.paste(in: session.environment)) }
    for data in sources {
      let report = try await library.importHighlights(
        data, from: format, into: target, dryRun: writing.dryRun)
      total.made += report.made
      total.known += report.known
      total.problems += report.problems
    }
    say(total, session)
    if let problem = total.problems.first { throw ExitCode(problem.code.exitCode) }
    if total.made.isEmpty { throw ExitCode(1) }
  }

  private static func read(_ file: String) throws -> [UInt8] {
    if file == "-" { return try Session.current.readInput() }
    do { return Array(try Data(contentsOf: URL(filePath: file))) } catch {
      throw LibraryError(.notFound, "cannot read \(file)", hint: "check its name and permissions")
    }
  }

  private func say(_ report: ImportReport, _ session: Session) {
    for problem in report.problems {
      session.errors.line(
        options.json
          ? JSON.line(ErrorRecord(problem)) : "diple: \(problem.description.neutralized)")
    }
    if options.json {
      let records = report.made.map { HighlightRecord($0.highlight, in: $0.document) }
      session.output.line(JSON.line(Envelope(schema: "diple.highlights/1", data: records)))
      return
    }
    for (highlight, document) in report.made {
      session.output.line(ListCommand.line(highlight, document))
    }
    let verb = writing.dryRun ? "would be imported" : "imported"
    session.errors.line("\(report.made.count) \(verb), \(report.known) known already")
  }
}
