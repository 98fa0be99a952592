package import Model

/// The start of each line of a Markdown source. A line ends with LF, CRLF or CR.
package struct SourceLines: Sendable {
  private let source: MarkdownSource
  /// The offset of each line in bytes; at least one.
  private let starts: [Int]
  /// Finds the lines of a source. O(bytes).
  package init(_ source: MarkdownSource) {
    self.source = source
    starts = source.bytes.withUnsafeBufferPointer { bytes in
      var starts = [0]
      for index in bytes.indices {
        switch bytes[index] {
        case Byte.lineFeed: starts.append(index + 1)
        case Byte.carriageReturn where bytes.at(index + 1) != Byte.lineFeed:
          starts.append(index + 1)
        default: break
        }
      }
      return starts
    }
  }

  /// Returns the line and column of a byte, both counted from 1. The column is in UTF-16 units.
  /// Offsets beyond the source are clamped. O(log lines + length of the line).
  public func position(of byte: Int) -> LinePosition {
    let byte = min(max(0, byte), source.bytes.count)
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= byte { low = middle } else { high = middle }
    }
    let start = low == 0 ? min(source.byteOrderMark, byte) : starts[low]
    let before = source.bytes[start..<byte]
    let isASCII = before.allSatisfy { $0 < 0x80 }
    let units = isASCII ? before.count : String(decoding: before, as: UTF8.self).utf16.count
    return LinePosition(line: low + 1, column: units + 1)
  }

  /// Returns the byte at a line and column. The column after the last character is the end of the
  /// line. Nil if the line doesn't exist or is too short. O(length of the line).
  package func byte(at position: LinePosition) -> Int? {
    guard let line = bytes(ofLine: position.line), position.column >= 1 else { return nil }
    var units = position.column - 1
    var index = line.bytes.lowerBound + (position.line == 1 ? source.byteOrderMark : 0)
    while units > 0, index < line.bytes.upperBound {
      let byte = source.bytes[index]
      let length = byte < 0xC0 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      units -= length == 4 ? 2 : 1
      index = min(index + length, line.bytes.upperBound)
    }
    return units <= 0 ? index : nil
  }

  /// The number of lines. An empty line after the last line ending isn't counted. O(1).
  package var count: Int {
    starts.count - (starts.count > 1 && starts.last == source.bytes.count ? 1 : 0)
  }

  /// Returns the range of a line without its ending, counted from 1; nil if there is no such line.
  /// O(1).
  package func bytes(ofLine number: Int) -> SourceRange? {
    guard number >= 1, number <= starts.count else { return nil }
    let start = starts[number - 1]
    guard number < starts.count else { return SourceRange(bytes: start..<source.bytes.count) }
    var end = starts[number] - 1
    if source.bytes[end] == Byte.lineFeed, end > start,
      source.bytes[end - 1] == Byte.carriageReturn
    {
      end -= 1
    }
    return SourceRange(bytes: start..<end)
  }
}

extension ParsedDocument {
  /// The lines of the source. O(bytes) for each access, so keep the result for several positions.
  package var sourceLines: SourceLines { SourceLines(source) }
}
