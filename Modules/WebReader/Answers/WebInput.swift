import FoundationEssentials
import Model
import SystemSupport

/// What a request says besides its path.
struct WebInput: Sendable {
  private let query: [String: String]
  private let body: [UInt8]

  init(_ query: [String: String], _ body: [UInt8]) { (self.query, self.body) = (query, body) }

  /// A word of the query; nil where it is missing or empty.
  func text(_ name: String) -> String? {
    guard let text = query[name], !text.isEmpty else { return nil }
    return text
  }

  /// A number of the query; nil where it is missing.
  ///
  /// - Throws: `usage` for what is no number, or none in the range.
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

  /// A passage of the query, from `start` to `end`.
  func passage() throws(UserError) -> TextRange {
    guard let start = try number("start"), let end = try number("end"), start <= end else {
      throw UserError(.usage, "expected start and end")
    }
    return TextRange(utf16: start..<end)
  }

  /// The body as JSON.
  ///
  /// - Throws: `usage` for what is none, or lacks something.
  func decode<Value: Decodable>(_ type: Value.Type) throws(UserError) -> Value {
    do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
      throw UserError(.usage, "invalid request body")
    }
  }
}

/// A passage as pages write it: `[start, end]`.
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
