import FoundationEssentials
import Model
import SystemSupport

/// The query and the body of a request.
struct WebInput: Sendable {
  private let query: [String: String]
  /// The bytes of the body.
  let body: [UInt8]

  init(_ query: [String: String], _ body: [UInt8]) { (self.query, self.body) = (query, body) }

  /// Returns a text of the query, or nil if it is missing or empty.
  func text(_ name: String) -> String? {
    guard let text = query[name], !text.isEmpty else { return nil }
    return text
  }

  /// Returns a number of the query, or nil if it is missing.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the text isn't a number in the range.
  func number(_ name: String, in range: ClosedRange<Int> = 0...Int(Int32.max)) throws(UserError)
    -> Int?
  {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UserError(
        .usage, "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the range from `start` to `end` of the query. Throws ``UserError`` with the code
  /// `usage` if it is invalid.
  func passage() throws(UserError) -> TextRange {
    guard let start = try number("start"), let end = try number("end"), start <= end else {
      throw UserError(.usage, "expected start and end")
    }
    return TextRange(utf16: start..<end)
  }

  /// Decodes the body as JSON.
  ///
  /// - Throws: ``UserError`` with the code `usage` if it isn't valid or lacks a member.
  func decode<Value: Decodable>(_ type: Value.Type) throws(UserError) -> Value {
    do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
      throw UserError(.usage, "invalid request body")
    }
  }
}

/// A range as JSON: `[start, end]`, in UTF-16 units.
struct WebRange: Codable, Hashable {
  let range: TextRange

  init(_ range: TextRange) { self.range = range }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let (start, end) = (try container.decode(Int.self), try container.decode(Int.self))
    guard start >= 0, start <= end, end <= Int32.max, container.isAtEnd else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a passage is a start and an end")
    }
    range = TextRange(utf16: start..<end)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(range.utf16.lowerBound)
    try container.encode(range.utf16.upperBound)
  }
}
