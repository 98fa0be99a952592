import Foundation
import SystemSupport
import TestSupport
import Testing

/// A library with a running server, as a user starts it.
final class Served {
  let folder: WorkFolder
  let port: Int
  private var program: ChildProgram
  private let input: [Int32]
  private var output: String
  private let environment: [String: String]
  /// The header field with the session's cookie; empty before the login.
  private(set) var cookie = ""

  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  private struct Line: Decodable {
    struct Record: Decodable {
      struct Network: Decodable {
        var address: String
        var code: String
        var link: String
      }
      var address: String
      var port: Int
      var network: Network?
    }
    var data: Record
  }

  /// Creates a library and starts a server for it.
  ///
  /// - Parameters:
  ///   - files: The documents' texts by their names.
  ///   - lines: Commands of `diple` to run before the server starts, as lists of words.
  ///   - words: Additional arguments of `serve`.
  ///   - logsIn: Whether to log in immediately.
  init(
    _ files: [String: String] = ["a.md": "# Title\n\nThe quick brown fox.\n"],
    after lines: [[String]] = [], words: [String] = [], logsIn: Bool = true
  ) throws {
    folder = try WorkFolder()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    environment = [
      "HOME": folder.path + "/home", "LC_ALL": "C.UTF-8", "DIPLE_LIBRARY": "",
      "PATH": folder.path + "/bin:" + path, "TMPDIR": folder.path + "/tmp",
    ]
    try FileManager.default.createDirectory(
      atPath: folder.path + "/tmp", withIntermediateDirectories: true)
    // The file that a desktop would open is copied instead.
    try folder.write("bin/xdg-open", "#!/bin/sh\ncp -p \"$1\" '\(folder.path)/opened'\n")
    chmod(folder.path + "/bin/xdg-open", 0o755)
    output = folder.path + "/printed"
    for (name, text) in files { try folder.write("docs/" + name, text) }
    for words in [["init"], ["add"] + files.keys.sorted()] + lines {
      #expect(try Self.run(words, in: folder.path + "/docs", environment) == 0, "\(words)")
    }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends
    program = try Self.start(
      ["--port", "0"] + words, in: folder.path + "/docs", environment, ends[0], output)
    let line = try Self.line(0, of: output)
    port = line.data.port
    if logsIn { try logIn(with: Self.code(line)) }
  }

  deinit {
    program.killAll()
    for end in input { close(end) }
  }

  private static func start(
    _ words: [String], in folder: String, _ environment: [String: String], _ input: Int32,
    _ output: String
  ) throws -> ChildProgram {
    try ChildProgram(
      [programs + "/diple", "serve", "--json"] + words, in: folder, environment: environment,
      input: input, output: output)
  }

  /// Restarts the server on the same port, with other arguments.
  func restart(_ words: [String]) throws {
    #expect(try interrupt() == 0)
    output += "-again"
    program = try Self.start(
      ["--port", "\(port)"] + words, in: folder.path + "/docs", environment, input[0], output)
    #expect(try Self.line(0, of: output).data.port == port)
  }

  private static func run(_ words: [String], in folder: String, _ environment: [String: String])
    throws -> Int32
  {
    try ChildProgram([programs + "/diple"] + words, in: folder, environment: environment).end()
  }

  /// Runs a command of `diple` and returns its exit code.
  func code(of first: String, _ words: String...) throws -> Int32 {
    try code(of: first, words)
  }

  /// Runs a command of `diple` and returns its exit code.
  func code(of first: String, _ words: [String]) throws -> Int32 {
    try Self.run([first] + words, in: folder.path + "/docs", environment)
  }

  /// Runs a command of `diple` that must succeed.
  func diple(_ words: String...) throws {
    #expect(try Self.run(words, in: folder.path + "/docs", environment) == 0, "\(words)")
  }

  /// Runs a command of `diple`. The answer contains its exit code and its output.
  func output(of words: String...) throws -> Answer { try output(of: words) }

  /// Runs a command of `diple`, given as an array of words.
  func output(of words: [String]) throws -> Answer {
    let file = folder.path + "/answer"
    let code = try ChildProgram(
      [Self.programs + "/diple"] + words, in: folder.path + "/docs", environment: environment,
      output: file
    ).end()
    return Answer(
      status: Int(code), fields: [], body: try String(contentsOfFile: file, encoding: .utf8))
  }

  private static func line(_ index: Int, of output: String) throws -> Line {
    let lines = try eventually(
      "a line of the server", see: { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" },
      until: { $0.split(separator: "\n").count > index && $0.hasSuffix("\n") })
    return try JSONDecoder().decode(
      Line.self, from: Data(lines.split(separator: "\n")[index].utf8))
  }

  private static func code(_ line: Line) -> String {
    line.data.address.split(separator: "#").last.map(String.init) ?? ""
  }

  func firstCode() throws -> String { Self.code(try Self.line(0, of: output)) }

  /// Presses Enter, and returns the code of the address that is printed.
  func newCode() throws -> String { Self.code(try nextLine()) }

  /// Presses Enter, and returns the address that is printed, without its code.
  func newAddress() throws -> String {
    String(try nextLine().data.address.prefix { $0 != "#" })
  }

  private func nextLine() throws -> Line {
    let count = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").count
    try #require(write(input[1], "\n", 1) == 1)
    return try Self.line(count, of: output)
  }

  /// The first printed pairing code.
  func firstPairingCode() throws -> String {
    try #require(try Self.line(0, of: output).data.network?.code)
  }

  /// Presses Enter, and returns the pairing code that is printed.
  func newPairingCode() throws -> String { try #require(try nextLine().data.network?.code) }

  /// Ends the server with SIGINT, as Ctrl-C does, and returns its exit code.
  func interrupt() throws -> Int32 {
    kill(program.id, SIGINT)
    return try program.end(within: 60)
  }

  // MARK: - Requests

  /// The host and port, as in header fields.
  var host: String { "127.0.0.1:\(port)" }

  /// The header fields of a changing request, as a page of the server sends them.
  var unsafe: String {
    """
    Origin: http://\(host)\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r
    X-Diple: 1\r\n
    """
  }

  /// Returns the bytes of a request.
  func request(
    _ line: String, host: String? = nil, fields: String? = nil, body: String = ""
  ) -> String {
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    let own = fields ?? (line.hasPrefix("GET") ? cookie : unsafe + cookie)
    return "\(line) HTTP/1.1\r\nHost: \(host ?? self.host)\r\n\(own)\(length)\r\n\(body)"
  }

  /// Sends bytes over a separate connection, and returns the first response.
  func exchange(_ text: String, at address: String = "127.0.0.1") throws -> Answer {
    let connection = try Connection(port, address: address)
    try connection.send(text)
    return try connection.answer()
  }

  func get(_ path: String) throws -> Answer { try exchange(request("GET \(path)")) }

  func post(_ path: String, _ body: String = "{}", method: String = "POST") throws -> Answer {
    try exchange(request("\(method) \(path)", body: body))
  }

  /// Requests an action, as a page does.
  func act(_ action: String, _ request: String = "{}") throws -> Answer {
    try post("/api/actions/\(action)", request)
  }

  /// Logs in with a code, and stores the session's cookie.
  func logIn(with code: String) throws {
    let answer = try post("/api/login", "{\"code\":\"\(code)\"}")
    #expect(answer.status == 204, "\(answer)")
    let pair = try #require(answer["set-cookie"]?.split(separator: ";").first)
    cookie = "Cookie: \(pair)\r\n"
  }

  func id(of name: String = "a.md") throws -> String {
    struct Library: Decodable {
      struct Document: Decodable {
        var id: String
        var path: String
      }
      var documents: [Document]
    }
    let library = try get("/api/library").decode(Library.self)
    return try #require(library.documents.first { $0.path == name }?.id)
  }
}
