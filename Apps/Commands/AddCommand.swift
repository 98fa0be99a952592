import ArgumentParser
import Model
import Workspace

/// `add`: brings documents into the library.
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Bring Markdown files, or folders of them, into the library.",
    discussion: "The files stay where they are and are never written.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Argument(help: "Files and folders.", completion: .file(extensions: ["md", "markdown"]))
  var paths: [String]

  private struct Record: Encodable {
    var document: DocumentRecord
    var change: String
    var invalidSequences: Int
  }

  func run() async throws {
    let session = Session.current
    if writing.dryRun {
      for path in try Library.filesToAdd(paths) {
        session.output.line(
          options.json
            ? JSON.line(Envelope(schema: "diple.file/1", data: ["path": path]))
            : path.neutralized)
      }
      return
    }
    let library = try session.library(options, .create)
    let total = try await library.add(paths) { batch in
      for addition in batch.additions { say(addition, session) }
      // What has been said is stored: whoever reads along may rely on it.
      session.output.flush()
    }
    for problem in total.problems {
      if options.json {
        session.errors.line(JSON.line(ErrorRecord(problem)))
      } else {
        session.errors.line("diple: \(problem.description.neutralized)")
      }
    }
    if let only = total.additions.first, total.additions.count == 1, session.isInteractive {
      session.document = only.document
    }
    if let problem = total.problems.first { throw ExitCode(problem.code.exitCode) }
    if !total.additions.contains(where: { $0.kind != .known }) { throw ExitCode(1) }
  }

  private func say(_ addition: Addition, _ session: Session) {
    let document = addition.document
    if options.json {
      let record = Record(
        document: DocumentRecord(document, counts: [:]), change: addition.kind.rawValue,
        invalidSequences: addition.invalidSequences)
      session.output.line(JSON.line(Envelope(schema: "diple.addition/1", data: record)))
      return
    }
    let word = addition.kind == .known ? "already in the library:" : addition.kind.rawValue
    session.output.line(
      "\(word) \(document.path.string.neutralized)  \(document.title.shortened)")
    if addition.invalidSequences > 0 {
      session.errors.line(
        "\(document.path.string.neutralized): "
          + "\(addition.invalidSequences.counted("place")) not in UTF-8, shown as \u{FFFD}; the file stays as it is"
      )
    }
  }
}
