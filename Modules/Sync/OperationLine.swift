import FoundationEssentials
package import Model

/// An operation as a line of JSON with readable names, for exports and for inspecting synchronised
/// data. It can't be parsed back.
package struct OperationLine: Encodable, CustomStringConvertible {
  private let operation: Operation

  package init(_ operation: Operation) { self.operation = operation }

  /// The line without a line feed.
  package var description: String {
    guard let data = try? JSONEncoder.ordered().encode(self) else {
      preconditionFailure("an operation cannot be encoded as JSON")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private enum Key: String, CodingKey {
    case operation, time, counter, act, record, kind, field, value, replaces
  }

  /// Writes the operation as a JSON object.
  ///
  /// - Throws: The errors of `encoder`.
  package func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(operation.dot, forKey: .operation)
    try line.encode(Self.text(operation.time.milliseconds), forKey: .time)
    try line.encode(operation.time.counter, forKey: .counter)
    try line.encode(operation.group, forKey: .act)
    switch operation.record {
    case .library:
      try line.encode("library", forKey: .kind)
      try line.encodeNil(forKey: .record)
    case .document(let id): try encode("document", id.dot, to: &line)
    case .highlight(let id): try encode("highlight", id.dot, to: &line)
    case .other(let kind, let dot): try encode("unknown-\(kind)", dot, to: &line)
    }
    try line.encode(operation.field.rawValue, forKey: .field)
    try line.encode(operation.basis, forKey: .replaces)
    switch operation.value {
    case .none: try line.encodeNil(forKey: .value)
    case .flag(let flag): try line.encode(flag, forKey: .value)
    case .text(let text): try line.encode(text, forKey: .value)
    case .reference(let dot): try line.encode(["record": dot], forKey: .value)
    case .selector(let selector): try line.encode(selector, forKey: .value)
    case .other(let bytes):
      try line.encode(["unknown": hexadecimal(bytes)], forKey: .value)
    }
  }

  /// Formats a time in UTC. The milliseconds are appended as an integer, because a fractional
  /// number of seconds isn't exact.
  private static func text(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
    let rest = String(milliseconds % 1000)
    return date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: false)) + "."
      + String(repeating: "0", count: 3 - rest.count) + rest + "Z"
  }

  private func encode(
    _ kind: String, _ dot: Dot, to line: inout KeyedEncodingContainer<Key>
  ) throws {
    try line.encode(kind, forKey: .kind)
    try line.encode(dot, forKey: .record)
  }
}
