import Model

/// The framing of messages between Diple and `diple-transport`, the program that connects to
/// servers.
///
/// A frame is the length of the message in four bytes, lowest first, followed by the message.
package enum CarrierFrame {
  /// The maximum length of a message in bytes, without the four bytes of its length.
  package static let limit = 20 << 20

  /// Returns a message with its length in front. The message must not exceed `limit`.
  package static func frame(_ message: [UInt8]) -> [UInt8] {
    precondition(message.count <= limit, "a message is never longer than a frame can be")
    var writer = CarrierWriter()
    writer.write(UInt32(message.count))
    return writer.bytes + message
  }

  /// Returns the length of the message that follows the four bytes of `head`; nil if it exceeds
  /// `limit` or if `head` doesn't have four bytes.
  package static func length(of head: [UInt8]) -> Int? {
    guard head.count == 4 else { return nil }
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    return count <= limit ? count : nil
  }
}

/// A request from Diple to `diple-transport`.
package enum CarrierRequest: Hashable, Sendable {
  case connect(transport: String, TransportPlace)
  case list(TransportCursor?)
  case get(ObjectName, limit: Int)
  case ends(ObjectName, count: Int)
  case put([TransportObject])
  case delete([ObjectName])
  case wait(milliseconds: Int)
  case prepare(transport: String, TransportPlace, members: [String])
  case close

  /// The request as a message, without its frame.
  package var bytes: [UInt8] {
    var writer = CarrierWriter()
    switch self {
    case .connect(let transport, let place):
      writer.write(kind: 1)
      writer.write(transport)
      writer.write(place)
    case .list(let cursor):
      writer.write(kind: 2)
      writer.write(cursor?.bytes)
    case .get(let name, let limit):
      writer.write(kind: 3)
      writer.write(name.description)
      writer.write(UInt64(limit))
    case .put(let objects):
      writer.write(kind: 4)
      writer.write(UInt32(objects.count))
      for object in objects {
        writer.write(object.name.description)
        writer.write(object.bytes)
      }
    case .delete(let names):
      writer.write(kind: 5)
      writer.write(UInt32(names.count))
      for name in names { writer.write(name.description) }
    case .wait(let milliseconds):
      writer.write(kind: 6)
      writer.write(UInt64(milliseconds))
    case .close: writer.write(kind: 7)
    case .prepare(let transport, let place, let members):
      writer.write(kind: 9)
      writer.write(transport)
      writer.write(place)
      writer.write(UInt32(members.count))
      for member in members { writer.write(member) }
    case .ends(let name, let count):
      writer.write(kind: 8)
      writer.write(name.description)
      writer.write(UInt64(count))
    }
    return writer.bytes
  }

  /// Parses a message; nil if it isn't a valid request.
  package init?(_ message: [UInt8]) {
    var reader = CarrierReader(message)
    guard let kind = reader.byte() else { return nil }
    switch kind {
    case 1:
      guard let transport = reader.text(), let place = reader.place() else { return nil }
      self = .connect(transport: transport, place)
    case 2:
      guard let cursor = reader.optional() else { return nil }
      self = .list(cursor.map(TransportCursor.init))
    case 3:
      guard let name = reader.name(), let limit = reader.count() else { return nil }
      self = .get(name, limit: limit)
    case 4:
      let objects = reader.list { reader -> TransportObject? in
        guard let name = reader.name(), let bytes = reader.array() else { return nil }
        return TransportObject(name, bytes)
      }
      guard let objects else { return nil }
      self = .put(objects)
    case 5:
      guard let names = reader.list({ $0.name() }) else { return nil }
      self = .delete(names)
    case 6:
      guard let milliseconds = reader.count() else { return nil }
      self = .wait(milliseconds: milliseconds)
    case 7: self = .close
    case 8:
      guard let name = reader.name(), let count = reader.count() else { return nil }
      self = .ends(name, count: count)
    case 9:
      guard let transport = reader.text(), let place = reader.place(),
        let members = reader.list({ $0.text() })
      else { return nil }
      self = .prepare(transport: transport, place, members: members)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

/// The response of `diple-transport` to a request.
package enum CarrierAnswer: Hashable, Sendable {
  case done
  /// Some entries of a listing; more follow.
  case entries([TransportListing.Entry])
  /// The last entries of a listing, with its cursor.
  case listing(TransportListing)
  case object([UInt8]?)
  case ends(ObjectEnds?)
  case changed(Bool)
  case failure(TransportError)

  /// The response as a message, without its frame.
  package var bytes: [UInt8] {
    var writer = CarrierWriter()
    switch self {
    case .done: writer.write(kind: 1)
    case .entries(let entries):
      writer.write(kind: 2)
      writer.write(entries)
    case .listing(let listing):
      writer.write(kind: 3)
      writer.write(listing.entries)
      writer.write(listing.cursor?.bytes)
      writer.write(kind: listing.isWhole ? 1 : 0)
    case .object(let bytes):
      writer.write(kind: 4)
      writer.write(bytes)
    case .changed(let isChanged):
      writer.write(kind: 5)
      writer.write(kind: isChanged ? 1 : 0)
    case .failure(let error):
      writer.write(kind: 6)
      writer.write(kind: UInt8(TransportError.Kind.all.firstIndex(of: error.kind) ?? 2))
      writer.write(error.description)
    case .ends(let ends):
      writer.write(kind: 7)
      writer.write(ends?.first)
      writer.write(ends?.last)
    }
    return writer.bytes
  }

  /// Parses a message; nil if it isn't a valid response.
  package init?(_ message: [UInt8]) {
    var reader = CarrierReader(message)
    guard let kind = reader.byte() else { return nil }
    switch kind {
    case 1: self = .done
    case 2:
      guard let entries = reader.list({ $0.entry() }) else { return nil }
      self = .entries(entries)
    case 3:
      guard let entries = reader.list({ $0.entry() }), let cursor = reader.optional(),
        (cursor?.count ?? 0) <= 4096, let isWhole = reader.flag()
      else { return nil }
      self = .listing(
        TransportListing(entries, cursor: cursor.map(TransportCursor.init), isWhole: isWhole))
    case 4:
      guard let bytes = reader.optional() else { return nil }
      self = .object(bytes)
    case 5:
      guard let isChanged = reader.flag() else { return nil }
      self = .changed(isChanged)
    case 6:
      guard let kind = reader.byte(), kind < TransportError.Kind.all.count,
        let text = reader.text(), text.utf8.count <= 4096
      else { return nil }
      // Control characters in a server's message become spaces, so that the message is one line.
      let line = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : String($0) }
      self = .failure(TransportError(TransportError.Kind.all[Int(kind)], line.joined()))
    case 7:
      guard let first = reader.optional(), let last = reader.optional(),
        (first == nil) == (last == nil)
      else { return nil }
      self = .ends(first.map { ObjectEnds(first: $0, last: last ?? []) })
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension TransportError.Kind {
  /// All kinds in the order of their numbers in messages.
  fileprivate static let all: [Self] = [
    .usage, .absent, .unavailable, .refused, .full, .tooLarge, .missingProgram,
  ]
}

/// Writes the fields of a message.
private struct CarrierWriter {
  var bytes: [UInt8] = []

  mutating func write(kind: UInt8) { bytes.append(kind) }

  mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  mutating func write(_ part: [UInt8]) {
    write(UInt32(part.count))
    bytes += part
  }

  mutating func write(_ part: [UInt8]?) {
    write(kind: part == nil ? 0 : 1)
    if let part { write(part) as Void }
  }

  mutating func write(_ place: TransportPlace) {
    write(place.address)
    write(place.cache)
    write(place.certificates ?? "")
  }

  mutating func write(_ text: String) { write(Array(text.utf8)) as Void }

  mutating func write(_ entries: [TransportListing.Entry]) {
    write(UInt32(entries.count))
    for entry in entries {
      write(entry.name.description)
      write(UInt64(entry.size))
    }
  }
}

/// Reads the fields of a message. A length that exceeds the remaining bytes is refused.
private struct CarrierReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func flag() -> Bool? {
    guard let byte = byte(), byte < 2 else { return nil }
    return byte == 1
  }

  private mutating func number(bytes count: Int) -> UInt64? {
    guard bytes.count - position >= count else { return nil }
    defer { position += count }
    return bytes[position..<(position + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a 64-bit number, such as a size or a duration; nil if it doesn't fit in `Int`.
  mutating func count() -> Int? { number(bytes: 8).flatMap { Int(exactly: $0) } }

  mutating func array() -> [UInt8]? {
    guard let count = number(bytes: 4), count <= bytes.count - position else { return nil }
    defer { position += Int(count) }
    return Array(bytes[position..<(position + Int(count))])
  }

  mutating func optional() -> [UInt8]?? {
    guard let isThere = flag() else { return nil }
    if !isThere { return .some(nil) }
    guard let array = array() else { return nil }
    return .some(array)
  }

  mutating func place() -> TransportPlace? {
    guard let address = text(), let cache = text(), let certificates = text() else { return nil }
    return TransportPlace(
      address: address, cache: cache, certificates: certificates.isEmpty ? nil : certificates)
  }

  mutating func text() -> String? { array().flatMap { String(validating: $0, as: UTF8.self) } }

  mutating func name() -> ObjectName? { text().flatMap { ObjectName($0) } }

  mutating func entry() -> TransportListing.Entry? {
    guard let name = name(), let size = count() else { return nil }
    return TransportListing.Entry(name, size: size)
  }

  mutating func list<Element>(_ element: (inout CarrierReader) -> Element?) -> [Element]? {
    guard let count = number(bytes: 4) else { return nil }
    var result: [Element] = []
    for _ in 0..<count {
      guard let element = element(&self) else { return nil }
      result.append(element)
    }
    return result
  }
}
