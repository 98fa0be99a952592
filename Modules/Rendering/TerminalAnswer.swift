/// What a terminal answers when it is asked for its background (OSC 11).
enum TerminalAnswer {
  /// The most bytes of an answer; what is longer is none.
  static let longest = 64

  /// Reads `ESC ] … BEL` or `ESC ] … ESC \`, which begins with the first two of these bytes.
  ///
  /// - Returns: its length with the event, if it is one that is known; nil when more must come. What
  ///   cannot be an answer ends before the first byte that is none of it, so that no key is lost.
  static func read(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> (length: Int, event: InputEvent?)?
  {
    let start = bytes.startIndex
    var end = start + 2
    while end < bytes.endIndex, (0x20..<0x7F).contains(bytes[end]), end - start < longest {
      end += 1
    }
    guard end < bytes.endIndex else { return isFinal ? (end - start, nil) : nil }
    let isBell = bytes[end] == 0x07
    if !isBell, bytes[end] == 0x1B, end + 1 == bytes.endIndex, !isFinal { return nil }
    let isString = end + 1 < bytes.endIndex && bytes[end] == 0x1B && bytes[end + 1] == 0x5C
    guard isBell || isString else { return (end - start, nil) }
    let text = String(decoding: bytes[(start + 2)..<end], as: UTF8.self)
    return (end - start + (isBell ? 1 : 2), color(text).map(InputEvent.background))
  }

  /// `11;rgb:RRRR/GGGG/BBBB`, with one to four digits for each part.
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
