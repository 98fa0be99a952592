import Testing

@testable import Commands

/// Tests the paths in the reader's messages.
@Suite struct ShortPathsTests {
  private let paths = ShortPaths(
    from: ["/home/me/notes/2026/", "/home/me/notes"], home: "/home/me")

  @Test(arguments: [
    ("no such file: /home/me/notes/2026/a.md", "no such file: a.md"),
    ("'/home/me/notes/b c.md' and “/home/me/x.md”", "'b c.md' and “~/x.md”"),
    ("/home/me/notes/2026/a.md:3:1: /home/me/y", "a.md:3:1: ~/y"),
    ("the folder /home/me/notes/2026/ is empty", "the folder 2026/ is empty"),
    ("/mnt/home/me/notes/b.md, ./home/me/z", "/mnt/home/me/notes/b.md, ./home/me/z"),
    ("file:///home/me/notes/b.md /home/meg/c.md", "file:///home/me/notes/b.md /home/meg/c.md"),
    ("/home/me/notes/2026", "2026"), ("", ""),
  ])
  func `a path begins at the nearest folder`(message: String, short: String) {
    #expect(paths.text(message) == short)
  }

  @Test func `the root and a missing folder shorten nothing`() {
    #expect(ShortPaths(from: ["/", ""], home: nil).text("/a /b/c") == "/a /b/c")
  }
}
