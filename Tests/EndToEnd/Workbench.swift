import Foundation
import TestSupport
import Testing

/// A temporary folder with files and a library, in which the real programs are run.
///
/// ```swift
/// let bench = try Workbench()
/// try bench.write("a.md", "# A\n\nSome words.\n")
/// #expect(try bench.diple("add", "a.md").code == 0)
/// ```
final class Workbench {
  /// The result of running a program.
  struct Result {
    var code: Int32
    var output: String
    var errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  let folder: URL
  var environment: [String: String]

  /// The folder of the built programs, which is also that of the tests.
  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diple-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": folder.path, "DIPLE_LIBRARY": folder.path + "/library", "LC_ALL": "C.UTF-8",
      "COLUMNS": "80",
    ]
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  /// Creates a process without starting it. The program is one of Diple's, or else is looked up in
  /// `PATH`.
  func process(_ program: String, _ words: [String]) -> Process {
    let process = Process()
    let own = Self.programs.appendingPathComponent(program)
    let isOwn = FileManager.default.isExecutableFile(atPath: own.path)
    process.executableURL = isOwn ? own : URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = isOwn ? words : [program] + words
    process.currentDirectoryURL = folder
    process.environment = environment
    return process
  }

  /// Runs a program to its end.
  ///
  /// - Throws: `Timeout` if it doesn't end in time. It and its descendants are killed first.
  @discardableResult
  func run(
    _ program: String, _ words: [String], input: String = "", within seconds: Double = 180
  ) throws -> Result {
    let process = process(program, words)
    // Use files instead of pipes, which could fill up without a reader.
    let names = ["in", "out", "err"].map { path(".\($0)-\(UUID().uuidString)") }
    defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
    _ = FileManager.default.createFile(atPath: names[0], contents: Data(input.utf8))
    for name in names.dropFirst() {
      _ = FileManager.default.createFile(atPath: name, contents: nil)
    }
    process.standardInput = FileHandle(forReadingAtPath: names[0])
    process.standardOutput = FileHandle(forWritingAtPath: names[1])
    process.standardError = FileHandle(forWritingAtPath: names[2])
    func text(_ name: String) -> String {
      String(decoding: FileManager.default.contents(atPath: name) ?? Data(), as: UTF8.self)
    }
    try Self.unblockingSignals { try process.run() }
    let code: Int32
    do { code = try process.end(within: seconds) } catch {
      Issue.record("\(text(names[1]))\(text(names[2]))")
      throw error
    }
    return Result(
      code: code, output: text(names[1]), errors: text(names[2]))
  }

  /// Runs a closure that starts a program, with all signals unblocked. A program inherits the
  /// signal mask. The threads of the pool block all signals, so it would ignore interrupts.
  static func unblockingSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  @discardableResult
  func diple(_ words: String..., input: String = "") throws -> Result {
    try run("diple", words, input: input)
  }

  @discardableResult
  func repl(_ script: String) throws -> Result { try run("diple-repl", [], input: script) }

  /// Runs a shell command. Throws if it fails, because later steps depend on it.
  func shell(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try run("sh", ["-c", command])
    try #require(
      result.code == 0, "\(command): \(result.errors)", sourceLocation: sourceLocation)
  }

  /// Returns the highlights in the JSON output of `list`, or those in the trash.
  func highlights(trashed: Bool = false) throws -> [Listed] {
    struct Page: Decodable { var data: [Listed] }
    let result = try run("diple", ["list", "--json"] + (trashed ? ["--trashed"] : []))
    return try JSONDecoder().decode(Page.self, from: Data(result.output.utf8)).data
  }

  /// Returns the names of all commands without subcommands, such as `doc list`.
  func commands() throws -> Set<String> {
    let dump = try diple("--experimental-dump-help").output
    return Set(try commandNames(inDump: dump).filter { $0 != "help" })
  }

  struct Listed: Decodable, Hashable {
    struct Place: Decodable, Hashable {
      var start: Int
      var end: Int
    }
    var id: String
    var number: Int
    var quote: String
    var state: String
    var color: String
    var note: String
    var tags: [String]
    var range: Place?
    var line: Int?
  }
}
