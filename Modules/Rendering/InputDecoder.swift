/// Decodes the bytes that a terminal sends into events: UTF-8, the key sequences of xterm and the
/// Linux console, the mouse in SGR format (1006) and bracketed paste (2004).
///
/// Unknown sequences are dropped completely and never decoded as text.
///
/// ```swift
/// var decoder = InputDecoder()
/// let events = decoder.feed("a\u{1B}[A".utf8)  // [.key(.character("a")), .key(.up)]
/// ```
package struct InputDecoder: Sendable {
  private var bytes: [UInt8] = []
  private var pasted: [UInt8]?
  /// The length of a response or sequence that was incomplete when a pause ended. The bytes that
  /// follow complete it, or it is dropped. It is never decoded as keys.
  private var stale = 0
  /// Whether the rest of a response that was too long is being skipped.
  private var isSkipping = false

  /// The maximum length of a control sequence, in bytes. Longer input isn't decoded as a sequence.
  private static let longestSequence = 64
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  package init() {}

  /// Whether bytes are pending. A lone escape is a key if nothing follows it soon; see `flush()`.
  package var isWaiting: Bool { isSkipping || !bytes.isEmpty && pasted == nil && stale == 0 }

  /// Adds bytes, and returns the events that they complete.
  package mutating func feed(_ new: some Sequence<UInt8>) -> [InputEvent] {
    bytes += new
    return decode(isFinal: false)
  }

  /// Decodes the pending bytes after a pause, and returns their events.
  package mutating func flush() -> [InputEvent] {
    if isSkipping {
      isSkipping = false
      bytes = []
    }
    return pasted == nil && stale == 0 ? decode(isFinal: true) : []
  }

  private mutating func decode(isFinal: Bool) -> [InputEvent] {
    var events: [InputEvent] = []
    var index = 0
    if stale > 0, !continues { (index, stale) = (stale, 0) }
    while index < bytes.count {
      if isSkipping {
        guard let length = skip(from: index) else { break }
        index += length
        continue
      }
      if pasted != nil {
        guard let end = takePaste(from: &index) else { break }
        events.append(.paste(end))
        continue
      }
      guard let length = next(at: index, isFinal, &events) else { break }
      (index, stale) = (index + length, 0)
    }
    bytes.removeFirst(min(index, bytes.count))
    if isFinal, pasted == nil { stale = bytes.count }
    return events
  }

  /// Whether the bytes after a pause continue the sequence before it.
  private var continues: Bool {
    guard bytes.count > stale, stale > 1 else { return true }
    let kind = bytes[1]
    if kind == UInt8(ascii: "[") { return (0x20...0x7E).contains(bytes[stale]) }
    if bytes[stale - 1] == 0x1B { return bytes[stale] == 0x5C }
    return bytes[stale...].prefix(TerminalAnswer.longest)
      .prefix { $0 != 0x07 && $0 != 0x9C && $0 != 0x1B }
      .allSatisfy { TerminalAnswer.mayGoOn(kind, $0) }
  }

  /// Returns the length of the rest of a response that is being skipped. The rest ends at the end
  /// of the response, or before a key that responses don't contain. Nil if more bytes are needed.
  private mutating func skip(from index: Int) -> Int? {
    let rest = bytes[index...]
    let end = rest.firstIndex { $0 < 0x20 || $0 == 0x7F || $0 == 0x9C } ?? rest.endIndex
    guard end < rest.endIndex else { return rest.count }
    guard let length = TerminalAnswer.endLength(rest[end...]) else {
      return end > index ? end - index : nil
    }
    isSkipping = false
    return end - index + length
  }

  /// Returns the pasted text if its end was received; nil otherwise.
  private mutating func takePaste(from index: inout Int) -> String? {
    let rest = bytes[index...]
    let end = Self.pasteEnd
    if let start = rest.indices.first(where: { rest[$0...].starts(with: end) }) {
      pasted? += rest[..<start]
      index = start + end.count
      defer { pasted = nil }
      return String(decoding: pasted ?? [], as: UTF8.self)
    }
    // The last bytes may be the start of the end marker.
    let kept = min(rest.count, end.count - 1)
    pasted? += rest.dropLast(kept)
    index = bytes.count - kept
    return nil
  }

  /// Decodes the input at an index, and returns its length; nil if more bytes are needed.
  private mutating func next(at index: Int, _ isFinal: Bool, _ events: inout [InputEvent]) -> Int? {
    let byte = bytes[index]
    if byte == 0x1B { return escape(at: index, isFinal, &events) }
    if let key = Self.control(byte) {
      events.append(key)
      return 1
    }
    let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    guard index + length <= bytes.count else {
      if isFinal { return bytes.count - index }
      return nil
    }
    let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
    for character in text where character != "\u{FFFD}" {
      events.append(.key(.character(character)))
    }
    return length
  }

  private static func control(_ byte: UInt8) -> InputEvent? {
    switch byte {
    case 0x0D, 0x0A: .key(.enter)
    case 0x09: .key(.tab)
    case 0x7F, 0x08: .key(.backspace)
    case 0x00: .key(.character(" "), .control)
    case 0x01...0x1A: .key(.character(Character(Unicode.Scalar(byte + 0x60))), .control)
    case 0x1C...0x1F: .key(.character(Character(Unicode.Scalar(byte + 0x40))), .control)
    default: nil
    }
  }

  private mutating func escape(at index: Int, _ isFinal: Bool, _ events: inout [InputEvent]) -> Int?
  {
    guard index + 1 < bytes.count else {
      guard isFinal else { return nil }
      events.append(.key(.escape))
      return 1
    }
    switch bytes[index + 1] {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      var end = index + 2
      // The function keys of the Linux console are ESC [ [ and a letter.
      if end < bytes.count, bytes[end] == UInt8(ascii: "[") { end += 1 }
      while end < bytes.count, (0x20...0x3F).contains(bytes[end]) { end += 1 }
      guard end < bytes.count else {
        if end - index > Self.longestSequence { return bytes.count - index }
        // Alt+[ isn't supported as a key, because a sequence continues with a number or a sign.
        return isFinal && end - index == 2 ? 2 : nil
      }
      // A byte that no sequence contains ends the sequence, and is decoded as a separate key.
      guard (0x40...0x7E).contains(bytes[end]) else { return end - index }
      let sequence = String(decoding: bytes[index + 2..<end], as: UTF8.self)
      if sequence == "200", bytes[end] == UInt8(ascii: "~") {
        pasted = []
      } else if let event = Self.event(sequence, Character(Unicode.Scalar(bytes[end]))) {
        events.append(event)
      }
      return end + 1 - index
    case let second where TerminalAnswer.mayBegin(second) && index + 2 >= bytes.count && !isFinal:
      return nil
    case let second
    where index + 2 < bytes.count && TerminalAnswer.begins(second, bytes[index + 2]):
      switch TerminalAnswer.read(bytes[index...]) {
      case .incomplete: return nil
      case .tooLong:
        isSkipping = true
        return TerminalAnswer.longest
      case .read(let length, let event):
        if let event { events.append(event) }
        return length
      }
    case 0x1B:
      events.append(.key(.escape))
      return 1
    default:
      // Alt sends an escape before the key.
      var inner: [InputEvent] = []
      guard let length = next(at: index + 1, isFinal, &inner) else { return nil }
      events += inner.map { event in
        if case .key(let key, let modifiers) = event {
          .key(key, modifiers.union(.alt))
        } else {
          event
        }
      }
      return 1 + length
    }
  }

  /// Returns the event for a control sequence, given its parameters and its final letter; nil if it
  /// is unknown.
  private static func event(_ sequence: String, _ last: Character) -> InputEvent? {
    if sequence.hasPrefix("<"), last == "M" || last == "m" {
      return mouse(sequence.dropFirst(), isRelease: last == "m")
    }
    let numbers = sequence.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    // Modifiers are sent as their bits plus one.
    let second = numbers.count > 1 ? numbers[1] ?? 1 : 1
    let modifiers = InputEvent.Modifiers(rawValue: max(0, second - 1) & 7)
    if last == "~", let number = numbers.first ?? nil {
      return tilde[number].map { .key($0, modifiers) }
    }
    if last == "n", sequence == "0" { return .answered }
    if last == "Z" { return .key(.tab, .shift) }
    return letters[last].map { .key($0, modifiers) }
  }

  private static let letters: [Character: InputEvent.Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "M": .enter,
    "P": .function(1), "Q": .function(2), "R": .function(3), "S": .function(4),
  ]
  private static let tilde: [Int: InputEvent.Key] = [
    1: .home, 2: .function(0), 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]

  private static func mouse(_ text: Substring, isRelease: Bool) -> InputEvent? {
    let numbers = text.split(separator: ";").compactMap { Int($0) }
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
    let position = Screen.Position(row: numbers[2] - 1, column: numbers[1] - 1)
    let code = numbers[0]
    if code & 64 != 0 {
      guard code & 3 < 2 else { return nil }
      return .mouse(InputEvent.Mouse(code & 3 == 0 ? .wheelUp : .wheelDown, at: position))
    }
    let buttons: [InputEvent.Mouse.Button] = [.left, .middle, .right]
    guard code & 3 < 3 else { return nil }
    let action: InputEvent.Mouse.Action = isRelease ? .release : code & 32 != 0 ? .drag : .press
    return .mouse(InputEvent.Mouse(action, buttons[code & 3], at: position))
  }
}
