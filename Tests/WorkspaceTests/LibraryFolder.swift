import BuiltIn
import Editing
import Foundation
import MarkdownParse
import Model
import Search
import SystemSupport
import TestSupport
import Testing
import Workspace

/// A folder with files and the library that belongs to it.
final class LibraryFolder {
  /// Without symbolic links, as git names it.
  let path: String

  init() throws {
    let folder = NSTemporaryDirectory() + "/diple-folder-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = try #require(FileSystem.resolved(folder))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws {
    let url = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  func move(_ name: String, to other: String) throws {
    let url = URL(filePath: path + "/" + other)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try #require(rename(path + "/" + name, url.path) == 0)
  }

  /// The library, with all Markdown files of the folder in it.
  func library() async throws -> Library {
    let library = try Library(
      at: LibraryLocation(folder: path + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([path])
    return library
  }

  /// Runs git here, without a person's settings.
  @discardableResult
  func git(_ words: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c"] + words
    process.currentDirectoryURL = URL(filePath: path)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"]) { $1 }
    let output = path + "/.git-output"
    defer { try? FileManager.default.removeItem(atPath: output) }
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    try #require(try process.end() == 0, "git \(words)")
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  /// Whether there is a git.
  static let hasGit = (try? LibraryFolder().git("--version")) != nil
}

extension Library {
  /// Highlights what a SPEC selects.
  func mark(_ name: String, _ spec: String, note: String = "") throws -> Highlight {
    var request = MarkRequest(spec: try SelectionSpec(parsing: spec))
    request.note = note
    let made = try mark(try document(name), request).made
    return try #require(made.first)
  }

  /// The highlight as the library knows it after a look at its file.
  func fresh(_ highlight: Highlight) throws -> Highlight {
    _ = try refresh()
    return try self.highlight(highlight.id.description)
  }

  /// The words at a highlight's place in its file as it is now; nil where it has none.
  func words(at highlight: Highlight) throws -> String? {
    let highlight = try fresh(highlight)
    guard let range = highlight.anchor.range else { return nil }
    return try open(try document(highlight.document.description)).parsed.text.substring(range)
  }
}

/// The error that something ends with; a failure when there is none.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> UserError {
  do { try await body() } catch {
    return try #require(error as? UserError, "\(error)", sourceLocation: sourceLocation)
  }
  Issue.record("there is no error", sourceLocation: sourceLocation)
  return UserError(.nothing, "no error")
}
