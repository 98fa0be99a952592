package import Model

/// What a request is answered with.
package struct WebAnswer: Sendable {
  /// What follows the head.
  package enum Content: Sendable {
    /// Some bytes.
    case bytes([UInt8])
    /// What happens to a document, or to the library, until the page is closed.
    case events(Document.ID?)
  }

  /// The status.
  package var status: Int
  /// What follows.
  package var content: Content
  /// The media type of what follows; nil for nothing.
  package var type: String?
  /// Fields of this answer alone.
  package var fields: [(name: String, value: String)] = []
  /// What a page made of this may do.
  private var policy = WebAnswer.pagePolicy

  /// A page of this server runs its own scripts and nothing else, and only the policy `diple` makes
  /// HTML of texts.
  private static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types diple"

  /// Some bytes of a media type.
  package init(_ status: Int = 200, _ bytes: [UInt8] = [], type: String? = nil) {
    (self.status, content, self.type) = (status, .bytes(bytes), type)
  }

  /// The fields of the head, but for those that say how long the content is.
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

  /// A picture, or another file that was not written here: should somebody open it as a page, it can do
  /// nothing.
  static func file(_ bytes: [UInt8], type: String) -> WebAnswer {
    var answer = WebAnswer(200, bytes, type: type)
    answer.policy = "sandbox; default-src 'none'"
    return answer
  }

  /// What happens, as it happens.
  static func events(of document: Document.ID?) -> WebAnswer {
    var answer = WebAnswer(200, type: "text/event-stream; charset=utf-8")
    answer.content = .events(document)
    return answer
  }

  /// The way to another address of this server.
  static func redirect(to address: String) -> WebAnswer {
    var answer = WebAnswer(303)
    answer.fields = [("Location", address)]
    return answer
  }

  /// Says in one line why there is no other answer.
  package static func refused(
    _ status: Int, _ reason: String, hint: String? = nil, allow: [String] = []
  )
    -> WebAnswer
  {
    var answer = WebAnswer.json(ErrorAnswer(error: reason, hint: hint), status: status)
    if !allow.isEmpty { answer.fields.append(("Allow", allow.joined(separator: ", "))) }
    return answer
  }
}
