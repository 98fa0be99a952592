import BuiltIn
import Foundation
import LibraryFormatting
import MarkdownParse
import Model
import RichMarkdown
import RichText
import Storage
import SyncHistories
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests notes that two devices change at the same time.
@Suite struct SyncNoteTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  @Test
  func `conflicting notes of a document are shown as text, and the chosen one is stored as a note`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    func set(_ machine: Machine, _ text: String) async throws {
      let document = try #require(try await machine.library.documents().first)
      let note = AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(text)))
      try await machine.library.setNote(note, of: document)
    }
    try await set(a, "from *anna*")
    try await set(b, "from ben")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    let choice = try #require(try await a.library.noteChoices().first)
    #expect(choice.isDocument && Set(choice.notes.map(\.text)) == ["from *anna*", "from ben"])
    try await a.library.settle(choice, as: choice.notes.map(\.text).joined(separator: "\n\n"))
    for machine in [a, b] {
      _ = try await machine.library.sync()
      let document = try #require(try await machine.library.documents().first)
      let note = try #require(try await machine.library.note(of: document))
      #expect(note.string.contains("anna") && note.string.contains("ben"))
      #expect(try await machine.library.noteChoices().isEmpty)
    }
    try await Machine.expectSame(a, b)
  }

  @Test func `the notes of a document that both devices had are combined`() async throws {
    let (a, b) = try await Machine.pair(folder)
    for (machine, text) in [(a, "from *anna*"), (b, "from ben")] {
      try await machine.add("room.md", Machine.text)
      let document = try #require(try await machine.library.documents().first)
      let note = AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(text)))
      try await machine.library.setNote(note, of: document)
    }
    for _ in 0..<2 { for machine in [a, b] { _ = try await machine.library.sync() } }
    func note(_ machine: Machine) async throws -> String? {
      let document = try #require(try await machine.library.documents().first)
      return try await machine.library.note(of: document)?.string
    }
    let both = try #require(try await note(a))
    #expect(both.contains("anna") && both.contains("ben"))
    #expect(try await note(b) == both)
    // A new note replaces both, and undo restores them.
    let document = try #require(try await b.library.documents().first)
    try await b.library.setNote(nil, of: document)
    #expect(try await note(b) == nil)
    _ = try await b.library.undo()
    #expect(try await note(b) == both)
    try await Machine.expectSame(a, b)
  }

  /// Returns two machines on which a highlight got different notes, which were synced.
  private func conflictingNotes() async throws -> (Machine, Machine, Highlight) {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    let mark = try await a.mark("room.md", "a room of her own")
    for machine in [a, b] { _ = try await machine.library.sync() }
    _ = try await a.library.annotate(mark, "from anna")
    _ = try await b.library.annotate(mark, "from ben")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    return (a, b, mark)
  }

  @Test func `conflicting notes are kept until one is chosen`() async throws {
    let (a, b, mark) = try await conflictingNotes()
    let conflict = try #require(try await a.library.noteConflicts().first)
    #expect(try await a.library.conflictingHighlights() == [mark.id])
    #expect(
      Set([conflict.current.text] + conflict.others.map(\.text)) == ["from anna", "from ben"])
    try await a.library.settleNote(of: conflict.record, as: "from both")
    for machine in [a, b] { _ = try await machine.library.sync() }
    #expect(try await b.library.noteConflicts().isEmpty)
    #expect(try await b.library.conflictingHighlights().isEmpty)
    #expect(try await b.all().first?.note == "from both")
    try await Machine.expectSame(a, b)
  }

  @Test func `a new note replaces all versions, unless the user saw only one of them`() async throws
  {
    let (a, b, mark) = try await conflictingNotes()
    var change = HighlightChange()
    change.seenNote = try #require(try await a.library.noteConflicts().first).current.text
    change.note = "corrected"
    _ = try await a.library.change(mark, change)
    #expect(try await a.library.noteConflicts().first?.others.count == 1)
    // The note stays the same, but the other version is replaced.
    change.seenNote = nil
    _ = try await a.library.change(mark, change)
    for machine in [a, b] { _ = try await machine.library.sync() }
    for machine in [a, b] {
      #expect(try await machine.library.noteConflicts().isEmpty)
      #expect(try await machine.all().first?.note == "corrected")
    }
    try await Machine.expectSame(a, b)
  }
}
