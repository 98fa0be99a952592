import Foundation
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

@Suite struct LibraryLocationTests {
  @Test func `the nearest library is found in the folder or a parent folder`() throws {
    let folder = try LibraryFolder()
    for name in ["a/.diple/x", "a/b/c/x", "d/x"] { try folder.write(name, "") }
    // A file named `.diple` is not a library.
    try folder.write("a/b/.diple", "")
    let nearest = try #require(LibraryLocation.nearest(from: folder.path + "/a/b/c"))
    #expect(nearest.folder == folder.path + "/a/.diple" && nearest.root == folder.path + "/a")
    #expect(LibraryLocation.nearest(from: folder.path + "/a") == nearest)
    #expect(LibraryLocation.nearest(from: folder.path + "/d")?.folder != nearest.folder)
    #expect(LibraryLocation.nearest(from: "/nowhere/at/all") == nil)
  }

  @Test func `a named library precedes the library of the environment`() throws {
    let environment = ["DIPLE_LIBRARY": "/lib", "HOME": "/home/me"]
    #expect(
      try LibraryLocation.find(named: "/named", environment: environment).folder == "/named")
    let location = try LibraryLocation.find(named: nil, environment: environment)
    #expect(location.folder == "/lib" && location.root == nil && location.home == "/home/me")
    // A relative path is resolved in the current folder.
    #expect(
      try LibraryLocation.find(named: "lib/../x", environment: [:]).folder
        == FileSystem.absolute("x"))
  }

  @Test func `without another library the user's library is used, which requires a home folder`()
    throws
  {
    // This test requires that no folder above the current one contains a library.
    try #require(LibraryLocation.nearest(from: FileSystem.currentFolder) == nil)
    func folder(_ environment: [String: String]) throws -> String {
      try LibraryLocation.find(named: nil, environment: environment).folder
    }
    #expect(try folder(["HOME": "/home/me"]) == "/home/me/.local/share/diple")
    #expect(try folder(["HOME": "/home/me", "XDG_DATA_HOME": "/data"]) == "/data/diple")
    #expect(try folder(["HOME": "/h", "DIPLE_LIBRARY": ""]) == "/h/.local/share/diple")
    for environment in [[:], ["HOME": "relative"]] {
      do {
        _ = try LibraryLocation.find(named: nil, environment: environment)
        Issue.record("\(environment) yields a location")
      } catch {
        #expect(error.code == .usage && error.hint?.text(in: .plain).contains("--library") == true)
      }
    }
  }

  @Test func `document paths are relative below the root, and are resolved to the original path`() {
    let location = LibraryLocation(folder: "/a/b/.diple/")
    #expect(location.folder == "/a/b/.diple" && location.database == "/a/b/.diple/library.sqlite")
    for (path, stored) in [
      ("/a/b/c.md", "c.md"), ("/a/b/d/../e/f.md", "e/f.md"), ("/a/bc.md", "/a/bc.md"),
      ("/a/b", "/a/b"), ("/x.md", "/x.md"),
    ] {
      let document = location.documentPath(path)
      #expect(document.string == stored)
      #expect(location.absolute(document) == FileSystem.absolute(path))
    }
    let top = LibraryLocation(folder: "/.diple")
    #expect(top.root == "/" && top.documentPath("/a.md").string == "a.md")
    #expect(top.absolute(DocumentPath("a.md")) == "/a.md")
  }
}
