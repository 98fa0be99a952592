package import FoundationEssentials
package import Model
import Rendering

/// Writes JSON as `JSON.line` does, without an encoder: for the records of long lists, on which an
/// encoder spends most of its time finding out what they are.
///
/// The caller writes the members of an object in the order of their names. A test compares what is
/// written with what the encoder writes.
///
///     var writer = JSONWriter()
///     writer.begin("{")
///     writer.key("line")
///     writer.value(12)
///     writer.end("}")
package struct JSONWriter: ~Copyable {
  /// What is written: `count` bytes in memory for `room`.
  private var start: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var room: Int
  /// Whether the next element or member follows another one.
  private var needsComma = false

  /// Writes nothing yet.
  package init() {
    room = 1_024
    start = .allocate(capacity: room)
  }

  deinit { start.deallocate() }

  /// Passes what is written to `body`.
  package borrowing func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    body(UnsafeBufferPointer(start: start, count: count))
  }

  /// Removes what is written, and keeps the memory for more.
  package mutating func removeAll() { (count, needsComma) = (0, false) }

  /// Makes room for so many further bytes.
  @inline(__always)
  private mutating func reserve(_ size: Int) {
    if room - count < size { grow(by: size) }
  }

  @inline(never)
  private mutating func grow(by size: Int) {
    room = max(2 * room, count + size)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }

  /// Appends a byte, for which there is room.
  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  private mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)[...])
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0[...]) }
  }

  private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    reserve(bytes.count)
    guard let base = bytes.base.baseAddress, !bytes.isEmpty else { return }
    (start + count).update(from: base + bytes.startIndex, count: bytes.count)
    count += bytes.count
  }

  /// Begins an object or a list.
  package mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    reserve(1)
    put(UInt8(ascii: bracket))
    needsComma = false
  }

  /// Ends an object or a list.
  package mutating func end(_ bracket: Unicode.Scalar) {
    reserve(1)
    put(UInt8(ascii: bracket))
    needsComma = true
  }

  /// Writes the name of a member, which needs no escapes; its value follows.
  package mutating func key(_ name: StaticString) {
    separate()
    reserve(name.utf8CodeUnitCount + 3)
    put(UInt8(ascii: "\""))
    (start + count).update(from: name.utf8Start, count: name.utf8CodeUnitCount)
    count += name.utf8CodeUnitCount
    put(UInt8(ascii: "\""))
    put(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string, or `null`.
  package mutating func value(_ text: String?) {
    separate()
    guard var text else { return append("null" as StaticString) }
    text.withUTF8 { appendString($0) }
  }

  /// Writes valid UTF-8 as a string.
  package mutating func value(utf8 text: UnsafeBufferPointer<UInt8>) {
    separate()
    appendString(text)
  }

  /// Writes the name of a record as a string.
  package mutating func value(_ dot: Dot) {
    separate()
    reserve(40)
    put(UInt8(ascii: "\""))
    putDecimal(Int(dot.sequence))
    put(UInt8(ascii: "-"))
    for shift in stride(from: 60, through: 0, by: -4) {
      put(Self.digits[Int(dot.replica.rawValue >> UInt64(shift) & 15)])
    }
    put(UInt8(ascii: "\""))
  }

  /// Writes a value that is JSON already.
  package mutating func value(json: [UInt8]) {
    separate()
    json.withUnsafeBufferPointer { append($0[...]) }
  }

  private mutating func appendString(_ text: UnsafeBufferPointer<UInt8>) {
    // Room for the quotation marks; escapes make more.
    reserve(text.count + 2)
    put(UInt8(ascii: "\""))
    appendEscaped(text)
    reserve(1)
    put(UInt8(ascii: "\""))
  }

  /// Writes a number, or `null`.
  package mutating func value(_ number: Int?) {
    separate()
    guard let number else { return append("null" as StaticString) }
    reserve(20)
    putDecimal(number)
  }

  /// Writes a number, which is finite.
  package mutating func value(_ number: Double) {
    separate()
    let text = number.description
    append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Writes `true` or `false`.
  package mutating func value(_ flag: Bool) {
    separate()
    append(flag ? "true" as StaticString : "false")
  }

  /// Writes a list of strings.
  package mutating func value(_ texts: [String]) {
    begin("[")
    for text in texts { value(text) }
    end("]")
  }

  /// Writes a date in ISO 8601 with seconds, or `null`.
  package mutating func value(_ date: Date?) {
    guard let date else { return value(nil as String?) }
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // From 1600 to 9999: calendars differ before, and years have more digits after.
    guard -11_676_096_000..<253_402_300_800 ~= seconds else {
      return value(date.formatted(.iso8601))
    }
    separate()
    let (day, time) = Int(seconds).quotientAndRemainder(dividingByFloor: 86_400)
    let civil = CivilDay(number: day)
    reserve(22)
    put(UInt8(ascii: "\""))
    put(civil.year / 100)
    put(civil.year % 100)
    put(UInt8(ascii: "-"))
    put(civil.month)
    put(UInt8(ascii: "-"))
    put(civil.day)
    put(UInt8(ascii: "T"))
    put(time / 3_600)
    put(UInt8(ascii: ":"))
    put(time / 60 % 60)
    put(UInt8(ascii: ":"))
    put(time % 60)
    put(UInt8(ascii: "Z"))
    put(UInt8(ascii: "\""))
  }

  private mutating func separate() {
    if needsComma {
      reserve(1)
      put(UInt8(ascii: ","))
    }
    needsComma = true
  }

  /// Appends a number in two digits, for which there is room.
  private mutating func put(_ number: Int) {
    put(UInt8(ascii: "0") + UInt8(number / 10))
    put(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Appends a number in as few digits as it takes; there is room for 20 bytes.
  private mutating func putDecimal(_ number: Int) {
    if number < 0 { put(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let first = count
    repeat {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var digits = UnsafeMutableBufferPointer(start: start + first, count: count - first)
    digits.reverse()
  }

  /// Whether eight bytes from a place on are printable ASCII that needs no escape.
  @inline(__always)
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    let word = UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // The high bit of each byte that may need an escape; those beyond ASCII have it already.
    var found = word | (word &- ones &* 0x20)
    found |= (word ^ ones &* 0x22) &- ones
    found |= (word ^ ones &* 0x5C) &- ones
    found |= (word ^ ones &* 0x7F) &- ones
    return found & highs == 0
  }

  /// Appends the UTF-8 of a text with the escapes of the encoder, and of `JSON.escaped`.
  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var place = 0
    // Where what is not yet appended begins.
    var plain = 0
    while place < text.count {
      if place + 8 <= text.count, Self.isPlain(text, place) {
        place += 8
        continue
      }
      let byte = text[place]
      // The bytes with which characters that steer a terminal begin, as in `JSON.escaped`.
      let isPlain =
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
        && byte != 0xC2 && byte != 0xE2 && byte != 0xF3
      if isPlain {
        place += 1
        continue
      }
      append(text[plain..<place])
      let begin = place
      place += Self.length(of: byte)
      if byte >= 0x80 {
        let character = String(decoding: text[begin..<place], as: UTF8.self)
        guard character.unicodeScalars.contains(where: \.steersTerminal) else {
          plain = begin
          continue
        }
        for unit in character.utf16 { appendEscape(unit) }
      } else {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case 0x08: append("\\b" as StaticString)
        case 0x09: append("\\t" as StaticString)
        case 0x0A: append("\\n" as StaticString)
        case 0x0C: append("\\f" as StaticString)
        case 0x0D: append("\\r" as StaticString)
        default: appendEscape(UInt16(byte))
        }
      }
      plain = place
    }
    append(text[plain..<place])
  }

  /// How many bytes a character has that begins with `byte`.
  private static func length(of byte: UInt8) -> Int {
    switch byte {
    case 0xC2: 2
    case 0xE2: 3
    case 0xF3: 4
    default: 1
    }
  }

  private mutating func appendEscape(_ unit: UInt16) {
    append("\\u" as StaticString)
    reserve(4)
    for shift in stride(from: 12, through: 0, by: -4) {
      put(Self.digits[Int(unit >> UInt16(shift) & 15)])
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

extension Int {
  /// The quotient rounded down, and the remainder, which is not negative.
  fileprivate func quotientAndRemainder(dividingByFloor divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
