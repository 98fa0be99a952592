import Console
import DaemonKit
import Glibc
import Model
import Rendering
import SystemSupport
import Workspace

/// The format of a match as a line.
enum MatchLine {
  /// Returns the text before the words of a match: the path, line and column, which editors can
  /// open.
  static func start(
    _ path: String, _ line: Int?, _ column: Int?, _ place: SearchRequest.Place,
    _ highlight: String?
  ) -> String {
    let position = line.map { line in ":\(line)" + (column.map { ":\($0)" } ?? "") } ?? ""
    return "\(path)\(position): \(self.place(place, highlight))"
  }

  /// Returns the kind of place in which a match was found, followed by a blank. Empty for the text
  /// of a document.
  static func place(_ place: SearchRequest.Place, _ highlight: String?) -> String {
    if place == .text { return "" }
    return place.rawValue + (highlight.map { " \($0)" } ?? "") + ": "
  }
}

extension ListWriter {
  /// Prints the line of a match. On a terminal it contains as much context as fits on a row.
  ///
  /// - Parameters:
  ///   - path: The path of the document, without control characters.
  ///   - document: The document; nil for a file outside the library.
  ///   - start: A text before the line.
  func write(
    _ match: SearchResult.Match, _ path: String, in document: Document.ID?,
    after start: String = ""
  ) {
    let destination = document.flatMap { match.destination(in: $0) }
    var line = newLine
    line.append(start)
    guard let width else {
      line.append(
        MatchLine.start(
          path, match.position?.line, match.position?.column, match.place, match.highlightName))
      line.append(match.line.shortened(around: match.lineRange))
      return write(line, about: destination)
    }
    line.append(path, .path)
    if let position = match.position {
      line.append(":")
      line.append(String(position.line), .position)
      line.append(":")
      line.append(String(position.column), .position)
    }
    line.append(": " + MatchLine.place(match.place, match.highlightName))
    var available = width - displayWidth(of: line.text)
    // If the path leaves too little room, start a new row for the words.
    if available < min(24, width / 2) {
      line.breakRow()
      available = width - ListLine.indent(columns: width)
    }
    line.append(match.line, around: match.lineRange, columns: available)
    write(line, about: destination)
  }
}

extension SearchResult.Match {
  /// The position of the match, or the highlight whose note it is in.
  fileprivate func destination(in document: Document.ID) -> Destination? {
    position.map { .place(document, $0) } ?? highlight.map { .highlight($0) }
      ?? (place == .notes ? .document(document) : nil)
  }

  /// Appends the line of `MatchRecord.plain` and a line feed.
  ///
  /// - Parameter path: The path of the document, without control characters.
  func appendLine(_ path: String, to bytes: inout [UInt8]) {
    let start = MatchLine.start(path, position?.line, position?.column, place, highlightName)
    bytes.append(contentsOf: start.utf8)
    line.appendShortened(around: lineRange, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}

/// Formats matches as the lines of `MatchRecord.plain`. A common word has hundreds of thousands of
/// matches. Therefore most lines are written without creating a string, and the start of a line is
/// created once for all its matches.
struct MatchLineFormatter: MatchFormatter {
  let paths: ShownPaths

  func append(_ found: FoundText, from first: Int, to bytes: inout [UInt8], until size: Int) -> Int
  {
    let path = paths.text(found.document.path)
    bytes.reserveCapacity(
      min(size, bytes.count + (found.matches.count - first) * (path.utf8.count + 90)))
    // The start of a line, with the path and the line number, and the line number in it.
    var (start, number): ([UInt8], Int?) = ([], nil)
    // The range of the line in the text, and whether `ShortenedLine.isPlain` is true for it.
    var (place, isPlain): (Range<Int>?, Bool) = (nil, false)
    var index = first
    while index < found.matches.count, bytes.count < size {
      let match = found.matches[index]
      index += 1
      let line = UnsafeBufferPointer(rebasing: found.text[match.line])
      if place != match.line {
        // The check reads the whole line, so it is only worthwhile for a line with several matches.
        let third = index + 1
        let isShared = third < found.matches.count && found.matches[third].line == match.line
        (place, isPlain) = (match.line, isShared && ShortenedLine.isPlain(line))
      }
      if number != match.position.line {
        number = match.position.line
        start = Array("\(path):\(match.position.line):".utf8)
      }
      bytes.append(contentsOf: start)
      let lower = match.range.lowerBound - match.line.lowerBound
      let upper = min(match.range.upperBound, match.line.upperBound) - match.line.lowerBound
      let isWritten = withUnsafeTemporaryAllocation(
        of: UInt8.self, capacity: MatchLine.columnCapacity + Excerpt.capacity
      ) { buffer in
        let output = buffer.baseAddress!
        var count = MatchLine.write(column: match.position.column, to: output)
        let excerpt = Excerpt.write(
          line, around: lower..<upper, isPlain: isPlain, to: output + count)
        count += excerpt ?? 0
        if excerpt != nil {
          output[count] = UInt8(ascii: "\n")
          count += 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(start: output, count: count))
        return excerpt != nil
      }
      if !isWritten {
        bytes.append(contentsOf: Excerpt.string(line, around: lower..<upper).utf8)
        bytes.append(UInt8(ascii: "\n"))
      }
    }
    return index
  }
}

extension MatchLine {
  /// The size of the buffer for `write(column:)` in bytes.
  fileprivate static let columnCapacity = 24

  /// Writes a column and the text after it, such as `12: `. Returns the number of bytes.
  @inline(__always)
  fileprivate static func write(column: Int, to place: UnsafeMutablePointer<UInt8>) -> Int {
    var (rest, digits) = (UInt(column), 1)
    while rest >= 10 { (rest, digits) = (rest / 10, digits + 1) }
    rest = UInt(column)
    // Write the digits from right to left.
    var index = digits
    while index > 0 {
      index -= 1
      place[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    place[digits] = UInt8(ascii: ":")
    place[digits + 1] = UInt8(ascii: " ")
    return digits + 2
  }
}

/// The part of a line that is shown for a match, with an ellipsis if its start is omitted.
private enum Excerpt {
  /// The maximum number of UTF-16 units that are shown before a match.
  private static let before = 40
  /// The excerpt begins after a blank if one of the first `border` of these units is a blank.
  private static let border = 20
  /// The maximum number of units that are read after a match.
  private static let after = 200
  private static let ellipsis: StaticString = "…"

  /// The size of the buffer for `write` and a line feed in bytes.
  static let capacity = ShortenedLine.capacity + 4

  /// Writes the excerpt. Returns the number of bytes; nil if `ShortenedLine` can't write the line.
  ///
  /// - Parameter isPlain: Whether the line is known to be plain (`ShortenedLine.isPlain`).
  static func write(
    _ line: UnsafeBufferPointer<UInt8>, around match: Range<Int>, isPlain: Bool,
    to place: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    if isPlain, let base = line.baseAddress {
      guard match.lowerBound > before else {
        return ShortenedLine(plain: line, writingTo: place).count
      }
      var start = match.lowerBound - before
      if let blank = memchr(base + start, 0x20, border) {
        start = UnsafeRawPointer(base).distance(to: blank) + 1
      }
      place.update(from: ellipsis.utf8Start, count: ellipsis.utf8CodeUnitCount)
      let end = min(match.upperBound + after, line.count)
      let text = UnsafeBufferPointer(start: base + start, count: end - start)
      let output = place + ellipsis.utf8CodeUnitCount
      return ShortenedLine(plain: text, writingTo: output).count + ellipsis.utf8CodeUnitCount
    }
    guard let start = start(in: line, before: match.lowerBound) else {
      return ShortenedLine(line, writingTo: place)?.count
    }
    let size = ellipsis.utf8CodeUnitCount
    place.update(from: ellipsis.utf8Start, count: size)
    // Each unit has at least one byte, so these bytes contain at most `after` units.
    let end = min(match.upperBound + after, line.count)
    let text = UnsafeBufferPointer(rebasing: line[start..<end])
    guard let shortened = ShortenedLine(text, writingTo: place + size) else { return nil }
    if !shortened.isCut, end < line.count,
      !UnsafeBufferPointer(rebasing: line[match.upperBound..<end]).isASCII
    {
      return nil
    }
    return shortened.count + size
  }

  /// Returns the excerpt. Supports all characters.
  static func string(_ line: UnsafeBufferPointer<UInt8>, around match: Range<Int>) -> String {
    guard let start = start(in: line, before: match.lowerBound) else {
      return string(line[...]).shortened
    }
    var (end, units) = (match.upperBound, 0)
    while end < line.count {
      let (bytes, width) = scalar(line[end])
      units += width
      if units > after { break }
      end += bytes
    }
    return "\(ellipsis)\(string(line[start..<min(end, line.count)]).shortened)"
  }

  private static func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  /// Returns the number of bytes and UTF-16 units of the scalar whose first byte is `lead`.
  private static func scalar(_ lead: UInt8) -> (bytes: Int, units: Int) {
    lead < 0x80 ? (1, 1) : lead < 0xE0 ? (2, 1) : lead < 0xF0 ? (3, 1) : (4, 2)
  }

  /// Returns the start of a match's excerpt; nil if it is the start of the line. O(1).
  private static func start(in line: UnsafeBufferPointer<UInt8>, before match: Int) -> Int? {
    guard match > before else { return nil }
    var (start, units) = (match, 0)
    while start > 0, units < before {
      start -= 1
      while start > 0, line[start] & 0xC0 == 0x80 { start -= 1 }
      units += scalar(line[start]).units
    }
    guard units > before || start > 0 else { return nil }
    // Omit a surrogate pair that exceeds the limit.
    var place = start
    units -= before
    if units > 0 {
      place += scalar(line[start]).bytes
      start = place
    }
    while place < match, units < border {
      if line[place] == 0x20 { return place + 1 }
      let (bytes, width) = scalar(line[place])
      place += bytes
      units += width
    }
    return start
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are below 0x80.
  fileprivate var isASCII: Bool { allSatisfy { $0 < 0x80 } }
}

extension String {
  /// Returns the line, shortened so that a part of it is visible. The part is in UTF-16 units.
  func shortened(around part: TextRange) -> String {
    var bytes: [UInt8] = []
    appendShortened(around: part, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the result of `shortened(around:)`.
  fileprivate func appendShortened(around part: TextRange, to bytes: inout [UInt8]) {
    let start = utf16.index(startIndex, offsetBy: part.utf16.lowerBound, limitedBy: endIndex)
    let end = utf16.index(startIndex, offsetBy: part.utf16.upperBound, limitedBy: endIndex)
    let match =
      utf8.distance(
        from: startIndex, to: start ?? startIndex)..<utf8.distance(
        from: startIndex, to: end ?? endIndex)
    var text = self
    text.withUTF8 { line in
      let isWritten = withUnsafeTemporaryAllocation(
        of: UInt8.self, capacity: Excerpt.capacity
      ) { buffer in
        guard
          let count = Excerpt.write(
            line, around: match, isPlain: false, to: buffer.baseAddress!)
        else { return false }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        return true
      }
      if !isWritten { bytes.append(contentsOf: Excerpt.string(line, around: match).utf8) }
    }
  }
}
