import Foundation
import Model
import NetworkTransports
import Sync
import SystemSupport
import TestSupport
import Testing
import Transports

/// A web server that misbehaves: a Python script with `http.server` and the methods of a handler.
private final class BadServer: @unchecked Sendable {
  private let folder: WorkFolder
  private let engine: Engine
  let address: String

  /// - Parameter methods: Lines of Python in the class of the handler.
  init(_ methods: String) throws {
    folder = try WorkFolder()
    let port = try Engine.freePort()
    address = "http://127.0.0.1:\(port)/dav"
    try folder.write(
      "server.py",
      """
      import http.server, time
      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"
          def log_message(self, *words): pass
          def body(self):
              return self.rfile.read(int(self.headers.get("Content-Length") or 0))
          def answer(self, status, body=b"", **headers):
              self.body()
              self.send_response(status)
              for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          def listing(self, *hrefs, collection=False):
              kind = "<D:resourcetype>" + ("<D:collection/>" if collection else "") + "</D:resourcetype>"
              self.answer(207, ('<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">' + "".join(
                  f"<D:response><D:href>{h}</D:href><D:propstat><D:prop>{kind}"
                  "<D:getcontentlength>3</D:getcontentlength></D:prop>"
                  "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>" for h in hrefs)
                  + "</D:multistatus>").encode())
      \(methods.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n"))
      http.server.ThreadingHTTPServer(("127.0.0.1", \(port)), Handler).serve_forever()
      """)
    engine = try Engine(["python3", folder.path + "/server.py"], log: folder.path + "/log") {
      Engine.answers(port)
    }
  }

  deinit { engine.stop() }

  func connect() async throws -> any TransportConnection {
    try await WebDAV(timeout: 1).connect(to: TransportPlace(address: address, cache: "/nowhere"))
  }
}

@Suite struct HostileServerTests {
  @Test func `invalid names in a listing are omitted`() async throws {
    let object = ObjectMaker()
    let (vault, replica) = ("\(object.vault)", "\(object.replica)")
    let server = try BadServer(
      """
      def do_PROPFIND(self):
          parts = [p for p in self.path.split("/") if p][1:]
          if not parts: self.listing("/dav/", collection=True)
          elif len(parts) == 1: self.listing("/dav/v1/", "/dav/v1/\(vault)/", "/dav/v1/..%2f..", "/", "", collection=True)
          elif len(parts) == 2: self.listing("/dav/v1/\(vault)/\(replica)/", "../../etc", "/dav/v1/\(vault)/ABCDEF0123456789/", collection=True)
          else: self.listing("http://elsewhere/x/1-1.seg", "2%2D2.seg", "..%2F..%2Fetc%2Fpasswd", "../../etc/passwd/..",
                             "%00", "%zz.seg", "-rf", "Upper.seg", "%31-1.sync-conflict-A", "&#x2e;&#x2e;/3-3.seg", "a" * 200)
      """)
    let connection = try await server.connect()
    let entries = try await connection.list(object.vault)
    #expect(entries.map(\.name.file) == ["1-1.seg", "2-2.seg", "3-3.seg"])
    #expect(entries.allSatisfy { $0.name.replica == object.replica })
  }

  @Test(arguments: [
    // An expanding entity, unlimited nesting, no XML at all, and truncated XML.
    #"'<!DOCTYPE x [<!ENTITY a "' + 'x' * 1000 + '">]><multistatus>' + '&a;' * 1000 + '</multistatus'"#,
    "'<a>' * 100000", "'hello'", "''", "'<D:multistatus><D:response>'",
    "'<multistatus>' + '<response><href>/x</href></response>' * 200000",
  ])
  func `an invalid listing is reported`(_ body: String) async throws {
    let server = try BadServer(
      """
      def do_PROPFIND(self):
          if self.headers["Depth"] == "0": self.listing("/dav/", collection=True)
          else: self.answer(207, (\(body)).encode())
      """)
    let connection = try await server.connect()
    await fails(.unavailable, body) { _ = try await connection.list(since: nil) }
  }

  @Test func `a server that returns only a part of an object is reported`() async throws {
    let object = ObjectMaker()
    let server = try BadServer(
      """
      def do_PROPFIND(self): self.listing("/dav/", "\(object.name("1-1.seg"))")
      def do_MKCOL(self): self.answer(405)
      def do_PUT(self): self.answer(204)
      """)
    let connection = try await server.connect()
    try await connection.put([object("1-1.seg", "all")])
    await fails(.unavailable) { try await connection.put([object("1-1.seg", "all of it")]) }
  }

  @Test func `a request is repeated if another client changed the folder at the same time`()
    async throws
  {
    let object = ObjectMaker()
    // Apache returns this status if another client has just created the folder or removed the file.
    let server = try BadServer(
      """
      seen, there = set(), []
      def again(self, status):
          key = (self.command, self.path)
          isNew = key not in self.seen
          self.seen.add(key)
          self.answer(403 if isNew else status)
          return not isNew
      def do_PROPFIND(self): self.listing("/dav/", *self.there)
      def do_MKCOL(self): self.again(405)
      def do_PUT(self):
          if self.again(204): self.there.append(self.path)
      def do_DELETE(self): self.again(404)
      """)
    let connection = try await server.connect()
    try await connection.put([object("1-1.seg", "all"), object("2-2.seg", "all")])
    try await connection.delete([object.name("1-1.seg")])
  }

  @Test func `a body without an end is cut off`() async throws {
    let object = ObjectMaker()
    let server = try BadServer(
      """
      def do_PROPFIND(self): self.listing("/dav/", "\(object.name("1-1.seg"))")
      def do_GET(self):
          self.send_response(200)
          if self.path.endswith("2-2.seg"): self.send_header("Content-Length", str(1 << 60))
          self.end_headers()
          try:
              while True: self.wfile.write(b"x" * 65536)
          except OSError: self.close_connection = True
      """)
    let connection = try await server.connect()
    await fails(.tooLarge) { _ = try await connection.get(object.name("1-1.seg"), limit: 1 << 20) }
    let listed = try await connection.get(object.name("2-2.seg"), limit: 1 << 20)
    #expect(listed == nil)
  }

  @Test func `a slow or silent server times out`() async throws {
    let object = ObjectMaker()
    let server = try BadServer(
      """
      def do_PROPFIND(self): self.listing("/dav/")
      def do_GET(self):
          if self.path.endswith("2-2.seg"): time.sleep(120)
          self.send_response(200)
          self.send_header("Content-Length", "100000")
          self.end_headers()
          for _ in range(600):
              self.wfile.write(b"x")
              self.wfile.flush()
              time.sleep(0.2)
      """)
    let connection = try await server.connect()
    let begin = ContinuousClock.now
    await fails(.unavailable) { _ = try await connection.get(object.name("1-1.seg")) }
    await fails(.unavailable) { _ = try await connection.get(object.name("2-2.seg")) }
    #expect(ContinuousClock.now - begin < .seconds(110))
  }

  @Test(arguments: [
    (429, "unavailable"), (423, "unavailable"), (500, "unavailable"), (503, "unavailable"),
    (401, "refused"), (403, "refused"), (507, "full"), (302, "unavailable"), (200, "unavailable"),
  ])
  func `each HTTP status is mapped to an error`(_ status: Int, _ kind: String) async throws {
    let object = ObjectMaker()
    let server = try BadServer(
      """
      def do_PROPFIND(self):
          if self.headers["Depth"] == "0": self.listing("/dav/")
          else: self.answer(\(status), b"", Location="http://127.0.0.1:1/x", Retry_After="3600")
      do_MKCOL = do_PUT = do_DELETE = do_PROPFIND
      """)
    let connection = try await server.connect()
    let kinds: [String: TransportError.Kind] = [
      "unavailable": .unavailable, "refused": .refused, "full": .full,
    ]
    let wanted = try #require(kinds[kind])
    await fails(wanted, "\(status)") { _ = try await connection.list(since: nil) }
    await fails(wanted, "\(status)") { try await connection.put([object("1-1.seg", "x")]) }
  }

  @Test func `a request is repeated if the server is busy`() async throws {
    let server = try BadServer(
      """
      asked = 0
      def do_PROPFIND(self):
          Handler.asked += 1
          if self.headers["Depth"] == "0" or Handler.asked > 3: self.listing("/dav/")
          else: self.answer(503, b"", Retry_After="1")
      """)
    let connection = try await server.connect()
    #expect(try await connection.list(since: nil).entries.isEmpty)
  }

  @Test func `a server that loses a stored object is reported`() async throws {
    let object = ObjectMaker()
    let server = try BadServer(
      """
      def do_PROPFIND(self): self.listing("/dav/")
      def do_MKCOL(self): self.answer(201)
      def do_PUT(self): self.answer(201)
      """)
    let connection = try await server.connect()
    await fails(.unavailable) { try await connection.put([object("1-1.seg", "x")]) }
  }
}

@Suite struct CarrierTests {
  private func carried(_ script: String, timeout: Duration = .seconds(20)) -> Carried {
    Carried("webdav", program: { Program("python3", ["-c", script]) }, timeout: timeout)
  }

  private static let place = TransportPlace(address: "https://127.0.0.1:1/", cache: "/nowhere")
  /// Python that answers `connect` with `done`, and then continues.
  private static let connected = """
    import os, struct, sys, time
    def take():
        n = struct.unpack("<I", os.read(0, 4))[0]
        while n > 0: n -= len(os.read(0, n))
    def give(b): os.write(1, struct.pack("<I", len(b)) + b)
    take(); give(bytes([1])); take()

    """

  @Test(arguments: [
    "", "import os; os.write(1, b'hello, this is no frame')", "import time; time.sleep(600)",
    "import os; os.write(1, b'\\xff\\xff\\xff\\xff' * 100)",
    "import os, time; os.close(0); time.sleep(1)",
    "import os, time; os.write(1, b'\\x05\\x00\\x00\\x00abc'); time.sleep(600)",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
  ])
  func `a transport process that does not follow the protocol is reported`(_ script: String) async {
    let begin = ContinuousClock.now
    // The time limit for a process that never answers is shorter than that for a slow start.
    let timeout = Duration.seconds(script.contains("sleep(600)") ? 2 : 20)
    await fails(.unavailable, script) {
      _ = try await carried(script, timeout: timeout).connect(to: Self.place)
    }
    #expect(ContinuousClock.now - begin < .seconds(300))
  }

  @Test(arguments: [
    "give(bytes([99]))", "give(b'')", "give(bytes([1]))", "os._exit(0)", "time.sleep(600)",
    // A count without entries; a cursor without an end; half an answer.
    "give(bytes([3]) + struct.pack('<I', 0xffffffff))",
    "give(bytes([3, 0, 0, 0, 0, 1]) + struct.pack('<I', 0xfffffff0))",
    "os.write(1, struct.pack('<I', 20 << 20)); os._exit(0)",
    "os.write(1, struct.pack('<I', (20 << 20) + 1) + b'x' * 1000); time.sleep(600)",
    "give(bytes([6, 200, 0, 0, 0, 0]))",
    "give(bytes([3]) + struct.pack('<I', 1) + struct.pack('<I', 3) + b'../' + bytes(8) + bytes([0, 1]))",
  ])
  func `an invalid answer of a transport process ends the connection`(_ script: String) async throws
  {
    let connection = try await carried(Self.connected + script).connect(to: Self.place)
    await fails(.unavailable, script) { _ = try await connection.list(since: nil) }
    await connection.close()
  }

  @Test func `closing the connection of a killed transport process does not wait`() async throws {
    let folder = try WorkFolder()
    let script =
      "import os; open('\(folder.path)/id', 'w').write(str(os.getpid()))\n" + Self.connected
    for _ in 1...20 {
      let connection = try await carried(script).connect(to: Self.place)
      let id = try #require(Int32(try folder.read("id")))
      kill(id, SIGKILL)
      try eventually("the process has ended") {
        try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).contains(") Z ")
      }
      let begin = ContinuousClock.now
      await connection.close()
      #expect(ContinuousClock.now - begin < .seconds(60))
    }
  }

  @Test func `an object larger than requested is rejected`() async throws {
    let script = Self.connected + "give(bytes([4, 1]) + struct.pack('<I', 1000) + bytes(1000))"
    let connection = try await carried(script).connect(to: Self.place)
    let name = ObjectMaker().name("1-1.seg")
    await fails(.unavailable) { _ = try await connection.get(name, limit: 999) }
  }

  @Test func `an error message of a transport process is reduced to one line`() async throws {
    let script =
      Self.connected + "t = b'a\\x1b[31m\\nb'; give(bytes([6, 3]) + struct.pack('<I', len(t)) + t)"
    let connection = try await carried(script).connect(to: Self.place)
    do {
      _ = try await connection.list(since: nil)
      Issue.record("it did not fail")
    } catch {
      #expect(error == TransportError(.refused, "a [31m b"))
    }
  }

  @Test func `a missing transport program is reported`() async {
    await fails(.missingProgram) {
      _ = try await Carried("webdav", program: { Program("/nowhere/diple-transport") })
        .connect(to: Self.place)
    }
  }

  @Test func `the transport program rejects invalid requests and unknown transports`() async throws
  {
    await fails(.usage) {
      _ = try await Carried("telepathy").connect(to: Self.place)
    }
    let folder = try WorkFolder()
    let carrier = try #require(SiblingExecutable.path("diple-transport"))
    for input in [
      "", "xx", "\\377\\377\\377\\377", "\\001\\000\\000\\000\\143", "\\001\\000\\000\\000\\002",
    ] {
      let code = try folder.shell(
        "printf '\(input)' | timeout 20 '\(carrier)' --serve >/dev/null && echo 0 || echo $?")
      #expect(code == (input.isEmpty ? "0\n" : "1\n"), "\(input)")
    }
  }
}

@Suite struct CarrierMessageTests {
  private static let requests: [CarrierRequest] = {
    let object = ObjectMaker()
    return [
      .connect(transport: "webdav", TransportPlace(address: "https://h/ü", cache: "/c")),
      .connect(
        transport: "webdav", TransportPlace(address: "a", cache: "/c", certificates: "/ca.pem")),
      .prepare(
        transport: "postgres", TransportPlace(address: "a", cache: ""), members: ["ada", "ü"]),
      .prepare(transport: "postgres", TransportPlace(address: "a", cache: ""), members: []),
      .list(nil),
      .list(TransportCursor([1, 2])), .get(object.name("1-1.seg"), limit: 9), .close,
      .ends(object.name("1-1.seg"), count: 9),
      .put([object("1-1.seg", "x"), object("2-2.seg", "")]), .put([]), .wait(milliseconds: 5),
      .delete([object.name("1-1.seg")]),
    ]
  }()
  private static let answers: [CarrierAnswer] = {
    let entry = TransportListing.Entry(ObjectMaker().name("1-1.seg"), size: 7)
    return [
      .done, .entries([entry, entry]), .object(nil), .object([]), .object([1, 2]), .changed(true),
      .ends(nil), .ends(ObjectEnds(first: [1, 2], last: [3])),
      .listing(TransportListing([entry], cursor: TransportCursor([]), isWhole: false)),
      .listing(TransportListing([])), .failure(TransportError(.full, "no room")),
    ]
  }()

  @Test func `protocol messages are equal after encoding and decoding`() {
    for request in Self.requests { #expect(CarrierRequest(request.bytes) == request) }
    for answer in Self.answers { #expect(CarrierAnswer(answer.bytes) == answer) }
  }

  @Test func `truncated and extended messages are rejected, and changed bytes never crash`() {
    for bytes in Self.requests.map(\.bytes) + Self.answers.map(\.bytes) {
      for count in 0..<bytes.count {
        let part = Array(bytes[..<count])
        #expect(CarrierRequest(part)?.bytes ?? part == part)
        #expect(CarrierAnswer(part)?.bytes ?? part == part)
      }
      #expect(CarrierRequest(bytes + [0]) == nil)
      for index in bytes.indices {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
          var changed = bytes
          changed[index] = value
          _ = (CarrierRequest(changed), CarrierAnswer(changed))
        }
      }
    }
    #expect(CarrierFrame.length(of: [0, 0, 0x40, 1]) == 20 << 20)
    #expect(CarrierFrame.length(of: [1, 0, 0x40, 1]) == nil)
    #expect(CarrierFrame.length(of: [255, 255, 255, 255]) == nil)
  }
}
