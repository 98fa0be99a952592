/// Searches for the end of an MDX tag, whose attributes may be strings or expressions in braces.
/// The search may continue over several lines.
struct TagScan {
  private var depth = 0
  private var quote: UInt8 = 0
  /// Whether the text turned out not to be a tag.
  private(set) var isBroken = false

  init() {}

  /// Restores the state that `store(in:)` saved after the last line of a block.
  init(_ node: Node) {
    depth = max(0, node.columns)
    quote = UInt8(node.fenceOffset)
  }

  /// Saves the state of the search for the next line.
  func store(in node: inout Node) {
    node.columns = depth
    node.fenceOffset = Int(quote)
  }

  /// Returns the offset of the attributes of the tag at an index; nil if there is no tag.
  static func start(_ bytes: Bytes, at index: Int, end: Int) -> Int? {
    guard index < end, bytes[index] == UInt8(ascii: "<") else { return nil }
    var next = index + 1
    if next < end, bytes[next] == UInt8(ascii: "/") { next += 1 }
    guard next < end else { return nil }
    if bytes[next] == UInt8(ascii: ">") { return next }
    guard bytes[next].isLetter else { return nil }
    while next < end, bytes[next].isNameByte || bytes[next] == UInt8(ascii: ".") { next += 1 }
    guard next < end else { return next }
    return bytes[next].isSpace || "/>{".utf8.contains(bytes[next]) ? next : nil
  }

  /// Returns the offset after the tag's `>`; nil if the tag doesn't end before `limit`.
  mutating func end(_ bytes: Bytes, from start: Int, to limit: Int) -> Int? {
    for index in start..<max(start, limit) {
      let byte = bytes[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): quote = byte
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth < 0 {
          isBroken = true
          return nil
        }
      case UInt8(ascii: ">") where depth == 0: return index + 1
      case UInt8(ascii: "<") where depth == 0:
        isBroken = true
        return nil
      default: break
      }
    }
    return nil
  }
}
