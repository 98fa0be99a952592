import Foundation
import Glibc
import TestSupport
import Testing

@testable import SystemSupport

@Suite struct StagedFolderTests {
  let folder = try! WorkFolder()

  private func names(in path: String? = nil) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path ?? folder.path)) ?? []).sorted()
  }

  @Test func `a folder appears with all of its files`() throws {
    let place = folder.path + "/Walden"
    let staged = try StagedFolder(for: place)
    try staged.write(Array("one".utf8), to: "a.md")
    try staged.write(Array("two".utf8), to: "pictures/b.png")
    #expect(names().count == 1 && !FileManager.default.fileExists(atPath: place))
    try staged.commit()
    #expect(names() == ["Walden"])
    #expect(names(in: place) == ["a.md", "pictures"])
    #expect(try String(contentsOfFile: place + "/pictures/b.png", encoding: .utf8) == "two")
  }

  @Test func `a folder that is not committed is removed`() throws {
    do {
      let staged = try StagedFolder(for: folder.path + "/Walden")
      try staged.write([1], to: "deep/er/a.md")
    }
    #expect(names() == [])
  }

  @Test func `leftovers of a killed process are removed by the next one`() throws {
    let left = folder.path + "/.diple-123456.new"
    try FileManager.default.createDirectory(
      atPath: left + "/pictures", withIntermediateDirectories: true)
    for name in ["01 One.md", ".diple-abcdefgh", "pictures/a.png"] {
      #expect(FileManager.default.createFile(atPath: left + "/" + name, contents: Data([1])))
    }
    try StagedFolder(for: folder.path + "/Walden").commit()
    #expect(names() == ["Walden"])
  }

  @Test func `folders in use, other folders and targets of links are not removed`() throws {
    let used = try StagedFolder(for: folder.path + "/Used")
    try used.write([1], to: "a.md")
    let otherNames = ["precious", ".diple-.new", ".diple-1x.new", ".diple-12345678901.new"]
    for name in otherNames {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + name, withIntermediateDirectories: true)
      #expect(
        FileManager.default.createFile(
          atPath: folder.path + "/" + name + "/a.md", contents: Data([1])))
    }
    // A name that is a link, and a link inside a leftover folder.
    #expect(symlink("precious", folder.path + "/.diple-7.new") == 0)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/.diple-8.new", withIntermediateDirectories: true)
    #expect(symlink("../precious", folder.path + "/.diple-8.new/inner") == 0)
    StagedFolder.sweep(folder.path)
    for name in otherNames { #expect(names(in: folder.path + "/" + name) == ["a.md"]) }
    #expect(names().contains(".diple-7.new"))
    #expect(names(in: folder.path + "/.diple-8.new") == ["inner"])
    try used.commit()
    #expect(names(in: folder.path + "/Used") == ["a.md"])
  }
}
