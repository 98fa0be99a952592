public import FoundationEssentials

/// Any JSON value, for formats whose programs use different types for the same key.
///
/// ```swift
/// let value = JSONValue(Array(#"{"title": "Walden", "page": 12}"#.utf8))
/// value?["page"].text  // "12"
/// value?["author"].text  // ""
/// ```
public enum JSONValue: Hashable, Sendable, Codable {
  /// The JSON value `null`, also returned for missing keys.
  case null
  /// `true` or `false`.
  case flag(Bool)
  /// A number without loss of digits in a `Double`, such as an integer up to 2⁵³.
  case number(Double)
  /// Any other number of up to 38 digits, such as a long identifier.
  case decimal(Decimal)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Decodes a value of any JSON type. Throws an error of the decoder if it contains no value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let object = try? container.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = Self.exact(number, in: container)
    } else {
      self = .null
    }
  }

  /// Returns a decoded number with all of its digits.
  private static func exact(_ number: Double, in container: any SingleValueDecodingContainer)
    -> JSONValue
  {
    if number.magnitude < 0x1p53, number == number.rounded() { return .number(number) }
    guard let written = try? container.decode(Decimal.self), Decimal(string: "\(number)") != written
    else { return .number(number) }
    return .decimal(written)
  }

  /// Encodes the value. Numbers without a fraction are written as integers.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number):
      if let whole = Int64(exactly: number) {
        try container.encode(whole)
      } else {
        try container.encode(number)
      }
    case .decimal(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// Parses JSON; nil unless it is a valid object or array. A leading byte order mark is skipped.
  public init?(_ bytes: [UInt8]) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Most other files are rejected by their first character, without the cost of parsing.
    let first = bytes[start...].first { !" \t\r\n".utf8.contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes[start...]))
    else { return nil }
    self = value
  }

  /// The value for a key of an object; `null` if there is no such key or this isn't an object.
  public subscript(key: String) -> JSONValue {
    if case .object(let object) = self { object[key] ?? .null } else { .null }
  }

  /// The value for the first of several keys that has one; `null` if there is none.
  public subscript(keys: [String]) -> JSONValue {
    for key in keys {
      let value = self[key]
      if case .null = value { continue }
      return value
    }
    return .null
  }

  /// The elements of an array. Empty for `null`; any other value is returned as the only element.
  public var values: [JSONValue] {
    switch self {
    case .list(let list): list
    case .null: []
    default: [self]
    }
  }

  /// The elements of an array; nil for any other value.
  public var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }

  /// The keys of an object; empty for any other value.
  public var keys: Set<String> {
    if case .object(let object) = self { Set(object.keys) } else { [] }
  }

  /// A string, or a number converted to a string; empty for any other value.
  public var text: String {
    switch self {
    case .text(let text): text
    case .number(let number):
      Int64(exactly: number).map(String.init) ?? String(number)
    case .decimal(let number): number.description
    default: ""
    }
  }

  /// A number, or a string converted to a number; nil for any other value or an invalid string.
  public var number: Double? {
    switch self {
    case .number(let number): number
    case .decimal(let number): Double(number.description)
    case .text(let text): Double(text)
    default: nil
    }
  }

  /// Whether the value is `true` or a number other than 0.
  public var flag: Bool {
    switch self {
    case .flag(let flag): flag
    case .number(let number): number != 0
    case .decimal: true
    default: false
    }
  }
}
