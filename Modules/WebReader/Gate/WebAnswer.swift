import Actions
package import Model

/// The response to a request.
package struct WebAnswer: Sendable {
  /// The body of a response.
  package enum Content: Sendable {
    /// The bytes of the body.
    case bytes([UInt8])
    /// A stream of events of a document, or of the library if nil, until the connection is closed.
    case events(Document.ID?)
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
  static func events(of document: Document.ID?) -> WebAnswer {
    var answer = WebAnswer(200, type: "text/event-stream; charset=utf-8")
    answer.content = .events(document)
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
