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
}
