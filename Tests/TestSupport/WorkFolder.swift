import Foundation
import SystemSupport

/// A folder of a test's own, which goes with it. git and the shell run there without a person's
/// settings.
open class WorkFolder {
  /// Without symbolic links, as git names it.
  public let path: String

  /// Makes the folder.
  public init() throws {
    let folder = NSTemporaryDirectory() + "/diple-folder-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = FileSystem.resolved(folder) ?? folder
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Whether there is a git.
  public static var hasGit: Bool { (try? WorkFolder().git("--version")) != nil }

  /// Writes a file, with the folders above it.
  public func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: try place(for: name))
  }

  /// The text of a file.
  public func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  /// Adds to the end of a file.
  public func append(_ name: String, _ text: String) throws {
    try write(name, try read(name) + text)
  }

  /// Removes a file or folder.
  public func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// Renames a file; one that has the other name goes.
  public func move(_ name: String, to other: String) throws {
    guard rename(path + "/" + name, try place(for: other).path) == 0 else {
      throw SystemFailure()
    }
  }

  /// Where a file is or will be, in a folder that is there.
  private func place(for name: String) throws -> URL {
    let url = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return url
  }

  /// Runs git, which must succeed, and gives what it prints.
  @discardableResult
  public func git(_ words: String...) throws -> String { try run(["git"] + words) }

  /// Runs a script, all of which must succeed, and gives what it prints.
  @discardableResult
  public func shell(_ script: String) throws -> String { try run(["sh", "-ec", script]) }

  private struct Failure: Error {
    var words: [String]
    var code: Int32
  }

  private func run(_ words: [String]) throws -> String {
    // Not in the folder, where git would see it.
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
