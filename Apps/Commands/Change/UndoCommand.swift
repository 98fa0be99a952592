import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `undo` command, which reverts the last step.
struct UndoCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last change.",
    discussion: """
      Highlights, notes, removals, imports and changes of files are one history; a replacement \
      in many files is one step. Later changes by other programs or devices are never \
      overwritten. The line editor and the reader undo only changes of the current document, and \
      changes of the whole library that were made since they were started; with --all, any change.

      Examples:
        diple undo
        diple undo --dry-run
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Skip the last step; the next undo reverts the step before it.")
  var skip = false
  @Flag(help: "Undo the last change of any document (line editor, reader).") var all = false

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let document = all ? nil : context.sessionDocument
    let newest = try await document == nil ? nil : library.nextStep(by: .undo)
    let outcome = try await context.perform(
      UndoStep(
        document: document, skip: skip, keepsDocument: context.isReader, dryRun: writing.dryRun),
      options)
    let report = outcome.report
    context.show(foreignSteps: await library.foreignSteps)
    context.show(outcome, skip ? .leave : .undo, writing, options)
    if let newest, newest.id > report.step.id, !options.json, context.terminal.allowsPrompts {
      context.show(
        """
        a newer change of another document: \(newest.summary); \(command: "undo", "--all") \
        undoes it
        """
      )
    }
  }
}

/// The `redo` command, which repeats the last undone step.
struct RedoCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Redo the last undone change.",
    discussion: """
      Example:
        diple redo
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Redo the last undone change of any document (line editor, reader).")
  var all = false

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let outcome = try await context.perform(
      RedoStep(document: all ? nil : context.sessionDocument, dryRun: writing.dryRun), options)
    context.show(foreignSteps: await library.foreignSteps)
    context.show(outcome, .redo, writing, options)
  }
}

extension CommandContext {
  /// The document whose steps a REPL or reader can undo; nil for the steps of all documents.
  fileprivate var sessionDocument: Document.ID? {
    terminal.isInteractive ? selection.document?.id : nil
  }

  /// Whether the command runs in the full-screen reader, which collects its output.
  var isReader: Bool { terminal.output.isCollecting }

  /// The maximum number of files that are printed separately.
  private static var shownFiles: Int { 5 }

  fileprivate func show(
    _ outcome: StepOutcome, _ verb: Verb, _ writing: WriteOptions, _ options: GlobalOptions
  ) {
    let report = outcome.report
    notify(report.reports)
    if let problem = report.problem {
      terminal.errors.line(
        "diple: done, but the highlights were not found again; `diple refresh` tries again: "
          + problem.message.sanitizedForTerminal)
    }
    answer(options, json: outcome.json) {
      let step = report.step
      let origin = "step \(step.change), \(step.changeDate.localTimestamp)"
      let undone = verb == .undo && !writing.dryRun ? step.undoneSummary : nil
      let summary = undone ?? "\(writing.verb(verb)): \(step.summary)"
      // The reader has a single line.
      let note =
        isReader ? "" : " (\(undone == nil ? "" : "undo of ")\(origin))"
      terminal.output.line(summary.sanitizedForTerminal + note)
      if report.changes.count > Self.shownFiles, !writing.dryRun {
        let places = report.changes.reduce(0) { $0 + $1.places }.counted("place")
        terminal.output.line("wrote \(report.changes.count.counted("file")) (\(places))")
        notify(report.changes.compactMap(\.report).filter { !$0.outcomes.isEmpty })
      } else {
        lines(of: report.changes, isUndo: verb == .undo)
      }
      if report.kept > 0 {
        terminal.errors.line(
          "\(report.kept.counted("field")) changed later, and are not reverted")
      }
    }
  }
}
