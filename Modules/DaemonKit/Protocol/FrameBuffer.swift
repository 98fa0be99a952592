package import FoundationEssentials
import Model
import SystemSupport
import Workspace

/// Messages on a stream of bytes: each is its length, four bytes with the highest first, and then
/// that many bytes of JSON.
package struct FrameBuffer: Sendable {
  /// A length beyond what is taken: no message of ours, and what follows cannot be read.
  package struct TooLong: Error {
    /// The length that was announced.
    package var length: Int
  }

  private var bytes: [UInt8] = []
  private var start = 0
  private let limit: Int

  /// Takes messages of at most `limit` bytes.
  package init(limit: Int) { self.limit = limit }

  /// Adds what was read.
  package mutating func append(_ new: some Collection<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += new
  }

  /// The content of the next whole message; nil when there is none yet.
  package mutating func next() throws(TooLong) -> Data? {
    guard bytes.count - start >= 4 else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= limit else { throw TooLong(length: length) }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return Data(bytes[(start + 4)..<(start + 4 + length)])
  }

  /// A value as a message.
  package static func frame(_ value: some Encodable) -> [UInt8] {
    // Every message is made of texts, numbers and dates, none of which can fail to encode.
    guard let data = try? JSONEncoder.ordered(dates: .iso8601).encode(value) else {
      preconditionFailure("a message that JSON cannot express")
    }
    let length = UInt32(data.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + data
  }

  /// A value from the content of a message.
  package static func value<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
