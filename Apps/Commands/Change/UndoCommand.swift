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
      in many files is one step. What was changed elsewhere since is never overwritten. In the \
      line editor and the reader only changes of the current document are undone, and of others \
      only what was done since it was started, unless --all is given.

      Examples:
        diple undo
        diple undo --dry-run
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Skip the last step; the next undo reverts the one before.")
  var skip = false
  @Flag(help: "Take the last change of any document (line editor, reader).") var all = false

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let document = all ? nil : context.sessionDocument
    let newest = try await document == nil ? nil : library.nextStep(by: .undo)
    let outcome = try await context.perform(
      UndoStep(document: document, skip: skip, dryRun: writing.dryRun), options)
    let report = outcome.report
    context.show(foreignSteps: await library.foreignSteps)
    context.show(outcome, skip ? .leave : .undo, writing, options)
    if let newest, newest.id > report.step.id, !options.json, context.terminal.allowsPrompts {
      context.show(
        "newer, elsewhere: \(newest.summary); \(command: "undo", "--all") takes it back")
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
  @Flag(help: "Take the last change of any document (line editor, reader).") var all = false

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let outcome = try await context.perform(
      RedoStep(document: all ? nil : context.sessionDocument, dryRun: writing.dryRun), options)
    context.show(foreignSteps: await library.foreignSteps)
    context.show(outcome, .redo, writing, options)
  }
}

extension CommandContext {
  /// The document whose steps a REPL or reader can undo. Nil for all steps.
  fileprivate var sessionDocument: Document.ID? {
    terminal.isInteractive ? selection.document?.id : nil
  }

  /// The maximum number of files that are printed separately.
  private static var shownFiles: Int { 5 }

  fileprivate func show(
    _ outcome: StepOutcome, _ verb: Verb, _ writing: WriteOptions, _ options: GlobalOptions
  ) {
    let report = outcome.report
    terminal.notify(report.reports)
    if let problem = report.problem {
      terminal.errors.line(
        "diple: done, but the places of highlights wait for the next `diple refresh`: "
          + problem.message.sanitizedForTerminal)
    }
    answer(options, json: outcome.json) {
      let summary = report.step.summary.sanitizedForTerminal
      terminal.output.line(
        "\(writing.verb(verb)): \(summary) (step \(report.step.id), \(report.step.date.localTimestamp))"
      )
      if report.changes.count > Self.shownFiles, !writing.dryRun {
        let places = report.changes.reduce(0) { $0 + $1.places }.counted("place")
        terminal.output.line("wrote \(report.changes.count.counted("file")) (\(places))")
        terminal.notify(report.changes.compactMap(\.report).filter { !$0.outcomes.isEmpty })
      } else {
        lines(of: report.changes, isUndo: verb == .undo)
      }
      if report.kept > 0 {
        terminal.errors.line(
          "\(report.kept.counted("field")) changed since and are not reverted")
      }
    }
  }
}
