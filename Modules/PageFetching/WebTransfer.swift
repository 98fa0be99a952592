import Articles
import CCurl
import Glibc
import Interchange

/// Fetches a page over http or https, within limits of time, size and redirects. It uses no other
/// scheme, no cookies and no passwords, and connects to private addresses only if that is allowed.
struct WebTransfer {
  /// A successful response.
  struct Result {
    var bytes: [UInt8]
    /// The media type in lower case; empty if the server sent none.
    var type: String
    /// The address after all redirects.
    var address: WebAddress
  }

  /// The maximum size in bytes, after decompression.
  static let sizeLimit = 20 << 20
  private static let headLimit = 1 << 20
  private static let mostRedirects = 10

  private let allowsPrivate: Bool
  private let deadline: ContinuousClock.Instant
  private let seconds: Int

  init(allowsPrivate: Bool, seconds: Int) {
    (self.allowsPrivate, self.seconds) = (allowsPrivate, seconds)
    deadline = .now + .seconds(seconds)
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }

  /// The state that curl's callbacks fill.
  private final class Body {
    var bytes: [UInt8] = []
    var head = 0
    var isTooLong = false
    var refused: String?
    var checksAddresses: Bool

    init(checksAddresses: Bool) { self.checksAddresses = checksAddresses }
  }

  private enum Step {
    case done(Result)
    case redirect(String)
  }

  /// Fetches a page and follows redirects.
  ///
  /// - Throws: `FetchError` if the address is refused, or the server cannot be reached or has no
  ///   page.
  func fetch(_ text: String) throws(FetchError) -> Result {
    var next = text
    for _ in 0...Self.mostRedirects {
      let address = try checked(next, from: next == text ? nil : text)
      switch try request(address) {
      case .done(let result): return result
      case .redirect(let target): next = target
      }
    }
    throw FetchError(
      "notFound", "\(text) redirects more than \(Self.mostRedirects) times")
  }

  private func checked(_ text: String, from first: String?) throws(FetchError) -> WebAddress {
    let origin = first.map { "\($0) leads to " } ?? ""
    guard let address = WebAddress(text) else {
      throw FetchError(
        "usage", "\(origin)\(text.prefix(200)), which is not an http or https address")
    }
    guard !address.hasCredentials else {
      throw FetchError("usage", "\(origin)an address with a password, which is not sent")
    }
    if !allowsPrivate, PublicAddress.isPublic(written: address.host) == false {
      throw Self.refusal(address.host, address.host)
    }
    return address.withoutFragment
  }

  private static func refusal(_ host: String, _ address: String) -> FetchError {
    let name = host == address ? host : "\(host) (\(address))"
    return FetchError(
      "usage", "\(name) is not a public internet address and is not contacted",
      hint: "--allow-private allows this machine and its network")
  }

  private func request(_ address: WebAddress) throws(FetchError) -> Step {
    let rest = (deadline - .now) / .milliseconds(1)
    guard rest > 0, let handle = curl_easy_init() else { throw tooSlow(address) }
    defer { curl_easy_cleanup(handle) }
    let proxy = Proxy.named(for: address)
    let body = Body(checksAddresses: !allowsPrivate && proxy == nil)
    let context = Unmanaged.passUnretained(body).toOpaque()
    configure(handle, address, proxy, context, milliseconds: Int(rest))
    let code = withExtendedLifetime(body) { curl_easy_perform(handle) }
    if let refused = body.refused, code != CURLE_OK {
      throw Self.refusal(address.host, refused)
    }
    if body.isTooLong {
      throw FetchError("usage", "\(address.text) is larger than \(Self.sizeLimit >> 20) MiB")
    }
    if code == CURLE_OPERATION_TIMEDOUT { throw tooSlow(address) }
    guard code == CURLE_OK else { throw Self.failure(code, address) }
    var status = 0
    ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    var target: UnsafeMutablePointer<CChar>?
    ccurl_get_text(handle, CURLINFO_REDIRECT_URL, &target)
    if (300..<400).contains(status), let target { return .redirect(String(cString: target)) }
    guard status == 200 || status == 203 else { throw Self.failure(status, address) }
    var type: UnsafeMutablePointer<CChar>?
    ccurl_get_text(handle, CURLINFO_CONTENT_TYPE, &type)
    return .done(
      Result(
        bytes: body.bytes, type: type.map { String(cString: $0).lowercased() } ?? "",
        address: address))
  }

  private func configure(
    _ handle: UnsafeMutableRawPointer, _ address: WebAddress, _ proxy: String?,
    _ context: UnsafeMutableRawPointer, milliseconds: Int
  ) {
    ccurl_set_text(handle, CURLOPT_URL, address.text)
    ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds)
    ccurl_set_long(handle, CURLOPT_NETRC, 0)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2)
    // All encodings that curl can decompress; the size limit applies to decompressed bytes.
    ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
    ccurl_set_text(handle, CURLOPT_USERAGENT, "Mozilla/5.0 (compatible; Diple)")
    ccurl_set_text(handle, CURLOPT_PROXY, proxy ?? "")
    ccurl_set_text(handle, CURLOPT_NOPROXY, "")
    ccurl_set_write(
      handle,
      { start, size, count, context in
        let body = Unmanaged<Body>.fromOpaque(context!).takeUnretainedValue()
        guard body.bytes.count + size * count <= WebTransfer.sizeLimit else {
          body.isTooLong = true
          return 0
        }
        body.bytes += UnsafeRawBufferPointer(start: start, count: size * count)
        return size * count
      }, context)
    ccurl_set_header(
      handle,
      { _, size, count, context in
        let body = Unmanaged<Body>.fromOpaque(context!).takeUnretainedValue()
        body.head += size * count
        body.isTooLong = body.isTooLong || body.head > WebTransfer.headLimit
        return body.isTooLong ? 0 : size * count
      }, context)
    // The address is checked when the connection is made, because a host name can resolve to
    // different addresses.
    ccurl_set_open_socket(
      handle,
      { context, _, address in
        let body = Unmanaged<Body>.fromOpaque(context!).takeUnretainedValue()
        let target = UnsafePointer(ccurl_address(address)!)
        if body.checksAddresses, !PublicAddress.isPublic(target) {
          body.refused = PublicAddress.text(target)
          return -1
        }
        let kind = address!.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address!.pointee.family, kind, address!.pointee.protocol)
      }, context)
  }

  // MARK: - Failures

  private func tooSlow(_ address: WebAddress) -> FetchError {
    FetchError(
      "notFound", "\(address.text) was not received within \(seconds) s",
      hint: "--timeout allows more")
  }

  private static func failure(_ code: CURLcode, _ address: WebAddress) -> FetchError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return FetchError(
        "notFound", "unknown host: \(address.host)",
        hint: "check the address and the network")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
      return FetchError(
        "notFound",
        "\(address.host) could not prove that it is \(address.host): "
          + String(cString: curl_easy_strerror(code)))
    default:
      return FetchError(
        "notFound", "cannot fetch \(address.text): " + String(cString: curl_easy_strerror(code)))
    }
  }

  private static func failure(_ status: Int, _ address: WebAddress) -> FetchError {
    switch status {
    case 401, 403, 407:
      FetchError(
        "notFound", "access to \(address.text) is denied (HTTP \(status))",
        hint: "save the page in a browser, and add the file")
    case 404, 410: FetchError("notFound", "\(address.text) does not exist (HTTP \(status))")
    case 429, 500...:
      FetchError(
        "notFound", "the server of \(address.text) could not answer (HTTP \(status))",
        hint: "try it again later")
    default: FetchError("notFound", "\(address.text) has no page (HTTP \(status))")
    }
  }
}

/// The proxy of the standard environment variables. A proxy resolves host names, so their addresses
/// cannot be checked here; addresses in numeric form are still checked.
private enum Proxy {
  static func named(for address: WebAddress) -> String? {
    let isSecure = address.text.hasPrefix("https:")
    // HTTP_PROXY is ignored, because a web server sets it from a request's header.
    let names =
      (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
    guard let proxy = names.lazy.compactMap(variable).first, !isExempt(address.host) else {
      return nil
    }
    return proxy
  }

  private static func isExempt(_ host: String) -> Bool {
    guard let list = variable("no_proxy") ?? variable("NO_PROXY") else { return false }
    return list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
      let name = entry.hasPrefix(".") ? entry.dropFirst() : entry
      return name == "*" || host == name || host.hasSuffix("." + name)
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
