import MarkdownParse
import Model

/// The Markdown source of a document, divided into pieces of lines. Each piece has its range in the
/// rendered text, so that a page can show the source with the positions of the text.
struct SourcePieces: Sendable {
  /// One or more lines of the source, or a part of a very long line.
  struct Piece: Sendable {
    /// The bytes, including the line ending of the last line.
    var bytes: Range<Int>
    /// The part of the rendered text that begins in these bytes, with the separators after it.
    var text: Range<Int>
    /// The number of the first line, from 1.
    var line: Int
    /// Whether the first byte begins a line.
    var startsLine: Bool
  }

  /// The pieces in order. They cover the source, except for a byte order mark.
  let pieces: [Piece]
  /// The number of lines. An empty line after the last line ending isn't counted.
  let lineCount: Int
  /// The indices of the leaf blocks that have text, in order.
  private let leaves: [Int]
  private let document: ParsedDocument

  /// Divides a source. O(bytes + blocks).
  ///
  /// - Parameters:
  ///   - length: the number of bytes after which a piece ends at the next line ending.
  ///   - dividesLines: whether a line of more than twice this length is divided.
  init(_ document: ParsedDocument, length: Int, dividesLines: Bool) {
    self.document = document
    leaves = document.blocks.indices.filter {
      document.blocks[$0].firstChild < 0 && !document.blocks[$0].text.isEmpty
    }
    var (pieces, line) = ([Piece](), 1)
    var offsets = TextOffsets(document)
    document.source.bytes.withUnsafeBufferPointer { bytes in
      var place = document.source.byteOrderMark
      var (start, first, startsLine, text) = (place, 1, true, 0)
      func finish(at end: Int) {
        let textEnd = end == bytes.count ? document.text.count : offsets.offset(of: end, bytes)
        pieces.append(
          Piece(
            bytes: start..<end, text: text..<max(text, textEnd), line: first,
            startsLine: startsLine))
        (start, text) = (end, max(text, textEnd))
      }
      while place < bytes.count {
        let byte = bytes[place]
        place += 1
        if byte == 10 || byte == 13 && (place == bytes.count || bytes[place] != 10) {
          line += 1
          guard place - start >= length, place < bytes.count else { continue }
          finish(at: place)
          (first, startsLine) = (line, true)
        } else if dividesLines, byte != 13, place - start >= 2 * length, place < bytes.count,
          bytes[place] & 0xC0 != 0x80, byte == 32 || place - start >= 3 * length
        {
          finish(at: place)
          (first, startsLine) = (line, false)
        }
      }
      if start < bytes.count { finish(at: bytes.count) }
    }
    let endsWithLine = document.source.bytes.last == 10 || document.source.bytes.last == 13
    lineCount = endsWithLine ? line - 1 : line
    self.pieces = pieces
  }

  /// Converts ascending byte offsets to offsets of the text.
  private struct TextOffsets {
    private let map: SourceMap
    private let count: Int
    private var run = 0
    /// The last converted offset in the current run.
    private var known: (byte: Int, text: Int)?

    init(_ document: ParsedDocument) { (map, count) = (document.map, document.text.count) }

    /// Returns the start of the text that begins at or after a byte. All calls together are
    /// O(runs + bytes).
    mutating func offset(of byte: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
      let runs = map.runs
      while run < runs.count {
        let current = runs[runs.index(runs.startIndex, offsetBy: run)]
        let source = current.source.bytes
        if current.kind != .synthetic, source.upperBound > byte {
          if byte <= source.lowerBound { return current.text.utf16.lowerBound }
          guard current.kind == .verbatim else { return current.text.utf16.upperBound }
          var (place, text) = known ?? (source.lowerBound, current.text.utf16.lowerBound)
          while place < byte {
            let unit = bytes[place]
            text += (unit & 0xC0 != 0x80 ? 1 : 0) + (unit >= 0xF0 ? 1 : 0)
            place += 1
          }
          known = (byte, text)
          return text
        }
        run += 1
        known = nil
      }
      return count
    }
  }

  /// A stretch of a piece.
  enum Stretch {
    /// Bytes that aren't text. `before` and `after` are the offsets of the text on both sides.
    case markup(Range<Int>, before: Int, after: Int)
    /// Text that equals its bytes, in the leaf with this index.
    case text(Range<Int>, leaf: Int)
    /// Text that differs from its bytes, such as a character reference.
    case replaced(Range<Int>, bytes: Range<Int>, leaf: Int)
  }

  /// Calls `body` with the stretches of a piece, in order. O(log runs + piece).
  func eachStretch(of piece: Piece, _ body: (Stretch) -> Void) {
    let runs = document.map.runs
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      let run = runs[runs.index(runs.startIndex, offsetBy: middle)]
      if run.source.bytes.upperBound <= piece.bytes.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var (place, text) = (piece.bytes.lowerBound, piece.text.lowerBound)
    func skip(to end: Int, _ after: Int) {
      guard place < end else { return }
      body(.markup(place..<end, before: text, after: after))
      place = end
    }
    for run in runs.dropFirst(low) {
      let source = run.source.bytes
      guard source.lowerBound < piece.bytes.upperBound else { break }
      // Runs are in the order of the source. If one weren't, its bytes would already be shown.
      guard run.kind != .synthetic, source.upperBound > place else { continue }
      let begins = source.lowerBound >= piece.bytes.lowerBound
      guard run.kind == .verbatim || begins else {
        skip(to: min(source.upperBound, piece.bytes.upperBound), text)
        continue
      }
      guard source.lowerBound >= place || !begins else { continue }
      skip(to: source.lowerBound, run.text.utf16.lowerBound)
      let end = min(source.upperBound, piece.bytes.upperBound)
      let start = begins ? run.text.utf16.lowerBound : piece.text.lowerBound
      if run.kind == .verbatim {
        let stop =
          end == source.upperBound ? run.text.utf16.upperBound : start + units(in: place..<end)
        body(.text(start..<stop, leaf: leaf(at: start)))
        text = stop
      } else {
        body(.replaced(run.text.utf16, bytes: place..<end, leaf: leaf(at: start)))
        text = run.text.utf16.upperBound
      }
      place = end
    }
    skip(to: piece.bytes.upperBound, piece.text.upperBound)
  }

  private func units(in bytes: Range<Int>) -> Int {
    document.source.bytes[bytes].reduce(0) {
      $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0)
    }
  }

  /// Returns the index of the leaf block that contains an offset of the text. O(log leaves).
  private func leaf(at offset: Int) -> Int {
    var (low, high) = (0, leaves.count)
    while low < high {
      let middle = (low + high) / 2
      if document.blocks[leaves[middle]].text.utf16.upperBound <= offset {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < leaves.count ? leaves[low] : 0
  }

  /// Returns the source of a range of bytes, without control characters other than line feeds and
  /// tabs. Every line ending is a line feed.
  func shown(_ bytes: Range<Int>) -> [Character] {
    document.source.text(in: SourceRange(bytes: bytes)).map { character in
      switch character {
      case "\r\n", "\r", "\n": "\n"
      case "\t": "\t"
      default: character.sanitizedForTerminal
      }
    }
  }
}
