import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// A match as a line for people.
enum MatchLine {
  /// What stands before the words of a match: a place that an editor can open.
  static func start(
    _ path: String, _ line: Int?, _ column: Int?, _ place: SearchRequest.Place,
    _ highlight: Highlight.ID?
  ) -> String {
    let position = line.map { line in ":\(line)" + (column.map { ":\($0)" } ?? "") } ?? ""
    return "\(path)\(position): \(self.place(place, highlight))"
  }

  /// What a match that is not in a text was found in, with a blank at its end.
  static func place(_ place: SearchRequest.Place, _ highlight: Highlight.ID?) -> String {
    if place == .text { return "" }
    return place.rawValue + (highlight.map { " \($0.dot.sequence)" } ?? "") + ": "
  }

}

extension ListWriter {
  /// Writes the line of a match; on a terminal with as much around it as there is room for.
  ///
  /// - Parameters:
  ///   - path: the path of the document, sanitized for a terminal.
  ///   - start: what stands before the line.
  func write(_ match: SearchResult.Match, _ path: String, after start: String = "") {
    var line = newLine
    line.append(start)
    guard let width else {
      line.append(
        MatchLine.start(
          path, match.position?.line, match.position?.column, match.place, match.highlight))
      line.append(match.line.shortened(around: match.lineRange))
      return write(line)
    }
    line.append(path, .path)
    if let position = match.position {
      line.append(":")
      line.append(String(position.line), .position)
      line.append(":")
      line.append(String(position.column), .position)
    }
    line.append(": " + MatchLine.place(match.place, match.highlight))
    var room = width - displayWidth(of: line.text)
    // Where a path leaves too little room, the words have a row of their own.
    if room < min(24, width / 2) {
      line.breakRow()
      room = width - ListLine.indent(columns: width)
    }
    line.append(match.line, around: match.lineRange, columns: room)
    write(line)
  }
}

extension SearchResult.Match {
  /// Appends the line that `MatchRecord.plain` is, and its end. A common word has hundreds of
  /// thousands of them, so that no strings are made where the line is ASCII.
  ///
  /// - Parameter path: the path of the document, sanitized for a terminal.
  func appendLine(_ path: String, to bytes: inout [UInt8]) {
    if place == .text, let position {
      bytes.append(contentsOf: path.utf8)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: String(position.line).utf8)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: String(position.column).utf8)
      bytes.append(contentsOf: ": ".utf8)
    } else {
      bytes.append(
        contentsOf: MatchLine.start(path, position?.line, position?.column, place, highlight).utf8)
    }
    if !line.appendShortened(around: lineRange, to: &bytes) {
      bytes.append(contentsOf: line.shortened(around: lineRange).utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension String {
  /// How many units are shown before a match.
  private static var room: Int { 40 }

  /// Appends what `shortened(around:)` gives for a line of ASCII; false, with nothing appended, for
  /// others.
  fileprivate func appendShortened(around part: TextRange, to bytes: inout [UInt8]) -> Bool {
    // Only in ASCII there are as many bytes as units; a string knows of itself whether it is.
    guard utf8.count == utf16.count else { return false }
    let before = bytes.count
    let isDone = utf8.withContiguousStorageIfAvailable { line in
      let place = part.utf16.lowerBound
      guard place > Self.room, place <= line.count else {
        return Self.appendShortened(line, to: &bytes)
      }
      var start = place - Self.room
      if let blank = line[start..<start + 20].firstIndex(of: 32) { start = blank + 1 }
      bytes.append(contentsOf: "…".utf8)
      let end = Swift.min(part.utf16.upperBound + 200, line.count)
      return Self.appendShortened(line[start..<end], to: &bytes)
    }
    if isDone == true { return true }
    bytes.removeLast(bytes.count - before)
    return false
  }

  /// A line shortened so that a part of it can be seen, given in UTF-16 units.
  func shortened(around part: TextRange) -> String {
    let room = Self.room
    let limit = part.utf16.upperBound + 200
    guard part.utf16.lowerBound > room,
      let place = utf16.index(startIndex, offsetBy: part.utf16.lowerBound, limitedBy: endIndex)
    else { return shortened }
    var start = utf16.index(place, offsetBy: -room)
    // At a blank, when there is one near; never inside a pair.
    if let blank = utf16[start..<place].prefix(20).firstIndex(of: 32) {
      start = utf16.index(after: blank)
    } else if UTF16.isTrailSurrogate(utf16[start]) {
      start = utf16.index(after: start)
    }
    let end =
      utf16.index(place, offsetBy: limit - part.utf16.lowerBound, limitedBy: endIndex) ?? endIndex
    return "…" + String(self[start..<end]).shortened
  }
}
