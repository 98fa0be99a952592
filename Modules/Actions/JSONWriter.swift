package import FoundationEssentials
package import Model
import Rendering

/// Writes JSON in the format of `JSON.line` without an encoder. It is used for long lists, for
/// which an encoder spends most of its time on dynamic type checks.
///
/// The caller must write the members of an object in the order of their names. A test compares the
/// output with that of the encoder.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.begin("{")
/// writer.key("line")
/// writer.value(12)
/// writer.end("}")
/// ```
package struct JSONWriter: ~Copyable {
  /// The output: `count` bytes in an allocation of `capacity` bytes.
  private var start: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int
  /// Whether a comma precedes the next element or member.
  private var needsComma = false

  /// Creates an empty writer.
  package init() {
    capacity = 1_024
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// Passes the output to a closure. The pointer is only valid during the call.
  package borrowing func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    body(UnsafeBufferPointer(start: start, count: count))
  }

  /// Removes the output, but keeps the allocated memory.
  package mutating func removeAll() { (count, needsComma) = (0, false) }

  /// Reserves memory for `size` more bytes.
  @inline(__always)
  private mutating func reserve(_ size: Int) {
    if capacity - count < size { grow(by: size) }
  }

  @inline(never)
  private mutating func grow(by size: Int) {
    capacity = max(2 * capacity, count + size)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }

  /// Appends a byte. The caller must have reserved capacity for it.
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

  /// Begins an object with `{` or a list with `[`.
  package mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    reserve(1)
    put(UInt8(ascii: bracket))
    needsComma = false
  }

  /// Ends an object with `}` or a list with `]`.
  package mutating func end(_ bracket: Unicode.Scalar) {
    reserve(1)
    put(UInt8(ascii: bracket))
    needsComma = true
  }

  /// Writes the name of a member. It must not need escapes, and its value must follow.
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

  /// Writes a string, or `null` for nil.
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

  /// Writes the id of a record as a string.
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

  /// Writes a value that is already encoded as JSON.
  package mutating func value(json: [UInt8]) {
    separate()
    json.withUnsafeBufferPointer { append($0[...]) }
  }

  private mutating func appendString(_ text: UnsafeBufferPointer<UInt8>) {
    // This suffices without escapes. An escape reserves its additional bytes itself.
    reserve(text.count + 2)
    put(UInt8(ascii: "\""))
    appendEscaped(text)
    reserve(1)
    put(UInt8(ascii: "\""))
  }

  /// Writes an integer, or `null` for nil.
  package mutating func value(_ number: Int?) {
    separate()
    guard let number else { return append("null" as StaticString) }
    reserve(20)
    putDecimal(number)
  }

  /// Writes a number. It must be finite.
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

  /// Writes a date in ISO 8601, rounded down to seconds, or `null` for nil.
  package mutating func value(_ date: Date?) {
    guard let date else { return value(nil as String?) }
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // The range is 1600 to 9999. Calendars differ before it, and years after it have more digits.
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

  /// Appends a number from 0 to 99 as two digits. The caller must have reserved capacity.
  private mutating func put(_ number: Int) {
    put(UInt8(ascii: "0") + UInt8(number / 10))
    put(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Appends a number in decimal digits. The caller must have reserved 20 bytes.
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

  /// Whether the eight bytes at `place` are printable ASCII that needs no escapes.
  @inline(__always)
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    let word = UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // Sets the high bit of each byte that may need an escape. Bytes outside ASCII already have it.
    var found = word | (word &- ones &* 0x20)
    found |= (word ^ ones &* 0x22) &- ones
    found |= (word ^ ones &* 0x5C) &- ones
    found |= (word ^ ones &* 0x7F) &- ones
    return found & highs == 0
  }

  /// Appends UTF-8 with the escapes of the encoder and of `JSON.escaped`.
  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var place = 0
    // The start of the bytes that were not appended yet.
    var plain = 0
    while place < text.count {
      if place + 8 <= text.count, Self.isPlain(text, place) {
        place += 8
        continue
      }
      let byte = text[place]
      // The excluded bytes above 0x7F are the first bytes of terminal control characters, as in
      // `JSON.escaped`.
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

  /// Returns the length in bytes of the character that begins with `byte`.
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
  /// Returns the quotient, rounded down, and the remainder, which is never negative.
  fileprivate func quotientAndRemainder(dividingByFloor divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
