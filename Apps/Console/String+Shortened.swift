import Rendering

extension String {
  /// The text on one line, without what steers a terminal, and not longer than about a line.
  /// O(1): however long the text is, only its beginning is read.
  package var shortened: String {
    if let line = shortenedASCII { return line }
    let beginning = prefix(4 * Self.shortLength)
    let line = beginning.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .sanitizedForTerminal
    let isWhole = line.count <= Self.shortLength && beginning.endIndex == endIndex
    return isWhole ? line : line.prefix(Self.shortLength - 1) + "…"
  }
  /// The same for what begins with a line of ASCII, as nearly every quote does; nil for others.
  private var shortenedASCII: String? {
    var line: [UInt8] = []
    line.reserveCapacity(Self.shortLength + 2)
    return Self.appendShortened(utf8, to: &line) ? String(decoding: line, as: UTF8.self) : nil
  }
  /// Appends bytes of ASCII as `shortened` would have them. False, with nothing appended, when there
  /// are others where it matters.
  package static func appendShortened(_ bytes: some Sequence<UInt8>, to line: inout [UInt8]) -> Bool
  {
    let start = line.count
    var isAfterBlank = false
    for byte in bytes {
      switch byte {
      case 0x09...0x0D, 0x20: isAfterBlank = line.count > start
      case 0x21...0x7E:
        if isAfterBlank { line.append(0x20) }
        isAfterBlank = false
        line.append(byte)
        if line.count - start > shortLength {
          line.removeLast(line.count - start - shortLength + 1)
          line.append(contentsOf: "…".utf8)
          return true
        }
      default:
        line.removeLast(line.count - start)
        return false
      }
    }
    return true
  }
  /// The most characters of a shortened text.
  private static var shortLength: Int { 72 }
}
