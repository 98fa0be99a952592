package import FoundationEssentials
import Model
import SystemSupport
import Workspace

/// Splits a byte stream into messages. Each message is its length, as four bytes in big-endian
/// order, followed by that many bytes of JSON.
///
/// ```swift
/// var buffer = FrameBuffer(limit: 1 << 16)
/// buffer.append(FrameBuffer.frame(request))
/// let content = try buffer.next()
/// ```
package struct FrameBuffer: Sendable {
  /// The error for a message that is longer than the limit. The rest of the stream can't be parsed.
  package struct TooLong: Error {
    /// The announced length in bytes.
    package var length: Int
  }

  private var bytes: [UInt8] = []
  private var start = 0
  private let limit: Int

  /// Creates an empty buffer for messages of at most `limit` bytes.
  package init(limit: Int) { self.limit = limit }

  /// Appends bytes that were read.
  package mutating func append(_ new: some Collection<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += new
  }

  /// Removes and returns the content of the next message, or returns nil if it isn't complete yet.
  /// Throws ``TooLong`` if the message exceeds the limit.
  package mutating func next() throws(TooLong) -> Data? {
    guard bytes.count - start >= 4 else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= limit else { throw TooLong(length: length) }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return Data(bytes[(start + 4)..<(start + 4 + length)])
  }

  /// Encodes a value as a message.
  package static func frame(_ value: some Encodable) -> [UInt8] {
    // Messages contain only strings, numbers and dates, which can always be encoded.
    guard let data = try? JSONEncoder.ordered(dates: .iso8601).encode(value) else {
      preconditionFailure("JSON cannot express the message")
    }
    let length = UInt32(data.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + data
  }

  /// Decodes the content of a message. Throws a `DecodingError` if it isn't valid.
  package static func value<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
