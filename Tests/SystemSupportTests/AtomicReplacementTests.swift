import Foundation
import SystemSupport
import Testing

@Suite final class AtomicReplacementTests {
  private let folder = NSTemporaryDirectory() + "/diple-atomic-" + UUID().uuidString
  private var file: String { folder + "/a.md" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func mode(_ path: String) throws -> UInt32 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o7777
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func `a file is created and replaced with its mode`() throws {
    try AtomicReplacement.write("one".utf8, to: file)
    #expect(try read(file) == "one")
    chmod(file, 0o640)
    try AtomicReplacement.write("two".utf8, to: file)
    #expect(try read(file) == "two" && mode(file) == 0o640)
    try AtomicReplacement.write("three".utf8, to: file, mode: 0o755)
    #expect(try read(file) == "three" && mode(file) == 0o755 && files() == ["a.md"])
  }

  @Test func `a link is followed and kept`() throws {
    try AtomicReplacement.write("one".utf8, to: file)
    symlink("a.md", folder + "/link.md")
    try AtomicReplacement.write(
      "two".utf8, to: folder + "/link.md", links: .followedInFolder)
    #expect(try read(file) == "two" && files() == ["a.md", "link.md"])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.md") == "a.md")
  }

  @Test func `a link in a shared folder below the devices is not followed`() throws {
    let shared = "/dev/shm/diple-" + UUID().uuidString
    guard mkdir(shared, 0o700) == 0 else { return }
    defer { try? FileManager.default.removeItem(atPath: shared) }
    try AtomicReplacement.write("old".utf8, to: file)
    #expect(symlink(file, shared + "/link") == 0)
    #expect(throws: SystemCallError(ELOOP)) {
      try AtomicReplacement.write("new".utf8, to: shared + "/link", links: .followedInFolder)
    }
    #expect(try read(file) == "old")
  }

  @Test func `a link is followed only if requested, and never out of its folder`() throws {
    mkdir(folder + "/sub", 0o700)
    mkdir(folder + "/sub/.git", 0o700)
    for name in ["a.md", "sub/.git/hook", "sub/b.md"] {
      try AtomicReplacement.write("old".utf8, to: folder + "/" + name)
    }
    let links = [
      "sub/out": "../a.md", "sub/dangling": "new.md", "sub/hidden": ".git/hook", "sub/in": "b.md",
      "sub/absolute": folder + "/a.md",
    ]
    for (name, target) in links { #expect(symlink(target, folder + "/" + name) == 0) }
    for name in links.keys {
      #expect(throws: SystemCallError(ELOOP), "\(name)") {
        try AtomicReplacement.write("new".utf8, to: folder + "/" + name)
      }
      guard name != "sub/in" else { continue }
      #expect(throws: SystemCallError(ELOOP), "\(name)") {
        try AtomicReplacement.write(
          "new".utf8, to: folder + "/" + name, links: .followedInFolder)
      }
    }
    for name in ["a.md", "sub/.git/hook", "sub/b.md"] {
      #expect(try read(folder + "/" + name) == "old")
    }
    try AtomicReplacement.write("new".utf8, to: folder + "/sub/in", links: .followedInFolder)
    #expect(try read(folder + "/sub/b.md") == "new")
    #expect(access(folder + "/sub/new.md", F_OK) != 0)
  }

  @Test func `an open file keeps the old content`() throws {
    let texts = ["a", "b"].map { String(repeating: $0, count: 1 << 20) }
    try AtomicReplacement.write(texts[0].utf8, to: file)
    let path = file
    // The open file is still the old one.
    let old = try #require(FileHandle(forReadingAtPath: path))
    try AtomicReplacement.write(texts[1].utf8, to: path)
    #expect(try old.readToEnd() == Data(texts[0].utf8))
    #expect(try read(path) == texts[1])
  }

  @Test func `a replacement that is not committed leaves the file and no temporary file`() throws {
    try AtomicReplacement.write("one".utf8, to: file)
    do {
      let replacement = try AtomicReplacement(of: file, with: "two".utf8)
      #expect(replacement.target == file)
      #expect(try files().count == 2 && read(file) == "one")
    }
    #expect(try files() == ["a.md"] && read(file) == "one")
  }

  @Test func `an existing temporary file is not overwritten`() throws {
    try AtomicReplacement.write("somebody's".utf8, to: folder + "/copy")
    #expect(throws: SystemCallError.self) {
      try AtomicReplacement(of: file, with: "two".utf8, as: folder + "/copy")
    }
    #expect(try read(folder + "/copy") == "somebody's" && files() == ["copy"])
  }

  @Test func `a new file has the mode of open and the umask`() throws {
    let descriptor = open(folder + "/plain", O_WRONLY | O_CREAT, 0o666)
    close(descriptor)
    try AtomicReplacement.write("x".utf8, to: file)
    #expect(try mode(file) == mode(folder + "/plain"))
    try AtomicReplacement.write("x".utf8, to: folder + "/private", mode: 0o600)
    #expect(try mode(folder + "/private") == 0o600)
  }

  @Test func `commitNew does not replace an existing file`() throws {
    try AtomicReplacement.write("first".utf8, to: file)
    let late = try AtomicReplacement(of: file, with: "late".utf8)
    #expect(throws: SystemCallError(EEXIST)) { try late.commitNew() }
    #expect(try read(file) == "first")
    let new = try AtomicReplacement(of: folder + "/b.md", with: "new".utf8)
    try new.commitNew()
    #expect(try read(folder + "/b.md") == "new")
    #expect(try files().filter { $0.hasSuffix(".md") } == ["a.md", "b.md"])
  }

  @Test func `a path that cannot be written throws the system error`() throws {
    for path in [folder + "/no/such/folder.md", "/proc/diple.md"] {
      #expect(throws: SystemCallError(ENOENT)) {
        try AtomicReplacement.write("x".utf8, to: path)
      }
    }
    // A folder cannot be replaced by a file.
    try FileManager.default.createDirectory(
      atPath: folder + "/sub/deep", withIntermediateDirectories: true)
    #expect(throws: SystemCallError.self) {
      try AtomicReplacement.write("x".utf8, to: folder + "/sub")
    }
    #expect(try files() == ["sub"])
  }
}
