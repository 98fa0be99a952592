/// Says which requests are listened to, by their heads alone. `Documentation/threat-model.md` says against
/// whom.
package struct RequestGate: Sendable {
  /// The names and ports by which this server may be called, each exactly as browsers write it.
  let hosts: Set<String>
  /// The cookie that says who somebody is. Browsers hand cookies to all ports of a machine, so that its
  /// name has the port.
  package let cookieName: String

  /// The most bytes of a head, and of what follows.
  package static let (longestHead, longestBody) = (16 << 10, 256 << 10)

  /// The gate of a server that listens on a port of this machine.
  package init(port: Int) {
    let names = ["127.0.0.1", "[::1]", "localhost"]
    // Browsers leave the standard port out.
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    cookieName = "diple-\(port)"
  }

  /// Why a request is refused; nil for one that may be answered.
  ///
  /// - Parameter isKnown: whether a token is that of somebody who logged in.
  package func refusal(_ head: RequestHead, isKnown: (String) -> Bool) -> WebAnswer? {
    if let refusal = formRefusal(head) { return refusal }
    guard let host = head.value("host"), hosts.contains(host) else {
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
    guard Route.needsLogin(target.path) else { return nil }
    guard head.values("sec-fetch-site").allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return .refused(403, "cross-origin request refused")
    }
    guard isLoggedIn(head, isKnown: isKnown) else {
      return .refused(
        401, "not logged in", hint: "press Enter in the terminal of `diple serve` for a new address"
      )
    }
    return nil
  }

  /// Whether a request has the cookie of somebody who logged in.
  package func isLoggedIn(_ head: RequestHead, isKnown: (String) -> Bool) -> Bool {
    tokens(of: head).contains(where: isKnown)
  }

  /// The tokens that a request brings.
  func tokens(of head: RequestHead) -> [String] {
    head.values("cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0].trimmingBlanks == cookieName else { return nil }
      return sides[1].trimmingBlanks
    }
  }

  /// What makes two readers of one request see two different requests is refused, whatever it says.
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

  /// What changes something must come from a page of this server: other pages can send no such fields
  /// without asking first, and nobody answers them.
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
  /// Without blanks and tabs at both ends.
  var trimmingBlanks: String {
    var text = self
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
