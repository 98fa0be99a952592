import Foundation
import LibrarySupport
import Model
import Storage
import SyncHistories
import SystemSupport
import TestSupport
import Testing

@testable import LibrarySync
@testable import Workspace

/// Tests how a document of another device is matched to a local file, and how it is shown.
@Suite struct SyncDocumentTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private static let lecture = """
    A woman must have money and a room of her own if she is to write fiction; and that leaves the
    great problem of the true nature of woman unsolved. I have shirked the duty of coming to a
    conclusion upon these two questions.
    """
  private static let other = "Nothing of this is like the other text, and it is short.\n"

  @Test(arguments: ["id: room-1", "uid: 'room-1'", "uuid: room-1", "+id = \"room-1\""])
  func `a document is found by the id in its front matter, at any path`(_ line: String)
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    let fence = line.hasPrefix("+") ? "+++" : "---"
    let matter = "\(fence)\n\(line.drop { $0 == "+" })\n\(fence)\n\n"
    try await a.add("room.md", matter + Self.lecture)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    // Another name, and a mostly different text.
    try await b.add(
      "lecture.md", matter + "A woman must have money and a room of her own, she said.\n")
    try await b.add("other.md", Self.other)
    let report = try await b.library.sync()
    #expect(report.linked.map(\.ground) == [.id])
    #expect(report.linked.first?.path.string == "lecture.md")
    #expect(try await b.quotes() == ["a room of her own"])
    _ = try await b.library.sync()
    _ = try await a.library.sync()
    let paths = try await a.library.documents().map(\.path)
    #expect(paths.count { !$0.isElsewhere } == 1)
    try await Machine.expectSame(a, b)
  }

  @Test func `an id of two files is ignored until one of them changes`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let matter = "---\nid: template\n---\n\n"
    try await a.add("a.md", matter + "One note about a room of her own.\n")
    _ = try await a.mark("a.md", "a room")
    _ = try await a.library.sync()
    try await b.add("b.md", matter + "Something else.\n")
    try await b.add("c.md", matter + "And another thing.\n")
    #expect(try await b.library.sync().linked.isEmpty)
    // One of the two files gets a unique id.
    try b.write("c.md", "---\nid: mine\n---\n\nAnd another thing.\n")
    _ = try await b.library.refresh()
    let report = try await b.library.sync()
    #expect(report.linked.map(\.path.string) == ["b.md"])
  }

  @Test func `a file is not linked to one of two documents with the same id`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let matter = "---\nid: template\n---\n\n"
    for name in ["a", "c"] {
      try await a.add("\(name).md", matter + "Note \(name) about a room of her own.\n")
      _ = try await a.mark("\(name).md", "a room")
    }
    _ = try await a.library.sync()
    try await b.add("b.md", matter + "Something else.\n")
    #expect(try await b.library.sync().linked.isEmpty)
  }

  @Test func `a document is found by its git history, also after a rename`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    // Both machines commit the same draft. Only the second one changes it later. No texts are sent,
    // so the draft is found by its git hash.
    func commit(_ machine: Machine, _ message: String) throws {
      try folder.shell(
        """
        cd '\(machine.notes)'; [ -d .git ] || git init -q .; git add -- '*.md'
        git -c user.name=a -c user.email=a@b.c commit -qm '\(message)'
        """)
    }
    for machine in [a, b] {
      try machine.write("room.md", "# Draft\n\nShort, about a room of her own.\n")
      try commit(machine, "draft")
    }
    _ = try await a.library.add(["\(a.notes)/room.md"])
    _ = try await a.mark("room.md", "a room of her own")
    var options = SyncOptions()
    options.texts = false
    _ = try await a.library.sync(options)
    try folder.shell("cd '\(b.notes)'; mkdir essays; git mv room.md essays/lecture.md")
    try commit(b, "moved")
    try b.write(
      "essays/lecture.md", "# Lecture\n\nNow it is long, and still about a room of her own.\n")
    try commit(b, "written")
    let report = try await b.library.sync()
    #expect(report.linked.map(\.ground) == [.history])
    #expect(report.linked.first?.path.string == "essays/lecture.md")
    #expect(try await b.quotes() == ["a room of her own"])
  }

  @Test func `a comparison is remembered until either text changes`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Self.lecture)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await a.library.sync()
    try await b.add("other.md", Self.other)
    #expect(try await b.library.sync().suggested.isEmpty)
    // The stored comparison is used.
    let store = await b.library.store
    let known = try store.read { try $0.syncStates(withPrefix: "match/") }
    let (name, mark) = try #require(known.first)
    try store.write { try $0.setSyncState("match/" + name, mark + Array(" other.md".utf8)) }
    for _ in 0..<2 {
      #expect(try await b.library.sync().suggested.map(\.path.string) == ["other.md"])
    }
    // The stored comparison is not used after this device's text has changed.
    try b.write("other.md", Self.other + "More.\n")
    _ = try await b.library.refresh()
    #expect(try await b.library.sync().suggested.isEmpty)
    // A file that was not added to the library is found by its path.
    try b.write("room.md", Self.lecture)
    #expect(try await b.library.sync().linked.map(\.ground) == [.path])
    #expect(try store.read { try $0.syncStates(withPrefix: "match/") }.isEmpty)
  }

  @Test func `a similar text is suggested at each sync`() async throws {
    let (a, b) = try await Machine.pair(folder)
    let words = (0..<100).map { "word\($0)" }
    try await a.add("room.md", words.joined(separator: " "))
    _ = try await a.mark("room.md", "word7 word8")
    _ = try await a.library.sync()
    try await b.add("lecture.md", (words + ["more", "words"]).joined(separator: " "))
    for _ in 0..<2 {
      let report = try await b.library.sync()
      #expect(report.suggested.map(\.path.string) == ["lecture.md"] && report.linked.isEmpty)
    }
  }

  @Test(arguments: ["--upload-pack=touch x", "HEAD", "../../etc", "0000", ""])
  func `an invalid git hash of another device is ignored`(_ blob: String) async throws {
    let (a, b) = try await Machine.pair(folder)
    try folder.shell(
      "git init -q '\(b.notes)'; cd '\(b.notes)'; git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x"
    )
    try await a.add("room.md", Self.lecture)
    _ = try await a.mark("room.md", "a room of her own")
    try await a.library.setFirstProperty(.gitBlob, blob)
    _ = try await a.library.sync()
    #expect(try await b.library.sync().linked.isEmpty)
    #expect(try await b.library.documents().count == 1)
  }

  @Test func `documents with the same text are merged, and can be separated`()
    async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("lecture.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    _ = try await b.mark("lecture.md", "One cannot think well")
    _ = try await a.library.sync()
    let report = try await b.library.sync()
    #expect(report.linked.map(\.ground) == [.text])
    #expect(try await b.library.documents().count == 1)
    #expect(try await b.all().allSatisfy { $0.anchor.line != nil })
    #expect(try await b.quotes() == ["a room of her own", "One cannot think well"])
    _ = try await a.library.sync()
    #expect(try await a.library.documents().count == 1)
    #expect(try await a.all().allSatisfy { $0.anchor.line != nil })
    #expect(try await a.quotes() == ["a room of her own", "One cannot think well"])
    try await Machine.expectSame(a, b)
    let joined = try #require(try await b.library.documents().first)
    #expect(try await b.library.separate(joined).count == 2)
    _ = try await failure { _ = try await b.library.separate(joined) }
    let separated = try await b.library.sync()
    #expect(separated.linked.isEmpty)
    _ = try await a.library.sync()
    for machine in [a, b] { #expect(try await machine.library.documents().count == 2) }
    try await Machine.expectSame(a, b)
    // The user merges them again.
    let remote = try #require(
      try await b.library.documents().first { !$0.path.string.hasSuffix("lecture.md") })
    _ = try await b.library.link(remote, to: b.notes + "/lecture.md")
    #expect(try await b.quotes() == ["a room of her own", "One cannot think well"])
    _ = try await b.library.undo()
    #expect(try await b.library.documents().count == 2)
    try await Machine.expectSame(b)
  }

  @Test func `paths of another device open no local file`() async throws {
    let (a, b) = try await Machine.pair(folder)
    for path in [".hidden.md", "plain.txt"] { try b.write(path, Machine.text) }
    try await a.add("room.md", Machine.text)
    _ = try await a.mark("room.md", "a room of her own")
    let id = try #require(try await a.library.documents().first).id
    let store = await a.library.store
    for path in ["/etc/passwd", "../../x.md", ".hidden.md", "plain.txt", "a/../room.md", ""] {
      if !path.isEmpty { _ = try store.write { try $0.setPath(DocumentPath(path), of: id) } }
      _ = try await a.library.sync()
      let report = try await b.library.sync()
      #expect(report.linked.isEmpty && report.suggested.isEmpty, "\(path)")
      let document = try #require(try await b.library.documents().first)
      #expect(document.path.isElsewhere && document.state == .missing)
      let error = try await failure { _ = try await b.library.open(document) }
      #expect(error.message.contains("another device"))
      _ = try await b.library.refresh()
    }
  }

  @Test func `each device numbers its highlights in the order in which it knew them`() async throws
  {
    let (a, b) = try await Machine.pair(folder)
    try await a.add("room.md", Machine.text)
    try await b.add("room.md", Machine.text)
    let first = try await a.mark("room.md", "a room of her own")
    let second = try await b.mark("room.md", "One cannot think well")
    #expect(first.shortID == "1" && second.shortID == "1")
    for machine in [a, b, a] { _ = try await machine.library.sync() }
    for (machine, own, other) in [(a, first, second), (b, second, first)] {
      #expect(try await machine.library.highlight("1").id == own.id)
      #expect(try await machine.library.highlight("2").id == other.id)
      // Whole ids are the same on both.
      for id in [own.id, other.id] {
        #expect(try await machine.library.highlight(id.description).id == id)
      }
    }
  }
}

extension Library {
  /// Stores a property of the first document, with a value that Diple itself would not write.
  fileprivate func setFirstProperty(_ name: PropertyName, _ value: String) throws {
    let id = try documents()[0].id
    _ = try storage { try store.write { try $0.setProperty(name, value, of: .document(id)) } }
  }
}
