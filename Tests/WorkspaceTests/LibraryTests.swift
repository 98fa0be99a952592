import BuiltIn
import Editing
import Files
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import Storage
import SystemSupport
import Testing

@testable import Workspace

@Suite final class LibraryTests {
  let folder = NSTemporaryDirectory() + "/diple-library-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String) throws {
    let url = URL(fileURLWithPath: folder + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func open() throws -> Library {
    try Library(
      at: LibraryLocation(folder: folder + "/.diple"), plugins: .builtIn, opening: .create)
  }

  @Test func `the title is that of the front matter, the first heading or the file name`()
    async throws
  {
    try write("a.md", "---\ntitle: \"From: YAML\"\n---\n# Heading\n")
    try write("b.md", "text\n\n# A *heading*\n")
    try write("c d.md", "text\n")
    try write("broken.md", "---\ntitle: [\n---\nx")
    let report = try await open().add([folder])
    #expect(report.problems.isEmpty)
    #expect(
      report.additions.map(\.document.title) == ["From: YAML", "A heading", "broken", "c d"])
  }

  @Test func `a folder scan skips hidden folders, other files and circular links`() async throws {
    try write("sub/deep/a.md", "a")
    try write(".git/b.md", "b")
    try write("c.txt", "c")
    try write("D.MARKDOWN", "d")
    symlink(folder, folder + "/sub/circle")
    let scan = FolderScan(folder)
    #expect(scan.problems.isEmpty)
    #expect(scan.files.map { $0.dropFirst(folder.count + 1) } == ["D.MARKDOWN", "sub/deep/a.md"])
  }

  @Test(arguments: [false, true])
  func `a link to a document is that document`(isFolder: Bool) async throws {
    try write("sub/a.md", "A text.")
    try write("b.md", "Another.")
    let link = isFolder ? "linked/a.md" : "link.md"
    symlink(isFolder ? "sub" : "sub/a.md", folder + (isFolder ? "/linked" : "/link.md"))
    let library = try open()
    // Both are given at once, the link first.
    var report = try await library.add([folder + "/" + link, folder + "/sub/a.md"])
    #expect(report.problems.isEmpty)
    #expect(report.additions.map(\.document.path.string) == ["sub/a.md", "sub/a.md"])
    #expect(report.additions.map(\.link?.string) == [nil, link])
    report = try await library.add([folder + "/" + link, folder + "/b.md"])
    #expect(report.additions.map(\.kind) == [.known, .added])
    #expect(report.additions.map(\.link?.string) == [link, nil])
    #expect(try await library.documents().count == 2)
  }

  @Test func `paths below the library's folder are relative`() throws {
    let location = LibraryLocation(folder: "/a/b/.diple")
    #expect(location.root == "/a/b")
    #expect(location.documentPath("/a/b/c/../d.md").string == "d.md")
    #expect(location.documentPath("/a/x.md").string == "/a/x.md")
    #expect(location.absolute(DocumentPath("d.md")) == "/a/b/d.md")
    #expect(LibraryLocation(folder: "/a/lib").root == nil)
  }

  @Test func `each strategy creates its highlights`() async throws {
    try write("a.md", "One fox. Another fox.")
    let library = try open()
    let document = try await library.add([folder + "/a.md"]).additions[0].document
    let spec = try SelectionSpec(parsing: "\"fox\"#1")
    func mark(_ strategy: String) async throws -> [String] {
      var request = MarkRequest()
      request.strategy = strategy
      return try await library.mark(document, spec, request).highlights.map(\.selector.exact)
    }
    #expect(try await mark("every") == ["fox", "fox"])
    #expect(try await mark("sentence") == ["One fox."])
    await #expect(throws: UserError.self) { try await mark("evry") }
  }

  @Test func `the same highlight is not created twice`() async throws {
    try write("a.md", "One fox.")
    let library = try open()
    let document = try await library.add([folder + "/a.md"]).additions[0].document
    let spec = try SelectionSpec(parsing: "fox")
    _ = try await library.mark(document, spec)
    do {
      _ = try await library.mark(document, spec)
      Issue.record("made twice")
    } catch { #expect(error.code == .nothing) }
  }

  @Test(arguments: [
    ("#a", "a"), (" b c ", "b c"), ("größe", "größe"), ("#\"b c\"", "b c"), ("\"b\"", "\"b\""),
  ])
  func `a tag is stored without number sign and outer blanks`(text: String, name: String) throws {
    #expect(try Library.tagName(text) == name)
  }

  @Test(arguments: ["", "#", "a,b", "a\u{7}"])
  func `an invalid tag is rejected`(text: String) {
    #expect(throws: UserError.self) { try Library.tagName(text) }
  }

  @Test func `a stamp does not prove that a recently written file is unchanged`() {
    func stamp(mtime: Int64, checked: Int64) -> FileStamp {
      FileStamp(size: 1, mtime: mtime, ctime: mtime, inode: 1, device: 1, checked: checked)
    }
    let second: Int64 = 1_000_000_000
    let later = stamp(mtime: 5 * second, checked: 90 * second)
    #expect(stamp(mtime: 5 * second, checked: 8 * second).provesUnchanged(later))
    #expect(!stamp(mtime: 5 * second, checked: 6 * second).provesUnchanged(later))
    #expect(!stamp(mtime: 4 * second, checked: 8 * second).provesUnchanged(later))
  }
}
