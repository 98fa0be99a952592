import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// A workbench whose library is kept up to date by a daemon.
///
/// ```swift
/// let watched = try WatchedBench(files: ["a.md"])
/// try watched.start()
/// try watched.bench.shell("rm notes/a.md")
/// let events = try watched.settle()
/// ```
final class WatchedBench {
  let bench: Workbench
  /// The name of a library with the same documents and without a daemon, for comparison.
  private let twin = "twin"
  private(set) var process: Process?
  private var connection: DaemonClient?

  /// Creates and adds files, and highlights the words “marked passage NAME” in each of them.
  init(files: [String], folder: String = "notes") throws {
    bench = try Workbench()
    for file in files {
      let parent = bench.folder.appendingPathComponent("\(folder)/\(file)")
        .deletingLastPathComponent()
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try bench.write("\(folder)/\(file)", Self.text(file))
    }
    try bench.diple("add", folder)
    let lines = files.map { "mark '\(folder)/\($0)' '\"marked passage \($0)\"'\n" }.joined()
    let marked = try bench.repl(lines)
    #expect(marked.code == 0, "\(marked)")
  }

  deinit {
    process?.killAll()
  }

  /// Returns a text that differs from those of all other names, so that a file is recognisable by
  /// it.
  static func text(_ name: String) -> String {
    var random = SeededGenerator(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let words = (0..<60).map { _ in
      String((0..<6).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random)! })
    }
    return """
      # The file \(name)

      Here some words stand before what matters, and here is a marked passage \(name) with more
      words behind it.

      \(words.joined(separator: " "))

      A last paragraph of \(name) ends the file.

      """
  }

  var location: LibraryLocation { location(of: bench.environment["DIPLE_LIBRARY"]!) }

  /// Returns a library's location as the programs resolve it in this environment.
  func location(of folder: String) -> LibraryLocation {
    var location = LibraryLocation(folder: folder)
    location.usePersonalFolders(of: bench.environment)
    return location
  }

  /// The path of the daemon's socket.
  var socket: String { ControlSocket(of: location).path }

  /// Returns the connection to the daemon. Connects and subscribes to events if necessary.
  func client() throws -> DaemonClient {
    if let connection { return connection }
    let client = try #require(DaemonClient(location))
    _ = try client.ask(.subscribe, timeout: 20_000)
    connection = client
    return client
  }

  /// Starts the daemon and waits until it watches the files.
  ///
  /// - Parameter wrapper: A command that executes the program in its further arguments.
  func start(
    _ words: String..., by wrapper: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation, file: StaticString = #fileID,
    line: UInt = #line
  ) throws {
    connection = nil
    let program = Workbench.programs.appendingPathComponent("dipled").path
    func launch() throws -> Process {
      let process = bench.process("env", wrapper + [program] + words)
      _ = FileManager.default.createFile(atPath: bench.path("log"), contents: nil)
      process.standardError = FileHandle(forWritingAtPath: bench.path("log"))
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      self.process = process
      return process
    }
    var process = try launch()
    // Requests are made without `try?`, so that an invalid response is a failure.
    try eventually("the daemon watches", every: 0.005, file: file, line: line) {
      let log = process.isRunning ? "" : try bench.read("log")
      // All tests share the system's limit of 128 watchers for a user.
      if log.contains("fs.inotify.max_user_instances") {
        Thread.sleep(forTimeInterval: 1)
        process = try launch()
        return false
      }
      try #require(process.isRunning, "the daemon ended: \(log)", sourceLocation: sourceLocation)
      guard let client = DaemonClient(location) else { return false }
      return try client.ask(.status, timeout: 20_000).status?.state != .starting
    }
  }

  func signal(_ number: Int32) { kill(process?.processIdentifier ?? 0, number) }

  /// Stops the daemon. Returns its exit code and the elapsed time in seconds.
  @discardableResult
  func stop(_ number: Int32 = SIGTERM) throws -> (code: Int32, time: Double) {
    let process = try #require(process, "no daemon was started")
    let begin = Date()
    signal(number)
    let code = try process.end(within: 60)
    connection = nil
    return (code, Date().timeIntervalSince(begin))
  }

  /// Waits until the library contains all changes, and returns the events since the last call.
  @discardableResult
  func settle(file: StaticString = #fileID, line: UInt = #line) throws -> [LibraryEvent] {
    let client = try client()
    var events: [LibraryEvent] = []
    try eventually("the daemon settles", within: 60, file: file, line: line) {
      let isSettled = try client.ask(.settled, timeout: 20_000).settled == true
      events += try client.takeEvents() ?? []
      return (isSettled, isSettled ? "" : (try? bench.read("log")) ?? "")
    } until: {
      $0.0
    }
    return events
  }

  func status() throws -> DaemonStatus { try #require(try client().ask(.status).status) }

  /// Copies the current library for `coldState`.
  func keepTwin() throws { try bench.shell("rm -rf \(twin) && cp -R library \(twin)") }

  /// Returns the state of the library without checking files. The settled daemon guarantees that it
  /// is current.
  func state() throws -> State { try State(bench, "library", refreshing: false) }

  /// Returns the state of the copy after a process that hasn't watched the files has checked all of
  /// them.
  func coldState() throws -> State { try State(bench, twin, refreshing: true) }

  /// The visible state of documents and highlights.
  struct State: Hashable {
    var documents: Set<String>
    var highlights: Set<String>

    init(_ bench: Workbench, _ library: String, refreshing: Bool) throws {
      if refreshing { try bench.diple("refresh", "--library", library) }
      func rows(_ query: String) throws -> Set<String> {
        let result = try bench.run("sqlite3", ["\(library)/library.sqlite", query])
        #expect(result.code == 0, "\(result)")
        return Set(result.lines)
      }
      documents = try rows(
        """
        SELECT sequence, path, present, iif(present, hex(text_digest), '') FROM document
        WHERE trashed = 0
        """)
      highlights = try rows(
        """
        SELECT h.sequence, a.state, a.start, a.end, a.line FROM highlight h
        JOIN document d ON d.key = h.document AND d.present
        LEFT JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector
          AND a.digest = d.text_digest
        """)
    }

    /// The number of highlights that were found exactly.
    var exact: Int { highlights.count { $0.contains("|exact|") } }
  }
}
