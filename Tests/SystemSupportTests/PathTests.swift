import SystemSupport
import Testing

@Suite struct PathTests {
  @Test(arguments: [
    ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a", false), ("/a", "/", true),
    ("/", "/", false),
  ])
  func `a path is below its parent folders only`(path: String, folder: String, isBelow: Bool) {
    #expect(path.isBelow(folder) == isBelow)
  }

  @Test(arguments: [("/a/b.md", "/a"), ("/a", "/"), ("/", "/")])
  func `the parent of a path is its folder`(path: String, parent: String) {
    #expect(path.parentFolder == parent)
  }

  @Test func `an absolute path contains no dot segments`() {
    #expect(FileSystem.absolute("../c/./d//e", from: "/a/b") == "/a/c/d/e")
    #expect(FileSystem.absolute("/../..") == "/")
  }

  @Test(arguments: [
    ("/home/ann/notes/a.md", "/home/ann/notes", "a.md"),
    ("/home/ann/notes/a.md", "/home/ann", "notes/a.md"),
    ("/home/ann/notes/a.md", "/home/ann/other", "../notes/a.md"),
    ("/home/ann/notes/a.md", "/home/ann/notes/b/c", "../../a.md"),
    ("/home/ann/notes/-a.md", "/home/ann/notes", "./-a.md"),
    ("/home/ann/notes", "/home/ann/notes", "/home/ann/notes"),
    ("/etc/a.md", "/home/ann", "/etc/a.md"),
    ("/home/a.md", "/home/a/b/c/d", "/home/a.md"),
    ("/home/annette/a.md", "/home/ann", "../annette/a.md"),
    ("/home/ann/a.md", "/", "/home/ann/a.md"),
  ])
  func `a path is shown from the current folder if that is shorter`(
    path: String, folder: String, shown: String
  ) {
    #expect(FileSystem.shown(path, from: folder) == shown)
    if folder != "/" { #expect(FileSystem.absolute(shown, from: folder) == path) }
  }
}
