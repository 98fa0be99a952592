import Foundation
import SystemSupport

/// A temporary folder for a test, deleted with the instance. git and the shell run in it without
/// the user's settings.
///
/// ```swift
/// let folder = try WorkFolder()
/// try folder.write("notes/a.md", "text")
/// try folder.git("init")
/// ```
open class WorkFolder {
  /// The path without symbolic links, as printed by git.
  public let path: String

  /// Creates an empty folder.
  public init() throws {
    let folder = NSTemporaryDirectory() + "/diple-folder-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = FileSystem.resolved(folder) ?? folder
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Whether git is installed.
  public static var hasGit: Bool { (try? WorkFolder().git("--version")) != nil }

  /// Writes a file and creates its parent folders.
  public func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: try place(for: name))
  }

  /// Returns the contents of a file.
  public func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  /// Appends to an existing file.
  public func append(_ name: String, _ text: String) throws {
    try write(name, try read(name) + text)
  }

  /// Deletes a file or folder.
  public func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// Renames a file. Replaces an existing file.
  public func move(_ name: String, to other: String) throws {
    guard rename(path + "/" + name, try place(for: other).path) == 0 else {
      throw SystemCallError()
    }
  }

  /// Returns the URL of a file and creates its parent folders.
  private func place(for name: String) throws -> URL {
    let url = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return url
  }

  /// Runs git and returns its output. Throws if the exit code isn't 0.
  @discardableResult
  public func git(_ words: String...) throws -> String { try run(["git"] + words) }

  /// Runs a shell script and returns its output. Throws if any of its commands fails.
  @discardableResult
  public func shell(_ script: String) throws -> String { try run(["sh", "-ec", script]) }

  private struct Failure: Error {
    var words: [String]
    var code: Int32
  }

  private func run(_ words: [String]) throws -> String {
    // Don't create the file in the folder, because git would list it.
    let output = NSTemporaryDirectory() + "/diple-output-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: output) }
    let git = [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A",
      "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c",
    ]
    let code = try ChildProgram(words, in: path, environment: git, output: output).end()
    guard code == 0 else { throw Failure(words: words, code: code) }
    return try String(contentsOfFile: output, encoding: .utf8)
  }
}
