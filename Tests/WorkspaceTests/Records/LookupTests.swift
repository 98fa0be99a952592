import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

@Suite struct LookupTests {
  let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  @Test
  func `an ambiguous highlight id is rejected with the number of matches and the first of them`()
    async throws
  {
    let words = (0..<80).map { "word\($0)" }
    try folder.write("a.md", words.joined(separator: " ") + "\n")
    let library = try await folder.library()
    for word in words { _ = try await library.mark("a.md", "\"\(word)\"#1") }
    let error = try await failure { _ = try await library.highlight("1") }
    let ids = try await library.highlights(.init()).filter { "\($0.id)".hasPrefix("1") }
    #expect(error.code == .ambiguous && ids.count > 20)
    #expect(error.message == "'1' matches \(ids.count) highlights")
    #expect(error.candidates.count == 20)
  }

  @Test func `an ambiguous document name is rejected with the first matches`() async throws {
    for number in 0..<25 { try folder.write("note-\(number).md", "Text \(number).\n") }
    let library = try await folder.library()
    let error = try await failure { _ = try await library.document("note-") }
    #expect(error.message == "'note-' matches 25 documents" && error.candidates.count == 20)
  }
}
