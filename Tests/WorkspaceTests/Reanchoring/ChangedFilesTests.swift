import Files
import Foundation
import LibrarySupport
import Model
import Search
import Storage
import SystemSupport
import Testing

@testable import Workspace

/// Tests that all files are checked by their status, and that only changed files are read.
@Suite struct ChangedFilesTests {
  let bench: LibraryBench

  init() throws { bench = try LibraryBench() }

  @Test func `only files that may have changed are read`() async throws {
    // Two threads check the files in batches of 128, so 400 files are several batches.
    let names = (0..<400).map { "\(1000 + $0).md" }
    for name in names { try bench.write(name, "The fox of \(name).\n") }
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    try await library.trustStamps()
    #expect(try await library.refreshChanged().isEmpty)

    let changed = ["1003.md", "1130.md", "1399.md"]
    for name in changed { try bench.write(name, "Another text.\n") }
    try FileManager.default.removeItem(atPath: bench.path("1200.md"))
    let reports = try await library.refreshChanged()
    #expect(
      reports.map(\.document.path.string) == ["1003.md", "1130.md", "1200.md", "1399.md"])
    #expect(reports.map(\.change) == [.changed, .changed, .missing, .changed])
    // The missing file is checked at each refresh, because it may return.
    try await library.trustStamps()
    #expect(try await library.refreshChanged().map(\.document.path.string) == ["1200.md"])
    try bench.write("1200.md", "The fox of 1200.md.\n")
    #expect(try await library.refreshChanged().map(\.change) == [.returned])
  }

  @Test func `a search finds new words in files that changed after indexing`() async throws {
    for name in ["a.md", "b.md", "c.md"] { try bench.write(name, "The fox.\n") }
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    try await library.trustStamps()
    try bench.write("b.md", "A rare semaphore.\n")
    try bench.write("c.md", "The semaphore.\n")
    let found = FoundPaths()
    let outcome = try await library.search(SearchRequest(query: try SearchQuery("semaphore"))) {
      event in
      if case .found(let result) = event { found.add(result.document.path.string) }
      return true
    }
    #expect(outcome == .complete && found.all == ["b.md", "c.md"])
  }
}

private final class FoundPaths: @unchecked Sendable {
  private(set) var all: [String] = []

  // A search reports one document at a time.
  func add(_ path: String) { all.append(path) }
}

extension Library {
  /// Stores the current status of all files as if it had been read long after their last change.
  fileprivate func trustStamps() throws {
    for document in try documents() {
      guard let status = try FileSystem.status(of: location.file(of: document.path)) else {
        continue
      }
      let later = FileStamp.currentTime + 10_000_000_000
      try store.writeCache { try $0.setStamp(FileStamp(status, checked: later), of: document.id) }
    }
  }
}
