/// The response of a terminal to a query for its background (OSC 11) or for image support (kitty's
/// APC). Other responses are recognized but ignored.
enum TerminalAnswer {
  /// The maximum length of a response in bytes. Longer input isn't decoded as a response.
  static let longest = 64

  /// The result of reading a response.
  enum Reading {
    /// A response, with its length in bytes. The event is nil if the response is unknown.
    case read(length: Int, InputEvent?)
    /// The start of a response, whose rest hasn't arrived.
    case incomplete
    /// Input longer than any expected response. No byte up to its end is a key.
    case tooLong
  }

  /// Whether an escape and the next two bytes begin a response. After a key with Alt, other bytes
  /// follow.
  static func begins(_ second: UInt8, _ third: UInt8) -> Bool {
    switch second {
    case UInt8(ascii: "]"): (48...57).contains(third)
    case UInt8(ascii: "_"): third == UInt8(ascii: "G")
    case UInt8(ascii: "P"): (48...57).contains(third) || [33, 36, 43, 62, 124].contains(third)
    default: false
    }
  }

  /// Whether a byte after an escape may begin a response.
  static func mayBegin(_ second: UInt8) -> Bool {
    second == UInt8(ascii: "]") || second == UInt8(ascii: "_") || second == UInt8(ascii: "P")
  }

  /// Reads a response that begins with `ESC ]`, `ESC _` or `ESC P` and ends with BEL or ST. Invalid
  /// input ends before the first unexpected byte, so that no key is lost.
  static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
    let start = bytes.startIndex
    var end = start + 2
    while end < bytes.endIndex, isText(bytes[end]), end - start < longest { end += 1 }
    guard end < bytes.endIndex else { return .incomplete }
    if end - start == longest, isText(bytes[end]) { return .tooLong }
    guard let length = endLength(bytes[end...]) else { return .incomplete }
    guard length > 0 else { return .read(length: end - start, nil) }
    let text = String(decoding: bytes[(start + 2)..<end], as: UTF8.self)
    return .read(length: end - start + length, event(bytes[start + 1], text))
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F && byte != 0x9C }

  /// Returns the length in bytes of a terminator (BEL or ST). 0 if the bytes don't begin with a
  /// terminator, nil if more bytes are needed.
  static func endLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    switch bytes.first {
    case 0x07, 0x9C: return 1
    case 0x1B:
      guard let next = bytes.dropFirst().first else { return nil }
      return next == 0x5C ? 2 : 0
    default: return 0
    }
  }

  /// Whether a byte may continue a response after a pause. Any other byte is a key that the user
  /// pressed.
  static func mayGoOn(_ kind: UInt8, _ byte: UInt8) -> Bool {
    guard kind == UInt8(ascii: "]") else { return (0x20..<0x7F).contains(byte) }
    return Array("0123456789abcdefABCDEF/:;#rg".utf8).contains(byte)
  }

  private static func event(_ kind: UInt8, _ text: String) -> InputEvent? {
    kind == UInt8(ascii: "]") ? color(text).map(InputEvent.background) : nil
  }

  /// Parses `11;rgb:RRRR/GGGG/BBBB`, with one to four digits for each channel; nil if it isn't
  /// valid.
  private static func color(_ text: String) -> RGB? {
    let prefix = ["11;rgb:", "11;rgba:"].first(where: text.hasPrefix)
    guard let prefix else { return nil }
    let parts = text.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == (prefix == "11;rgb:" ? 3 : 4) else { return nil }
    var channels: [UInt8] = []
    for part in parts.prefix(3) {
      guard 1...4 ~= part.utf8.count, part.allSatisfy(\.isHexDigit),
        let number = Int(part, radix: 16)
      else { return nil }
      channels.append(UInt8(number * 255 / (1 << (4 * part.utf8.count) - 1)))
    }
    return RGB(channels[0], channels[1], channels[2])
  }
}
