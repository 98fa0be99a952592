import Foundation
import Testing

/// A user with a home folder, who runs the real programs in a folder that another user created.
final class Victim {
  /// The result of a program.
  struct Result {
    /// The exit code, or 128 plus the signal that ended the program.
    var code: Int32
    var output: String
    var errors: String
  }

  let home: URL
  /// The foreign folder below the home folder, such as a cloned repository.
  var clone: URL { home.appendingPathComponent("clone") }
  var environment: [String: String]

  /// The folder of the built programs, which also contains the tests.
  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  init() throws {
    home = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("diple-hostile-\(UUID().uuidString)")
    environment = [
      "PATH": Self.programs.path + ":"
        + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
      "HOME": home.path, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "GIT_CONFIG_NOSYSTEM": "1",
    ]
    try FileManager.default.createDirectory(at: clone, withIntermediateDirectories: true)
    try shell("chmod 755 .", in: home)
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  func path(_ name: String) -> String { home.appendingPathComponent(name).path }

  /// Writes a file below the home folder, and creates its parent folders.
  func write(_ name: String, _ text: String) throws {
    let file = home.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func read(_ name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: home.appendingPathComponent(name)), as: UTF8.self)
  }

  func exists(_ name: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path(name))) != nil
  }

  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }

  /// Runs a program in the clone or another folder until it ends. Kills a program that hangs.
  @discardableResult
  func run(
    _ program: String, _ words: [String], in folder: URL? = nil, seconds: TimeInterval = 60
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + words
    process.currentDirectoryURL = folder ?? clone
    process.environment = environment
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diple-said-\(UUID().uuidString)"
    ).path
    let names = ["out", "err"].map { "\(place).\($0)" }
    defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
    for name in names { _ = FileManager.default.createFile(atPath: name, contents: nil) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: names[0])
    process.standardError = FileHandle(forWritingAtPath: names[1])
    try process.run()
    let end = Date().addingTimeInterval(seconds)
    while process.isRunning, Date() < end { usleep(2_000) }
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      Issue.record("\(program) \(words) hangs")
    }
    process.waitUntilExit()
    func text(_ name: String) -> String {
      String(decoding: FileManager.default.contents(atPath: name) ?? Data(), as: UTF8.self)
    }
    return Result(
      code: process.terminationReason == .uncaughtSignal
        ? 128 + process.terminationStatus : process.terminationStatus, output: text(names[0]),
      errors: text(names[1]))
  }

  @discardableResult
  func diple(_ words: String..., in folder: URL? = nil) throws -> Result {
    try run("diple", words, in: folder)
  }

  /// Runs a shell command that must succeed, and returns its output.
  @discardableResult
  func shell(_ command: String, in folder: URL? = nil) throws -> String {
    let result = try run("sh", ["-c", command], in: folder)
    #expect(result.code == 0, "\(command): \(result.errors)")
    return result.output
  }

  /// Runs SQL on the clone's library, as its author could.
  @discardableResult
  func sql(_ statement: String) throws -> String {
    let file = path("statement.sql")
    try Data(statement.utf8).write(to: URL(fileURLWithPath: file))
    return try shell("sqlite3 .diple/library.sqlite < '\(file)'")
  }
}
