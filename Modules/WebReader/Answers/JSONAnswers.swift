import FoundationEssentials
import Model
import SystemSupport

/// `{"error": …}`: why something was not done.
struct ErrorAnswer: Encodable {
  var error: String
  var hint: String?
  /// What kind of reason it is, as in `diple.error/1`.
  var code: UserError.Code?
  /// Whether the device that asks can be paired.
  var pairing: Bool?
}

extension WebAnswer {
  /// A value as JSON.
  static func json(_ value: some Encodable, status: Int = 200) -> WebAnswer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    // Every answer is made of texts, numbers and dates, none of which can fail to encode.
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("an answer that JSON cannot express")
    }
    return WebAnswer(status, Array(data), type: "application/json; charset=utf-8")
  }

  /// Says to a device that it must be paired first.
  static func unpaired(_ reason: String, hint: String?) -> WebAnswer {
    json(ErrorAnswer(error: reason, hint: hint, pairing: true), status: 401)
  }

  /// Why something was not done.
  static func failed(_ error: UserError) -> WebAnswer {
    let status =
      switch error.code {
      case .usage: 400
      case .notFound: 404
      case .nothing, .ambiguous, .conflict, .incomplete: 409
      case .unconfirmed, .damaged, .plugin: 500
      }
    return json(
      ErrorAnswer(error: error.message, hint: error.hint?.text(in: .shell), code: error.code),
      status: status)
  }
}
