import BuiltIn
import Foundation
import Glibc
import LibraryExchange
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests exporting and importing a whole library.
@Suite struct WholeExportTests {
  let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  /// Every row of every table, except the search index, which is rebuilt.
  private func contents(_ location: LibraryLocation) throws -> String {
    let tables = [
      "library", "operation", "document", "highlight", "tag", "anchor", "journal", "file_edit",
      "color_label", "saved_query", "snapshot",
    ]
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["sqlite3", location.database, ".mode quote"]
      + tables.flatMap { [".print \($0)", "SELECT * FROM \($0) ORDER BY 1, 2;"] }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  private func importLines(_ text: String, to location: LibraryLocation, dryRun: Bool = false)
    throws
    -> WholeImport
  {
    var bytes = Array(text.utf8)[...]
    return try location.importEverything(from: "export", dryRun: dryRun) {
      let part = Array(bytes.prefix(777))
      bytes = bytes.dropFirst(777)
      return part
    }
  }

  private func export(_ location: LibraryLocation) throws -> [String] {
    var lines: [String] = []
    try location.exportEverything { lines.append($0) }
    return lines
  }

  /// Returns a library that was changed in random ways.
  private func fill(_ random: inout SeededGenerator) async throws -> Library {
    let words = ["river", "\"quoted\"", "back\\slash", "日本語", "e\u{301}", "😀", "tab\tbed", "end"]
    for number in 0..<4 {
      let text = (0..<40).map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
      try folder.write("\(number).md", "# Title \(number)\n\n\(text)\n\nThe word here.\n")
    }
    let library = try await folder.library()
    var highlights: [Highlight] = []
    for number in 0..<40 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2:
        // An earlier step may have been undone, and its document with it.
        let note = "note \u{1}\n\(number) 😀"
        if let one = try? await library.mark("\(number % 4).md", "\"The word\"", note: note) {
          highlights.append(one)
        }
      case 3:
        guard let one = highlights.randomElement(using: &random) else { continue }
        var change = HighlightChange()
        change.addedTags = ["tag\(number % 5)"]
        change.color = HighlightColor.allCases.randomElement(using: &random)
        _ = try? await library.change(one, change)
      case 4: try await library.setLabel(.green, "label \(number)")
      case 5:
        let name = "\(number % 4).md"
        try folder.write(name, try folder.read(name) + "\nMore \(number).\n")
        _ = try await library.refresh()
      case 6: _ = try? await library.undo()
      default:
        guard let one = highlights.randomElement(using: &random) else { continue }
        _ = try? await library.setTrashed(true, [one])
      }
    }
    return library
  }

  @Test func `an import restores an equal library`() async throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let library = try await fill(&random)
    try folder.write(".diple/config.toml", "copy.as = \"md\"\n")
    try folder.write(".diple/library.ignore", "*.tmp\n")
    let lines = try export(library.location)
    let other = LibraryLocation(folder: folder.path + "/other/.diple")
    let text = lines.joined(separator: "\n") + "\n"
    #expect(try importLines(text, to: other, dryRun: true).operations > 10)
    #expect(!FileManager.default.fileExists(atPath: other.folder))
    let imported = try importLines(text, to: other)
    #expect(imported.documents == 4)
    #expect(try contents(other) == contents(library.location))
    #expect(try export(other) == lines)
    #expect(try folder.read("other/.diple/config.toml") == "copy.as = \"md\"\n")
    #expect(try folder.read("other/.diple/library.ignore") == "*.tmp\n")
    let opened = try Library(at: other, plugins: .builtIn)
    #expect(try await opened.integrityProblems() == [])
  }

  @Test func `an import into an empty library succeeds, and into any other fails`() async throws {
    var random = SeededGenerator(seed: 5)
    let library = try await fill(&random)
    let text = try export(library.location).joined(separator: "\n")
    let other = LibraryLocation(folder: folder.path + "/other/.diple")
    do { _ = try Library(at: other, plugins: .builtIn, opening: .create) }
    _ = try importLines(text, to: other)
    #expect(try contents(other) == contents(library.location))
    let names = try FileManager.default.contentsOfDirectory(atPath: other.folder)
    #expect(names.allSatisfy { $0 == "library.sqlite" }, "\(names)")
    let error = try await failure { _ = try importLines(text, to: other) }
    #expect(error.code == .conflict && error.message.hasSuffix("is not empty"), "\(error)")
  }

  @Test func `invalid lines are rejected, and no file remains`() async throws {
    try folder.write("a.md", "Some words.\n")
    let library = try await folder.library()
    _ = try await library.mark("a.md", "\"words\"")
    let lines = try export(library.location)
    let other = LibraryLocation(folder: folder.path + "/other/.diple")
    let operation = try #require(lines.firstIndex { $0.contains(#""table":"operation""#) })
    let highlight = try #require(lines.firstIndex { $0.contains(#""table":"highlight""#) })
    func changed(_ index: Int, _ line: String) -> [String] {
      var copy = lines
      copy[index] = line
      return copy
    }
    let cases: [([String], String)] = [
      ([], "not an export"), (["{}"], "not an export"),
      (Array(lines.dropLast()), "its end is missing"),
      (lines + ["{}"], "there is text after the end"),
      (
        lines.enumerated().filter { $0.offset != operation }.map(\.element),
        "it states "
      ),
      (changed(0, #"{"diple":"library","version":9,"schema":6}"#), "a newer Diple"),
      (changed(0, #"{"diple":"library","version":1,"schema":-1}"#), "a test version"),
      (changed(0, #"{"diple":"library","version":1,"schema":13}"#), "a test version"),
      (
        changed(operation, #"{"table":"sqlite_schema","row":{"sql":"x"}}"#),
        "no table 'sqlite_schema'"
      ),
      (changed(operation, #"{"table":"operation","row":{"a; DROP":1}}"#), "no column 'a; DROP'"),
      (
        changed(operation, #"{"table":"operation","row":{"time":"x"}}"#),
        "'time' is not of type INTEGER"
      ),
      (changed(operation, #"{"table":"operation","row":{}}"#), "is empty"),
      (changed(operation, "nonsense"), "not JSON"),
      (changed(operation, String(repeating: "[", count: 100_000)), "not JSON"),
      (changed(operation, lines[highlight]), "is not valid"),
      (changed(operation, #"{"file":"../../evil","text":"x"}"#), "is not a library file"),
      (
        changed(highlight, lines[highlight].replacing("words", with: "lies!")),
        "is not a valid library"
      ),
    ]
    for (lines, says) in cases {
      let error = try await failure {
        _ = try importLines(lines.joined(separator: "\n"), to: other)
      }
      #expect(error.code == .damaged && error.message.contains(says), "\(says): \(error)")
      #expect(!error.message.contains("\n"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.folder) == [])
  }
}
