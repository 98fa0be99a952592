import Editing
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Search
import Storage
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests undo, also after changes by other processes.
@Suite struct UndoTests {
  private let folder: LibraryFolder
  private let library: Library

  init() async throws {
    folder = try LibraryFolder()
    try folder.write("a.md", "First line.\n\nA quick fox here.\n\nLast line.\n")
    try folder.write("b.md", "Another fox there.\n")
    library = try await folder.library()
  }

  private func replaceAll(_ old: String, _ new: String) async throws {
    var request = ReplaceRequest(try SearchQuery(old), with: new)
    request.which = .all
    _ = try await library.replace(request)
  }

  private func kinds() async throws -> [StepKind?] {
    try await library.history(limit: 20).map(\.kind)
  }

  @Test func `an edit is undone and redone beside an edit by another program`() async throws {
    let highlight = try await library.mark("a.md", "\"quick fox\"")
    try await replaceAll("fox", "cat")
    #expect(try await library.words(at: highlight) == "quick cat")
    try folder.write("a.md", "Before all.\n\n" + (try folder.read("a.md")) + "\nBehind all.\n")
    let report = try await library.undo()
    #expect(
      try folder.read("a.md")
        == "Before all.\n\nFirst line.\n\nA quick fox here.\n\nLast line.\n\nBehind all.\n")
    #expect(try folder.read("b.md") == "Another fox there.\n")
    #expect(report.changes.count == 2 && report.kept == 0)
    #expect(try await library.words(at: highlight) == "quick fox")
    #expect(try await library.fresh(highlight).anchor.state == .exact)
    // Redo keeps the added lines too.
    _ = try await library.redo()
    #expect(try folder.read("a.md").contains("A quick cat here.\n\nLast line.\n\nBehind all.\n"))
    #expect(try await library.words(at: highlight) == "quick cat")
  }

  @Test func `undo changes no file if one has a conflicting edit`() async throws {
    try await replaceAll("fox", "cat")
    try folder.write("b.md", "Another cat, there.\n")
    let before = (try folder.read("a.md"), try await kinds())
    let error = try await failure { _ = try await library.undo() }
    #expect(error.code == .conflict && error.message.hasPrefix("b.md:1 "), "\(error)")
    #expect(error.remedy == .action("history.undo", ["skip": .flag(true)]))
    #expect(try folder.read("a.md") == before.0 && folder.read("b.md") == "Another cat, there.\n")
    #expect(try await kinds() == before.1)
    // Skip the step and undo the previous one.
    let skipped = try await library.undo(skipping: true).step
    #expect(skipped.summary == "replaced 'fox' by 'cat' in 2 documents", "\(skipped)")
    #expect(try await library.undo().step.summary == "added 2 documents")
    #expect(try await library.documents().isEmpty)
  }

  @Test func `undo fails while a file is missing, and succeeds when it returns`() async throws {
    try await replaceAll("fox", "cat")
    let text = try folder.read("b.md")
    try folder.remove("b.md")
    #expect(try await failure { _ = try await library.undo() }.code == .notFound)
    #expect(try folder.read("a.md").contains("cat"), "not even the file that is there is written")
    try folder.write("b.md", text)
    _ = try await library.undo()
    #expect(try folder.read("a.md").contains("fox") && folder.read("b.md").contains("fox"))
  }

  @Test func `a dry run lists the changed documents and changes nothing`() async throws {
    try await replaceAll("fox", "cat")
    let before = try await kinds()
    let report = try await library.undo(dryRun: true)
    #expect(report.changes.map(\.document.path.string).sorted() == ["a.md", "b.md"])
    #expect(try folder.read("a.md").contains("cat"))
    #expect(try await kinds() == before)
    #expect(try await library.undo(skipping: true, dryRun: true).step == report.step)
    #expect(try await library.undo(dryRun: true).step == report.step)
  }

  @Test func `a field that was changed later is kept, and counted`() async throws {
    let first = try await library.mark("a.md", "\"quick\"")
    let second = try await library.mark("b.md", "\"Another\"")
    try await library.setTrashed(true, [first, second])
    try await library.setTrashed(false, [first])
    #expect(try await library.undo(skipping: true).step.summary.hasPrefix("restored "))
    let report = try await library.undo()
    #expect(report.kept == 1, "\(report.step)")
    #expect(try await library.highlights(HighlightFilter()).map(\.id) == [first.id, second.id])
  }

  @Test func `undo reports a step that cannot be undone once, and then skips it`() async throws {
    let marks = [
      try await library.mark("a.md", "\"quick\""), try await library.mark("b.md", "\"Another\""),
    ]
    try await library.setTrashed(true, [marks[0]])
    _ = try await library.emptyTrash()
    let document = try await library.document("b.md")
    let session = SessionScope(document: document.id, began: .distantPast)
    #expect(try await library.nextStep(by: .undo)?.kind == .act)
    for scope in [nil, session] {
      let error = try await failure { _ = try await library.undo(in: scope, dryRun: true) }
      #expect(error.code == .conflict)
      #expect(error.message.contains("emptied the trash, which cannot be undone"), "\(error)")
    }
    #expect(try await failure { _ = try await library.undo() }.code == .conflict)
    #expect(try await library.history(limit: 1).map(\.isReversed) == [false])
    #expect(try await library.highlights(HighlightFilter()).map(\.id) == [marks[1].id])
    // The removed highlight was deleted permanently, so undo reverts the step before the removal.
    #expect(try await library.undo().step.summary.hasPrefix("marked "))
    #expect(try await library.highlights(HighlightFilter()).isEmpty)
  }

  @Test func `a skipped step is not listed as undone`() async throws {
    _ = try await library.mark("a.md", "\"quick\"")
    _ = try await library.undo(skipping: true)
    let skipped = try #require(try await library.history(limit: 1).first)
    #expect(!skipped.isReversed && skipped.isSkipped)
    _ = try await library.undo()
    let undone = try await library.history(limit: 9).last
    #expect(undone?.isReversed == true && undone?.isSkipped == false)
  }

  @Test func `an undo that a save by another program prevents is not in the history`() async throws
  {
    try await replaceAll("quick", "slow")
    let before = try await library.history(limit: 9)
    let document = try await library.document("a.md")
    let error = try await failure {
      try await library.undoDuringSave(
        of: document, step: before[0].id, writing: "A slow fox, of another program.\n",
        to: folder.path + "/a.md")
    }
    #expect(error.code == .conflict && error.message.contains("meanwhile"), "\(error)")
    #expect(try await library.history(limit: 9) == before)
    #expect(try folder.read("a.md") == "A slow fox, of another program.\n")
  }

  @Test func `a new change ends redo`() async throws {
    #expect(try await failure { _ = try await library.redo() }.code == .nothing)
    try await replaceAll("fox", "cat")
    _ = try await library.undo()
    #expect(try await library.redo(dryRun: true).changes.count == 2)
    _ = try await library.mark("a.md", "\"quick\"")
    let error = try await failure { _ = try await library.redo() }
    #expect(error.code == .nothing)
    #expect(try folder.read("a.md").contains("fox"))
  }

  @Test func `a change of another document does not end the redo of a session`() async throws {
    let highlight = try await library.mark("a.md", "\"quick fox\"")
    let document = try await library.document("a.md")
    let session = SessionScope(document: document.id, began: .distantPast)
    _ = try await library.undo(in: session)
    _ = try await library.mark("b.md", "there")
    #expect(try await library.redo(in: session, dryRun: true).step.kind == .undo)
    _ = try await library.redo(in: session)
    #expect(try await library.words(at: highlight) == "quick fox")
    // The highlight of the other document is kept.
    #expect(try await library.highlights(HighlightFilter()).count == 2)
  }

  @Test func `a redo that a change ended names the way to restore the highlight`() async throws {
    let highlight = try await library.mark("a.md", "\"quick fox\"")
    let document = try await library.document("a.md")
    let session = SessionScope(document: document.id, began: .distantPast)
    _ = try await library.undo(in: session)
    _ = try await library.mark("a.md", "Last")
    let error = try await failure { _ = try await library.redo(in: session) }
    #expect(error.code == .nothing && error.message.contains("was changed after the undo of"))
    #expect(
      error.remedy
        == .action(
          "highlight.restore",
          ["highlights": .records([highlight.id.description], names: [highlight.shortID])]))
  }

  @Test func `an undo in a session does not remove its document`() async throws {
    try folder.write("new.md", "Only here.\n")
    _ = try await library.add([folder.path + "/new.md"])
    let document = try await library.document("new.md")
    let session = SessionScope(
      document: document.id, began: .distantPast, keepsDocument: true)
    _ = try await library.mark("new.md", "Only")
    _ = try await library.undo(in: session)
    #expect(try await library.nextStep(by: .undo, in: session) == nil)
    let error = try await failure { _ = try await library.undo(in: session) }
    #expect(
      error.code == .conflict && error.message.contains("would remove the open document"),
      "\(error)")
    #expect(error.hint?.text(in: .plain).hasSuffix(" removes it") == true, "\(error)")
    #expect(try await library.document("new.md").id == document.id)
    // An undo in no session removes it, and the redo of its addition cannot be undone, either.
    _ = try await library.undo()
    _ = try await library.redo()
    #expect(try await failure { _ = try await library.undo(in: session) }.code == .conflict)
    // Skipping the step is possible.
    _ = try await library.undo(in: session, skipping: true)
    #expect(try await library.nextStep(by: .undo, in: session) == nil)
    #expect(try await library.document("new.md").id == document.id)
  }

  @Test func `all steps can be undone and redone`() async throws {
    let highlight = try await library.mark("a.md", "\"quick fox\"")
    var change = HighlightChange()
    change.note = "why?"
    _ = try await library.change(highlight, change)
    try await replaceAll("fox", "cat")
    let end = (try folder.read("a.md"), try await library.fresh(highlight))
    for _ in 0..<4 { _ = try await library.undo() }
    #expect(try await failure { _ = try await library.undo() }.code == .nothing)
    #expect(try await library.documents().isEmpty)
    for _ in 0..<4 { _ = try await library.redo() }
    #expect(try await failure { _ = try await library.redo() }.code == .nothing)
    let again = try await library.fresh(highlight)
    #expect(try folder.read("a.md") == end.0)
    #expect(again.note == "why?" && again.anchor.range == end.1.anchor.range)
    #expect(try await library.words(at: highlight) == "quick cat")
  }
}

extension Library {
  /// Undoes the replacement of "quick" by "slow" in a document whose file another program saves
  /// after it was read.
  fileprivate func undoDuringSave(
    of document: Document, step: Int64, writing text: String, to path: String
  ) throws {
    var reading: CheckedDocument? = try current(document)
    // "A slow fox here." is the second line.
    let start = "First line.\n\nA ".utf8.count
    let edit = SourceEdit(
      range: SourceRange(bytes: start..<start + "slow".utf8.count), replacement: "quick")
    let patch = SourcePatch([edit], of: reading!.parsed.source)
    var rewrites = [Rewrite(document, patch, of: &reading, long: longSource)]
    try Data(text.utf8).write(to: URL(filePath: path))
    _ = try rewrite(&rewrites, JournalStep(.undo, of: step))
  }
}
