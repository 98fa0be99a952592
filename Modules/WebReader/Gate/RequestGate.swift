import Pairing
import SystemSupport

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

  /// Returns the response that refuses a request, or nil if the request is accepted.
  ///
  /// - Parameter caller: Returns the caller with a token.
  package func refusal(
    _ head: RequestHead, from listener: Listener, caller: (String) -> Principal
  ) -> WebAnswer? {
    if let refusal = formRefusal(head) { return refusal }
    guard let host = head.value("host"), hosts[listener]?.contains(host) == true else {
      return .refused(421, "unknown host name")
    }
    guard let target = RequestTarget(head.target) else {
      return .refused(400, "invalid address")
    }
    let methods = Route.methods(of: target.path)
    guard !methods.isEmpty else { return .refused(404, "not found") }
    guard methods.contains(head.method) else {
      return .refused(405, "method not allowed", allow: methods)
    }
    if head.isUnsafe, let refusal = originRefusal(head, host) { return refusal }
    let access = Route.access(head.method, target.path)
    switch (access, listener) {
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
    return accessRefusal(self.caller(head, from: listener, of: caller), access, listener)
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
      let hint: Hint = "\(command: "serve", "allow", .word(device.id)) lets it mark"
      return .refused(403, "this device may only read", hint: hint.text(in: .shell))
    case .device: return nil
    }
  }

  /// Returns the caller of a request, by its cookie.
  ///
  /// - Parameter owner: Returns the caller with a token.
  package func caller(
    _ head: RequestHead, from listener: Listener, of owner: (String) -> Principal
  ) -> Principal {
    tokens(of: head, from: listener).lazy.map(owner).first { $0 != .nobody } ?? .nobody
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

  /// Refuses requests that two HTTP parsers could interpret differently, whatever they contain.
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

  /// Refuses requests for changes that aren't from a page of this server. Other sites can't send
  /// these header fields without a preflight request, which is never answered.
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
