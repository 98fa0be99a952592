import Files
import Foundation
import Model
import TestSupport
import Testing

@testable import Workspace

/// Tests which files are compared with a missing document.
@Suite struct ArrivedFilesTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private func files(_ sizes: [String: Int]) throws -> ArrivedFiles {
    for (name, size) in sizes {
      try folder.write(name, String(repeating: "x", count: size - 1) + String(name.last!))
    }
    return ArrivedFiles(sizes.keys.map { folder.path + "/" + $0 })
  }

  private func names(_ files: [ArrivedFiles.File]) -> [String] {
    files.map { String($0.path.dropFirst(folder.path.count + 1)) }
  }

  @Test func `files of the same name precede files of similar size, and others are omitted`() throws
  {
    let files = try files([
      "a": 100, "b": 110, "c": 90, "d": 49, "e": 400, "f/z": 150, "g/z": 120, "h/z": 10, "i": 103,
    ])
    let all = files.likeliest(9, forName: "z", size: 100) { _ in true }
    #expect(
      names(all) == ["g/z", "f/z", "a", "i", "b", "c"]
        || names(all) == ["g/z", "f/z", "a", "i", "c", "b"])
    #expect(
      names(files.likeliest(3, forName: "z", size: 100) { _ in true }) == ["g/z", "f/z", "a"])
    #expect(
      names(files.likeliest(2, forName: "none", size: 100) { !$0.path.hasSuffix("/a") }).first
        == "i")
  }

  @Test func `a file with the same bytes is found among files of one size`() throws {
    let files = try files(["a": 64, "b": 64, "c": 64, "b2": 64])
    let digest = try SourceFile(reading: folder.path + "/b").digest
    #expect(names(files.files(ofSize: 64, digest)) == ["b"])
    #expect(files.files(ofSize: 65, digest).isEmpty)
    try folder.remove("b2")
    let other = try SourceFile(reading: folder.path + "/c").digest
    #expect(names(files.files(ofSize: 64, other)) == ["c"])
  }
}
