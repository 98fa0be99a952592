public import Model

extension ParsedDocument {
  /// The line and column of a byte of the source. O(bytes before it).
  public func linePosition(ofSource byte: Int) -> LinePosition {
    let byte = min(max(0, byte), source.bytes.count)
    var line = 1
    var start = 0
    source.bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < byte {
        let next = Self.afterLineEnd(bytes, index)
        if let next, next <= byte {
          line += 1
          start = next
          index = next
        } else {
          index += 1
        }
      }
    }
    let column = String(decoding: source.bytes[start..<byte], as: UTF8.self).utf16.count + 1
    return LinePosition(line: line, column: column)
  }

  /// The byte at a line and column; nil when there is no such line or the line is shorter. The
  /// column after a line's last character is its end. O(bytes before it).
  public func sourceOffset(of position: LinePosition) -> Int? {
    guard let line = sourceLine(position.line), position.column >= 1 else { return nil }
    var units = position.column - 1
    var index = line.bytes.lowerBound
    while units > 0, index < line.bytes.upperBound {
      let byte = source.bytes[index]
      let length = byte < 0xC0 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      units -= length == 4 ? 2 : 1
      index = min(index + length, line.bytes.upperBound)
    }
    return units <= 0 ? index : nil
  }

  /// The bytes of a line, counted from 1, without its ending; nil when there is none.
  public func sourceLine(_ number: Int) -> SourceRange? {
    guard number >= 1 else { return nil }
    return source.bytes.withUnsafeBufferPointer { bytes in
      var line = 1
      var start = 0
      var index = 0
      while index < bytes.count {
        if let next = Self.afterLineEnd(bytes, index) {
          if line == number { return SourceRange(bytes: start..<index) }
          line += 1
          start = next
          index = next
        } else {
          index += 1
        }
      }
      return line == number ? SourceRange(bytes: start..<bytes.count) : nil
    }
  }

  /// The start of the next line when a line ends at an index.
  private static func afterLineEnd(_ bytes: Bytes, _ index: Int) -> Int? {
    switch bytes[index] {
    case Byte.lineFeed: index + 1
    case Byte.carriageReturn: bytes.at(index + 1) == Byte.lineFeed ? index + 2 : index + 1
    default: nil
    }
  }
}
