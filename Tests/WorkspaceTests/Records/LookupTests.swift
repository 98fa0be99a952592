import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

@Suite struct LookupTests {
  let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  @Test func `digits are a whole number, and not the beginning of an id`() async throws {
    let words = (0..<12).map { "word\($0)" }
    try folder.write("a.md", words.joined(separator: " ") + "\n")
    let library = try await folder.library()
    for word in words { _ = try await library.mark("a.md", "\"\(word)\"#1") }
    #expect(try await library.highlight("1").selector.exact == "word0")
    #expect(try await library.highlight("12").selector.exact == "word11")
    let error = try await failure { _ = try await library.highlight("13") }
    #expect(error.code == .notFound)
  }

  @Test func `an ambiguous document name is rejected with the first matches`() async throws {
    for number in 0..<25 { try folder.write("note-\(number).md", "Text \(number).\n") }
    let library = try await folder.library()
    let error = try await failure { _ = try await library.document("note-") }
    #expect(error.message == "'note-' matches 25 documents" && error.candidates.count == 20)
  }
}
