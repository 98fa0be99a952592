import FoundationEssentials

/// Any JSON, for forms whose programs write a key now as one thing, now as another.
public enum JSONValue: Hashable, Sendable, Codable {
  /// Nothing.
  case null
  /// Yes or no.
  case flag(Bool)
  /// A number; whole ones are exact up to 2⁵³.
  case number(Double)
  /// A text.
  case text(String)
  /// A list.
  case list([JSONValue])
  /// Keys with their values.
  case object([String: JSONValue])

  /// Reads what a decoder has.
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
      self = .number(number)
    } else {
      self = .null
    }
  }

  /// Writes it. Whole numbers have no fraction.
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
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// Reads some bytes; nil for what is no object and no list of JSON. A byte order mark is passed over.
  public init?(_ bytes: [UInt8]) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Sparing what is plainly something else the work.
    let first = bytes[start...].first { !" \t\r\n".utf8.contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes[start...]))
    else { return nil }
    self = value
  }

  /// What stands under a key of an object; `null` for anything else.
  public subscript(key: String) -> JSONValue {
    if case .object(let object) = self { object[key] ?? .null } else { .null }
  }

  /// What stands under the first of some keys that is there.
  public subscript(keys: [String]) -> JSONValue {
    for key in keys {
      let value = self[key]
      if case .null = value { continue }
      return value
    }
    return .null
  }

  /// The values of a list; of anything else itself, of nothing none.
  public var values: [JSONValue] {
    switch self {
    case .list(let list): list
    case .null: []
    default: [self]
    }
  }

  /// The values of a list; nil for anything else.
  public var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }

  /// The keys of an object.
  public var keys: Set<String> {
    if case .object(let object) = self { Set(object.keys) } else { [] }
  }

  /// A text, or a number as a text; empty for anything else.
  public var text: String {
    switch self {
    case .text(let text): text
    case .number(let number):
      Int64(exactly: number).map(String.init) ?? String(number)
    default: ""
    }
  }

  /// A number, or a text that is one; nil for anything else.
  public var number: Double? {
    switch self {
    case .number(let number): number
    case .text(let text): Double(text)
    default: nil
    }
  }

  /// Whether it says yes.
  public var flag: Bool {
    switch self {
    case .flag(let flag): flag
    case .number(let number): number != 0
    default: false
    }
  }
}
