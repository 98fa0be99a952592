import Articles
import CCurl
import Glibc
import Model
import Sync

/// Sends HTTP requests to one server, with limits of time and size. Redirects aren't followed, and
/// error messages contain no secrets.
final class WebClient {
  /// The response to a request.
  struct Answer {
    var status = 0
    var bytes: [UInt8] = []
    /// The time after which the server asks to repeat the request; nil if it doesn't state one.
    var retryAfter: Duration?
    /// The server's time, in seconds since 1970; nil if it doesn't state it.
    var date: Int?
  }

  /// An HTTP request.
  struct Request {
    var method: String
    var url: String
    var headers: [String] = []
    var body: [UInt8]?
    /// The maximum size of the response in bytes.
    var limit = 1 << 20
  }

  private let handle: UnsafeMutableRawPointer
  private let host: String
  /// The file with the trusted certificates; nil for those of the system.
  private let certificates: String?
  /// The maximum time without a response, in seconds.
  private let timeout: Int

  private static let headLimit = 256 << 10
  /// The maximum number of attempts if the server is overloaded, and the longest pause between
  /// them.
  private static let (attempts, longestPause) = (3, Duration.seconds(10))

  /// - Parameter certificates: the file with the trusted certificates; nil for that of
  ///   `SSL_CERT_FILE`, otherwise those of the system.
  init(_ address: WebAddress, certificates: String?, timeout: Int) throws(TransportError) {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let handle = curl_easy_init() else {
      throw TransportError(.unavailable, "libcurl cannot be used")
    }
    (self.handle, host, self.timeout) = (handle, address.host, timeout)
    // Other programs read `SSL_CERT_FILE`, but libcurl does not.
    self.certificates = certificates ?? Self.variable("SSL_CERT_FILE")
  }

  deinit { curl_easy_cleanup(handle) }

  /// Sends a request, up to three times if the server is overloaded.
  ///
  /// - Throws: `TransportError`; `.unavailable` if the server can't be reached or doesn't respond,
  ///   `.tooLarge` if the response exceeds the request's limit.
  func send(_ request: Request) async throws(TransportError) -> Answer {
    var pause = Duration.milliseconds(500)
    for attempt in 1... {
      let answer = try perform(request)
      guard
        answer.status == 423 || answer.status == 429 || [502, 503, 504].contains(answer.status),
        attempt < Self.attempts
      else { return answer }
      let asked = answer.retryAfter ?? pause
      guard asked <= Self.longestPause else { return answer }
      try? await Task.sleep(for: asked)
      pause *= 2
    }
    preconditionFailure("the last attempt returns or throws")
  }

  /// The part of the response that curl's callbacks have received so far.
  private final class PartialResponse {
    var answer = Answer()
    var head = 0
    var isTooLong = false
    let limit: Int

    init(limit: Int) { self.limit = limit }
  }

  private func perform(_ request: Request) throws(TransportError) -> Answer {
    curl_easy_reset(handle)
    let response = PartialResponse(limit: request.limit)
    let context = Unmanaged.passUnretained(response).toOpaque()
    var list: UnsafeMutablePointer<curl_slist>?
    // An empty `Expect` header prevents curl from waiting for permission to send the body.
    for header in request.headers + ["Expect:", "User-Agent: Diple"] {
      list = curl_slist_append(list, header)
    }
    defer { curl_slist_free_all(list) }
    configure(request)
    ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
    take(context)
    let code = withExtendedLifetime((response, request)) {
      guard let body = request.body else { return curl_easy_perform(handle) }
      return body.withUnsafeBytes { bytes in
        ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        // An empty body may have no address; curl would then read the body from standard input.
        let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
        return withUnsafeMutableBytes(of: &Self.nothing) { nothing in
          ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, start ?? nothing.baseAddress)
          return curl_easy_perform(handle)
        }
      }
    }
    if response.isTooLong {
      throw TransportError(.tooLarge, "\(host) sends more than the limit of \(request.limit) B")
    }
    guard code == CURLE_OK else { throw failure(code) }
    ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &response.answer.status)
    return response.answer
  }

  nonisolated(unsafe) private static var nothing: UInt8 = 0

  private func configure(_ request: Request) {
    ccurl_set_text(handle, CURLOPT_URL, request.url)
    ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
    ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
    ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, min(20, timeout))
    ccurl_set_long(handle, CURLOPT_TIMEOUT, 8 * timeout)
    // A server that sends only a few bytes per second is treated like a server that doesn't
    // respond.
    ccurl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 200)
    ccurl_set_long(handle, CURLOPT_LOW_SPEED_TIME, timeout)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2)
    if let certificates { ccurl_set_text(handle, CURLOPT_CAINFO, certificates) }
    if WebDAVAddress.isLoopback(host) { ccurl_set_text(handle, CURLOPT_PROXY, "") }
    if let user = Self.variable("DIPLE_WEBDAV_USER") {
      ccurl_set_text(handle, CURLOPT_USERNAME, user)
      ccurl_set_text(handle, CURLOPT_PASSWORD, Self.variable("DIPLE_WEBDAV_PASSWORD") ?? "")
    } else {
      ccurl_set_long(handle, CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
    }
  }

  /// Parses a time in an HTTP header; nil if it is invalid. The result is in seconds since 1970.
  static func seconds(_ text: some StringProtocol) -> Int? {
    let seconds = curl_getdate(String(text), nil)
    return seconds < 0 ? nil : Int(seconds)
  }

  private func take(_ context: UnsafeMutableRawPointer) {
    ccurl_set_write(
      handle,
      { start, size, count, context in
        let response = Unmanaged<PartialResponse>.fromOpaque(context!).takeUnretainedValue()
        guard response.answer.bytes.count + size * count <= response.limit else {
          response.isTooLong = true
          return 0
        }
        response.answer.bytes += UnsafeRawBufferPointer(start: start, count: size * count)
        return size * count
      }, context)
    ccurl_set_header(
      handle,
      { start, size, count, context in
        let response = Unmanaged<PartialResponse>.fromOpaque(context!).takeUnretainedValue()
        response.head += size * count
        guard response.head <= WebClient.headLimit else { return 0 }
        let line = String(
          decoding: UnsafeRawBufferPointer(start: start, count: size * count), as: UTF8.self)
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return size * count }
        let number = Int(parts[1].trimmed)
        switch parts[0].lowercased() {
        case "retry-after":
          response.answer.retryAfter = number.map { .seconds(max(0, min($0, 86_400))) }
        case "date": response.answer.date = WebClient.seconds(parts[1].trimmed)
        case "content-length" where (number ?? 0) > response.limit:
          response.isTooLong = true
          return 0
        default: break
        }
        return size * count
      }, context)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func failure(_ code: CURLcode) -> TransportError {
    let reason = String(cString: curl_easy_strerror(code))
    // A later attempt does not help.
    if code == CURLE_SSL_CACERT_BADFILE, let certificates {
      return TransportError(
        .refused, "the trusted certificates in \(certificates) cannot be read: \(reason)")
    }
    if [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE].contains(code) {
      return TransportError(
        .refused,
        """
        the certificate of \(host) is not trusted: \(reason); to trust it, set \
        sync.ca_file or SSL_CERT_FILE to a file with its root certificate
        """)
    }
    return TransportError(
      .unavailable, "\(host) cannot be reached: \(reason)")
  }
}
