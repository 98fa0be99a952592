// Movement within the line.
extension BlockParser {
  /// The end of the line without trailing spaces.
  var contentEnd: Int {
    var end = lineEnd
    while end > nonblank, bytes[end - 1].isBlank { end -= 1 }
    return end
  }

  @inline(__always) func byte(_ index: Int) -> UInt8 { index < lineEnd ? bytes[index] : 0 }

  /// Finds the next byte that isn't a space or tab, and its column.
  mutating func findNonblank() {
    if nonblank >= offset, nonblank >= 0 {
      indent = nonblankColumn - column
      return
    }
    var index = offset
    var at = column
    while index < lineEnd {
      if bytes[index] == Byte.space {
        at += 1
      } else if bytes[index] == Byte.tab {
        at += 4 - at % 4
      } else {
        break
      }
      index += 1
    }
    nonblank = index
    nonblankColumn = at
    indent = at - column
    isBlank = index == lineEnd
  }

  /// Advances by some columns. A tab may be consumed in part.
  mutating func advance(columns: Int) {
    var rest = columns
    while rest > 0, offset < lineEnd {
      if bytes[offset] == Byte.tab {
        let width = 4 - column % 4
        let used = min(width, rest)
        column += used
        rest -= used
        isInsideTab = used < width
        if !isInsideTab { offset += 1 }
      } else {
        offset += 1
        column += 1
        rest -= 1
        isInsideTab = false
      }
    }
  }

  /// Advances to a byte of the line, and counts the columns.
  mutating func advance(to index: Int) {
    while offset < index {
      column += bytes[offset] == Byte.tab ? 4 - column % 4 : 1
      offset += 1
      isInsideTab = false
    }
  }

  mutating func consumeQuoteMarker() {
    advance(to: nonblank + 1)
    if byte(offset).isBlank { advance(columns: 1) }
    nonblank = -1
    findNonblank()
  }
}
