import Actions
import FoundationEssentials
import SystemSupport

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
    // All responses consist of strings, numbers and dates, which always can be encoded.
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("an answer that JSON cannot express")
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
