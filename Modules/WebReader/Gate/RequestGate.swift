import Actions
import Model
package import Pairing
import SystemSupport

/// A request that ``RequestGate`` accepted, with everything that its head decides.
package struct AcceptedRequest: Sendable {
  package let head: RequestHead
  /// The values of the query, by name.
  let query: [String: String]
  let route: Route
  let access: Route.Access
  let listener: Listener
  package fileprivate(set) var caller: Principal
}

/// The decision on a request.
package enum GateDecision: Sendable {
  case accepted(AcceptedRequest)
  /// The response that refuses the request.
  case refused(WebAnswer)
}

/// Decides which requests are accepted, by their heads alone. `Documentation/threat-model.md`
/// describes the attacks that it prevents.
package struct RequestGate: Sendable {
  /// The accepted values of `Host`, exactly as browsers write them.
  private let hosts: [Listener: Set<String>]
  private let cookieNames: [Listener: String]

  /// The maximum size of a request's head and of its body, in bytes.
  package static let (longestHead, longestBody) = (16 << 10, 256 << 10)

  /// Creates the gate of a server.
  ///
  /// - Parameters:
  ///   - port: The port of the server.
  ///   - network: The host name or address for the network, as written in URLs; nil if there is
  ///     none.
  ///   - tag: Distinguishes the devices of this library from those of others at the same port.
  package init(port: Int, network: String? = nil, tag: String = "") {
    func hosts(_ names: [String]) -> Set<String> {
      // Browsers omit the default port.
      Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    }
    self.hosts = [
      .machine: hosts(["127.0.0.1", "[::1]", "localhost"]),
      .network: hosts(network.map { [$0] } ?? []),
    ]
    cookieNames = [.machine: "diple-\(port)", .network: "diple-device-\(port)-\(tag)"]
  }

  /// Returns the name of the cookie with the token. Browsers send cookies to all ports of a host,
  /// so the name contains the port.
  package func cookieName(_ listener: Listener) -> String { cookieNames[listener] ?? "" }

  /// Decides on a request.
  ///
  /// - Parameter owner: Returns the caller with a token.
  package func decide(
    _ head: RequestHead, from listener: Listener, caller owner: (String) -> Principal
  ) -> GateDecision {
    if let refusal = formRefusal(head) { return .refused(refusal) }
    guard let host = head.value("host"), hosts[listener]?.contains(host) == true else {
      return .refused(.refused(421, "unknown host name"))
    }
    guard let target = RequestTarget(head.target) else {
      return .refused(.refused(400, "invalid address"))
    }
    guard let route = Route(head.method, target.path) else {
      let methods = Route.methods(of: target.path)
      return .refused(
        methods.isEmpty
          ? .refused(404, "not found") : .refused(405, "method not allowed", allow: methods))
    }
    if head.isUnsafe, let refusal = originRefusal(head, host) { return .refused(refusal) }
    var request = AcceptedRequest(
      head: head, query: target.query, route: route,
      access: Route.access(head.method, target.path), listener: listener, caller: .nobody)
    return refusal(of: &request, caller: owner).map { .refused($0) } ?? .accepted(request)
  }

  /// Determines the caller of a request and checks its permission. A device can lose its permission
  /// after the head of a request was received, so this is repeated before the answer.
  ///
  /// - Parameter owner: Returns the caller with a token.
  /// - Returns: the response that refuses the request, or nil if the caller has the permission.
  func refusal(of request: inout AcceptedRequest, caller owner: (String) -> Principal)
    -> WebAnswer?
  {
    let (head, listener) = (request.head, request.listener)
    request.caller =
      tokens(of: head, from: listener).lazy.map(owner).first { $0 != .nobody } ?? .nobody
    switch (request.access, listener) {
    case (.everybody, _), (.login, .machine), (.pairing, .network): return nil
    case (.login, .network):
      return .refused(403, "only a browser on the server's machine can log in with a link")
    case (.pairing, .machine):
      return .refused(403, "a browser on this machine needs no pairing")
    case (.reading, _), (.writing, _), (.owner, _): break
    }
    guard head.values("sec-fetch-site").allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return .refused(403, "cross-origin request refused")
    }
    return accessRefusal(request.caller, request.access, listener)
  }

  /// Returns the response for a missing permission, or nil if the caller has it.
  private func accessRefusal(_ caller: Principal, _ access: Route.Access, _ listener: Listener)
    -> WebAnswer?
  {
    switch caller {
    case .owner: return nil
    case .nobody where listener == .network:
      return .unpaired(
        "this device is not paired",
        hint: "press Enter in the terminal of `diple serve` for a code")
    case .nobody:
      return .refused(
        401, "not logged in", hint: "press Enter in the terminal of `diple serve` for a new address"
      )
    case .device where access == .owner:
      return .refused(403, "only a browser on the server's machine can manage devices")
    case .device(let device) where access == .writing && !device.mayWrite:
      // The user types this on the machine that serves.
      return .refused(
        403, "this device may only read", hint: "`diple serve allow \(device.id)` lets it mark")
    case .device: return nil
    }
  }

  /// Returns the tokens in a request's cookies.
  func tokens(of head: RequestHead, from listener: Listener) -> [String] {
    let name = cookieName(listener)
    return head.values("cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0].trimmingBlanks == name else { return nil }
      return String(sides[1].trimmingBlanks)
    }
  }

  /// Returns the response to a request that is too large, uses an unsupported feature of HTTP, or
  /// could be interpreted differently by two parsers; nil for other requests.
  private func formRefusal(_ head: RequestHead) -> WebAnswer? {
    if head.size > Self.longestHead { return .refused(431, "request head too large") }
    guard head.version == "1.1" else { return .refused(505, "only HTTP/1.1 is supported") }
    guard head.values("host").count == 1 else {
      return .refused(400, "expected exactly one Host")
    }
    guard head.values("transfer-encoding").isEmpty else {
      return .refused(411, "Transfer-Encoding is not supported; send a Content-Length")
    }
    guard head.values("content-length").count <= 1, let length = head.bodyLength else {
      return .refused(400, "expected one valid Content-Length")
    }
    guard head.values("expect").isEmpty else { return .refused(417, "Expect is not supported") }
    guard head.values("upgrade").isEmpty else { return .refused(400, "Upgrade is not supported") }
    guard length == 0 || head.isUnsafe else { return .refused(400, "GET takes no body") }
    return length > Self.longestBody ? .refused(413, "request body too large") : nil
  }

  /// Returns the response to a changing request that isn't from a page of this server; nil for
  /// other requests. Other sites can't send the required header fields without a preflight request,
  /// which is always refused.
  private func originRefusal(_ head: RequestHead, _ host: String) -> WebAnswer? {
    guard head.value("origin") == "http://\(host)" else {
      return .refused(403, "cross-origin request refused")
    }
    let sites = head.values("sec-fetch-site")
    guard sites.isEmpty || sites == ["same-origin"] else {
      return .refused(403, "cross-origin request refused")
    }
    let type = head.value("content-type")?.split(separator: ";").first?.trimmingBlanks.lowercased()
    guard type == "application/json" else {
      return .refused(415, "Content-Type must be application/json")
    }
    guard head.value("x-diple") == "1" else { return .refused(403, "X-Diple: 1 is missing") }
    return nil
  }
}

extension Substring {
  /// The text without spaces and tabs at both ends.
  var trimmingBlanks: String {
    var text = self
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}

/// The head of an HTTP request, not validated yet.
package struct RequestHead: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The request target, as written in the request line.
  package var target: String
  /// The HTTP version, such as `1.1`.
  package var version: String
  /// The header fields in order. Names are case-insensitive.
  package var fields: [(name: String, value: String)]
  /// The network address of the client, without its port; empty if it isn't known.
  package var client: String

  package init(
    method: String, target: String, version: String = "1.1",
    fields: [(name: String, value: String)], client: String = ""
  ) {
    (self.method, self.target, self.version) = (method, target, version)
    (self.fields, self.client) = (fields, client)
  }

  /// Returns the values of all fields with a name, which must be in lower case.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Returns the value of a field that must occur exactly once; otherwise nil.
  func value(_ name: String) -> String? {
    let values = values(name)
    return values.count == 1 ? values[0] : nil
  }

  /// The approximate size in bytes.
  var size: Int {
    fields.reduce(method.utf8.count + target.utf8.count + 12) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
  }

  /// The length of the body in bytes, 0 without a `Content-Length`, or nil if its value is invalid.
  package var bodyLength: Int? {
    guard let text = value("content-length") else { return 0 }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// Whether a browser navigates to a page, as opposed to a request by a script.
  var wantsPage: Bool {
    method == "GET" && values("accept").contains { $0.contains("text/html") }
      && !target.hasPrefix("/api/")
  }

  /// Whether the request can make changes: every method except `GET`.
  var isUnsafe: Bool { method != "GET" }
}

/// The decoded path and query of a request.
struct RequestTarget: Hashable, Sendable {
  /// The components of the path, percent-decoded; empty for `/`. No component is empty, `.` or
  /// `..`, or contains a slash or a control character.
  let path: [String]
  /// The query's values by name. If a name occurs more than once, the first value is used.
  let query: [String: String]

  /// The maximum length in bytes.
  private static let longest = 8_192

  /// Parses a request target. Returns nil for an invalid path, or an absolute URL.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.longest,
      bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    if parts[0] != "/" {
      for part in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        guard let name = Self.decoded(part, plusIsBlank: false), !name.isEmpty,
          name != ".", name != "..", !name.contains("/"),
          !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        path.append(name)
      }
    }
    var query: [String: String] = [:]
    if parts.count > 1 {
      for pair in parts[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(sides[0], plusIsBlank: true),
          let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
        else { return nil }
        if query[name] == nil { query[name] = value }
      }
    }
    (self.path, self.query) = (path, query)
  }

  /// Decodes percent-encoding. Returns nil for an invalid sequence or invalid UTF-8.
  private static func decoded(_ text: Substring, plusIsBlank: Bool) -> String? {
    let text = plusIsBlank ? String(text).replacing("+", with: " ") : String(text)
    let (bytes, isValid) = PercentEncoding.decoded(text)
    return isValid ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// Percent-encodes a text as one component of a path.
  static func encoded(_ part: some StringProtocol) -> String {
    PercentEncoding.encoded(part, keeping: PercentEncoding.isUnreserved)
  }
}

/// The socket that received a request.
package enum Listener: Hashable, Sendable {
  /// The sockets on the loopback interface.
  case machine
  /// The socket that is reachable over a network.
  case network
}

/// The authenticated sender of a request.
package enum Principal: Hashable, Sendable {
  /// Not authenticated.
  case nobody
  /// The owner's browser on this machine.
  case owner
  case device(PairedDevice)

  /// Whether the caller may make changes.
  var mayWrite: Bool {
    switch self {
    case .nobody: false
    case .owner: true
    case .device(let device): device.mayWrite
    }
  }

  /// The paired device, or nil for other callers.
  package var device: PairedDevice? {
    if case .device(let device) = self { device } else { nil }
  }
}

/// The parsed method and path of a request.
enum Route: Hashable, Sendable {
  // Pages, logging in and pairing, whose responses don't contain data of the library.
  case libraryPage
  case documentPage
  case highlightPage(String)
  case staticFile(String)
  case login
  case pair

  // Requests from the scripts of pages.
  case logout
  case library
  case document(String)
  case body(String)
  case card(String)
  case passageCard(String)
  case events
  /// An action of `ActionList`, with the request as JSON.
  case action(String)
  case picture(String, path: [String])
  case sitePicture(String, path: [String])

  // Requests only from a browser on the server's machine.
  case devices
  case changeDevice(String)
  case removeDevice(String)

  /// Parses a method and a path. Returns nil for an unknown combination.
  init?(_ method: String, _ path: [String]) {
    let count = path.count
    let second = count > 1 ? path[1] : ""
    let third = count > 2 ? path[2] : ""
    switch (method, path.first ?? "", count) {
    case ("GET", "", 0): self = .libraryPage
    case ("GET", "d", 2): self = .documentPage
    case ("GET", "h", 2): self = .highlightPage(second)
    case ("GET", "static", 2): self = .staticFile(second)
    case ("GET", "files", 3...): self = .picture(second, path: Array(path.dropFirst(2)))
    case ("GET", "site", 3...): self = .sitePicture(second, path: Array(path.dropFirst(2)))
    case (_, "api", 2):
      guard let route = Self.short[[method, second]] else { return nil }
      self = route
    case ("GET", "api", 3) where second == "documents": self = .document(third)
    case (_, "api", 4) where second == "documents":
      switch (method, path[3]) {
      case ("GET", "body"): self = .body(third)
      case ("GET", "card"): self = .passageCard(third)
      default: return nil
      }
    case ("PATCH", "api", 3) where second == "devices": self = .changeDevice(third)
    case ("DELETE", "api", 3) where second == "devices": self = .removeDevice(third)
    case ("POST", "api", 3) where second == "actions": self = .action(third)
    case ("GET", "api", 4) where second == "highlights" && path[3] == "card": self = .card(third)
    default: return nil
    }
  }

  private static let short: [[String]: Route] = [
    ["POST", "login"]: .login, ["POST", "logout"]: .logout, ["POST", "pair"]: .pair,
    ["GET", "devices"]: .devices, ["GET", "library"]: .library,
    ["GET", "events"]: .events,
  ]

  /// Returns the methods for a path, or an empty array for an unknown path.
  static func methods(of path: [String]) -> [String] {
    ["GET", "POST", "PATCH", "DELETE"].filter { Route($0, path) != nil }
  }

  /// The permission that a route requires.
  enum Access: Hashable, Sendable {
    /// No permission: the response doesn't contain data of the library.
    case everybody
    /// A valid login code from this machine, or a valid pairing code from the network.
    case login, pairing
    case reading
    /// Permission to make changes.
    case writing
    /// A browser on the server's machine.
    case owner
  }

  /// Returns the permission required for a method and a path. Every path below `api` that isn't
  /// listed requires permission to read or to write, so that a new route isn't public by accident.
  static func access(_ method: String, _ path: [String]) -> Access {
    switch path.first {
    case "api":
      switch path.dropFirst().first {
      case "login" where path.count == 2: .login
      case "pair" where path.count == 2: .pairing
      case "devices", "logout": .owner
      case "actions" where method == "POST" && path.count == 3:
        switch ActionList.action(named: path[2])?.effect {
        case .reads: .reading
        case .writes, nil: .writing
        case .administers: .owner
        }
      default: method == "GET" ? .reading : .writing
      }
    case "files", "site": method == "GET" ? .reading : .writing
    default: method == "GET" ? .everybody : .writing
    }
  }
}
