import Actions
import FoundationEssentials
package import Model
import SystemSupport

/// The response to a request.
package struct WebAnswer: Sendable {
  /// The body of a response.
  package enum Content: Sendable {
    /// The bytes of the body.
    case bytes([UInt8])
    /// A stream of events of a document, or of the library if nil, for a caller, until the
    /// connection is closed.
    case events(Document.ID?, for: Principal)
  }

  /// The HTTP status.
  package var status: Int
  package var content: Content
  /// The media type of the body, or nil if it is empty.
  package var type: String?
  /// Additional header fields.
  package var fields: [(name: String, value: String)] = []
  /// The content security policy.
  private var policy = WebAnswer.pagePolicy

  /// Pages run only scripts from this server, and only the Trusted Types policy `diple` may convert
  /// text to HTML.
  private static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types diple"

  /// Creates a response with a body.
  package init(_ status: Int = 200, _ bytes: [UInt8] = [], type: String? = nil) {
    (self.status, content, self.type) = (status, .bytes(bytes), type)
  }

  /// The header fields, except the length of the body.
  package var head: [(name: String, value: String)] {
    var head = [
      ("Content-Security-Policy", policy),
      ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"),
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cache-Control", "no-store"),
    ]
    if let type { head.append(("Content-Type", type)) }
    return head + fields
  }

  /// Returns a response with an image or another file that isn't part of Diple. If a browser opens
  /// it as a page, the policy disables scripts and all other content.
  static func file(_ bytes: [UInt8], type: String) -> WebAnswer {
    var answer = WebAnswer(200, bytes, type: type)
    answer.policy = "sandbox; default-src 'none'"
    return answer
  }

  /// Returns a response with a stream of events.
  static func events(of document: Document.ID?, for caller: Principal) -> WebAnswer {
    var answer = WebAnswer(200, type: "text/event-stream; charset=utf-8")
    answer.content = .events(document, for: caller)
    return answer
  }

  /// Returns a redirect to another address of this server.
  static func redirect(to address: String) -> WebAnswer {
    var answer = WebAnswer(303)
    answer.fields = [("Location", address)]
    return answer
  }

  /// Returns an error response with a one-line reason.
  ///
  /// - Parameter allow: The methods for the `Allow` field; without any, the field is omitted.
  package static func refused(
    _ status: Int, _ reason: String, hint: String? = nil, allow: [String] = []
  )
    -> WebAnswer
  {
    let record = ErrorRecord(status: status, reason, hint: hint)
    var answer = WebAnswer.json(ErrorAnswer(record: record), status: status)
    if !allow.isEmpty { answer.fields.append(("Allow", allow.joined(separator: ", "))) }
    return answer
  }
}

/// The body of an error response: `diple.error/1`, with more members for pages.
struct ErrorAnswer: Encodable {
  var record: ErrorRecord
  /// The values of an ``ActionRefusal``.
  var details: (any Encodable)?
  /// Whether the requesting device can be paired.
  var pairing: Bool?

  private enum CodingKeys: CodingKey { case details, pairing }

  func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let details { try details.encode(to: container.superEncoder(forKey: .details)) }
    try container.encodeIfPresent(pairing, forKey: .pairing)
  }
}

extension ErrorRecord {
  /// Creates the record of a response that only has a status. Its code is `refused` where the
  /// server refuses the client, and `failed` where the server cannot answer now.
  init(status: Int, _ message: String, hint: String?) {
    let code =
      switch status {
      case 401, 403, 421: "refused"
      case 404: UserError.Code.notFound.rawValue
      case 408, 500...: "failed"
      default: UserError.Code.usage.rawValue
      }
    self.init(code: code, message: message, hint: hint)
  }
}

extension WebAnswer {
  /// Returns a response with a value as JSON.
  static func json(_ value: some Encodable, status: Int = 200) -> WebAnswer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    // All responses consist of strings, numbers and dates, which can always be encoded.
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("JSON cannot express the answer")
    }
    return WebAnswer(status, Array(data), type: "application/json; charset=utf-8")
  }

  /// Returns a response with encoded JSON.
  static func json(_ text: String) -> WebAnswer {
    WebAnswer(200, Array(text.utf8), type: "application/json; charset=utf-8")
  }

  /// Returns the response for a device that isn't paired.
  static func unpaired(_ reason: String, hint: String?) -> WebAnswer {
    json(
      ErrorAnswer(record: ErrorRecord(status: 401, reason, hint: hint), pairing: true), status: 401)
  }

  /// Returns the response for an error.
  static func failed(_ error: UserError, details: (any Encodable)? = nil) -> WebAnswer {
    let status =
      switch error.code {
      case .usage: 400
      case .notFound: 404
      case .nothing, .ambiguous, .conflict, .incomplete: 409
      case .unconfirmed, .damaged, .plugin: 500
      }
    return json(
      ErrorAnswer(record: ErrorRecord(error, withCommands: false), details: details), status: status
    )
  }
}
