import Foundation

/// A web server on the loopback interface. It runs in Python until the instance is deallocated.
///
/// ```swift
/// let server = try WebServer(["/page": "<title>A</title><p>Text"])
/// let url = server.address + "/page"
/// ```
public final class WebServer {
  private let process = Process()
  /// The start of its URLs, without a slash at the end.
  public let address: String

  /// Whether Python and OpenSSL, which creates the certificate, are installed.
  public static let isAvailable = ["python3", "openssl"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/" + name)
    }
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - pages: The bodies by path, sent as HTML in UTF-8.
  ///   - certificate: The path of a file with a key and its certificate for HTTPS. Empty for HTTP.
  /// - Throws: `CocoaError` if the server doesn't start.
  public init(_ pages: [String: String] = [:], certificate: String = "") throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    let bodies = String(decoding: try JSONEncoder().encode(pages), as: UTF8.self)
    process.arguments = ["python3", "-c", Self.script, bodies, certificate]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while line.last != 10 {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw CocoaError(.fileReadUnknown)
      }
      line += byte
    }
    let port = String(decoding: line.dropLast(), as: UTF8.self)
    address = "\(certificate.isEmpty ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit {
    // SIGTERM may be blocked, because the process inherits the signal mask.
    kill(process.processIdentifier, SIGKILL)
    _ = try? process.end()
  }

  private static let script = #"""
    import gzip, http.server, json, socketserver, ssl, sys, time
    pages = json.loads(sys.argv[1])
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *words): pass
        def answer(self, status, body=b"", **head):
            self.send_response(status)
            for name, value in head.items(): self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            path, _, rest = self.path.partition("?")
            if path == "/redirect": return self.answer(302, Location=rest)
            if path == "/count":
                n = int(rest)
                return self.answer(302, Location="/count?%d" % (n - 1) if n > 0 else "/page")
            if path == "/status": return self.answer(int(rest), b"<p>no</p>")
            if path == "/type": return self.answer(200, b"\x00\x01data", Content_Type=rest)
            if path == "/charset":
                name, _, sent = rest.partition("&")
                text = "<meta charset='%s'><title>T</title><p>%s</p>" % (name if not sent else "", "Gr\u00fc\u00dfe \u65e5\u672c \u2013 ok " * 20)
                return self.answer(200, text.encode(name, "replace"), Content_Type="text/html" + ("; charset=" + sent if sent else ""))
            if path == "/agent":
                text = "<p>%s</p>" % "; ".join("%s=%s" % pair for pair in self.headers.items())
                return self.answer(200, (text * 3).encode(), Content_Type="text/html", Set_Cookie="a=b")
            if path == "/bomb":
                body = gzip.compress(b"<p>" + b"a" * (200 << 20))
                return self.answer(200, body, Content_Type="text/html", Content_Encoding="gzip")
            if path in ("/endless", "/slow", "/heads"):
                self.close_connection = True
                self.send_response(200)
                try:
                    if path == "/heads":
                        while True: self.wfile.write(b"X-A: " + b"b" * 8000 + b"\r\n")
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    while True:
                        self.wfile.write(b"<p>more" * (10 if path == "/slow" else 100000))
                        if path == "/slow": time.sleep(0.2)
                except OSError: return
            body = pages.get(path)
            if body is None: return self.answer(404, b"none")
            self.answer(200, body.encode(), Content_Type="text/html; charset=utf-8")
    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
    server = Server(("127.0.0.1", 0), Handler)
    if sys.argv[2]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#
}
