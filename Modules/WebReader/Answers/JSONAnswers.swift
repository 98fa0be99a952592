import FoundationEssentials
import Model
import SystemSupport

/// The body of an error response: `{"error": …}`.
struct ErrorAnswer: Encodable {
  var error: String
  var hint: String?
  /// The error code, as in `diple.error/1`.
  var code: UserError.Code?
  /// The values of an ``ActionRefusal``.
  var details: Details?

  /// A value of any type.
  struct Details: Encodable {
    var value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  /// Whether the requesting device can be paired.
  var pairing: Bool?
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
    json(ErrorAnswer(error: reason, hint: hint, pairing: true), status: 401)
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
      ErrorAnswer(
        error: error.message, hint: error.hint?.text(in: .shell), code: error.code,
        details: details.map { ErrorAnswer.Details(value: $0) }),
      status: status)
  }
}
