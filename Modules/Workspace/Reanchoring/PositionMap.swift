import Files
package import MarkdownParse
import Model
import SystemSupport

/// A compact encoding of the source positions of a rendered text. It is stored with the text, so
/// that a search can report the line of a match without parsing the file.
///
/// The map is a sequence of runs, each of one or three variable-length numbers. The first contains
/// the run's kind (see `SourceMap.Run.Kind`) and the number of UTF-16 units since the start of the
/// previous run. A synthetic run, whose text is not in the source, has no others. The second is the
/// number of lines since the previous run. The third is the column if the run is on a new line, or
/// else the number of columns since the previous run. Runs that continue the previous one are
/// omitted.
///
/// ```swift
/// let map = PositionMap(parsed.mapped)
/// map.positions(of: [0, 120])  // the source lines and columns of two offsets in the text
/// ```
package struct PositionMap {
  /// The encoded runs.
  package let bytes: [UInt8]

  fileprivate enum Kind: Int { case verbatim, atomic, synthetic }

  /// Creates a map from its encoding. Invalid bytes end the map early.
  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Encodes the source map of a document. O(bytes).
  package init(_ parsed: MappedText) {
    var writer = Writer()
    let source = parsed.source.bytes
    // The offset in the source up to which lines and columns have been counted.
    var (byte, line, column) = (parsed.source.byteOrderMark, 1, 1)
    // Advances by one byte. Returns true after a line break.
    func step() -> Bool {
      let value = source[byte]
      byte += 1
      if value == 10 || value == 13 && (byte == source.count || source[byte] != 10) {
        (line, column) = (line + 1, 1)
        return true
      }
      if value & 0xC0 != 0x80 { column += value >= 0xF0 ? 2 : 1 }
      return false
    }
    for run in parsed.map.runs {
      let text = run.text.utf16.lowerBound
      guard run.kind != .synthetic else {
        writer.append(text, line, column, .synthetic)
        continue
      }
      while byte < run.source.bytes.lowerBound { _ = step() }
      writer.append(text, line, column, run.kind == .verbatim ? .verbatim : .atomic)
      guard run.kind == .verbatim else {
        // Offsets inside an atomic run are located at its end.
        let inside = run.text.utf16.dropFirst().filter {
          !UTF16.isTrailSurrogate(parsed.text.utf16[$0])
        }
        if inside.isEmpty { continue }
        while byte < run.source.bytes.upperBound { _ = step() }
        for unit in inside { writer.append(unit, line, column, .atomic) }
        continue
      }
      // A verbatim run may span several lines, as in a code block.
      let (firstLine, firstColumn) = (line, column)
      var units = 0
      var lineUnits = firstColumn
      while byte < run.source.bytes.upperBound {
        let before = column
        guard step() else { continue }
        units += before - lineUnits + 1
        lineUnits = 1
        if byte < run.source.bytes.upperBound, line > firstLine {
          writer.append(text + units, line, 1, .verbatim)
        }
      }
    }
    bytes = writer.bytes
  }

  private struct Writer {
    var bytes: [UInt8] = []
    private var last = (text: 0, line: 1, column: 1, kind: Kind.synthetic)

    mutating func append(_ text: Int, _ line: Int, _ column: Int, _ kind: Kind) {
      let continues =
        kind == .verbatim && last.kind == .verbatim && line == last.line
        && column == last.column + text - last.text
      if continues { return }
      number((text - last.text) << 2 | kind.rawValue)
      guard kind != .synthetic else {
        (last.text, last.kind) = (text, kind)
        return
      }
      number(line - last.line)
      number(line > last.line ? column : column - last.column)
      last = (text, line, column, kind)
    }

    private mutating func number(_ value: Int) {
      var rest = UInt64(value)
      while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
  }

  /// Returns the positions of UTF-16 offsets, which must be in ascending order. O(runs up to the
  /// last one).
  func positions(of offsets: [Int]) -> [LinePosition] {
    var cursor = cursor()
    return offsets.map { cursor.position(of: $0) }
  }

  /// The UTF-16 offsets at which a new line of the source starts, ascending. O(runs).
  var lineStarts: [Int] {
    var starts: [Int] = []
    var reader = Reader(bytes: bytes)
    var line = 1
    while let run = reader.next() {
      if run.line > line { starts.append(run.text) }
      line = run.line
    }
    return starts
  }

  /// Returns a cursor at the first run.
  func cursor() -> Cursor { Cursor(Reader(bytes: bytes)) }

  /// Iterates forward through the runs.
  struct Cursor {
    private var reader: Reader
    private var here: Reader.Run
    private var following: Reader.Run?

    fileprivate init(_ reader: Reader) {
      self.reader = reader
      here = self.reader.next() ?? Reader.Run()
      following = self.reader.next()
    }

    /// Returns the position of an offset, which must not be less than the previous one. O(runs
    /// between them).
    mutating func position(of offset: Int) -> LinePosition {
      while let next = following, next.text <= offset {
        here = next
        following = reader.next()
      }
      let units = max(0, offset - here.text)
      switch here.kind {
      case .verbatim: return LinePosition(line: here.line, column: here.column + units)
      case .atomic where units == 0: return LinePosition(line: here.line, column: here.column)
      case .atomic, .synthetic:
        // Text that is not in the source has the position of the next text that is.
        var (look, next) = (reader, following)
        while let run = next, run.kind == .synthetic { next = look.next() }
        let place = next ?? here
        return LinePosition(line: place.line, column: place.column)
      }
    }
  }

  fileprivate struct Reader {
    struct Run {
      var text = 0
      var line = 1
      var column = 1
      var kind = Kind.synthetic
    }

    let bytes: [UInt8]
    private var index = 0
    private var last = Run()

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Run? {
      guard index < bytes.count, let head = number(), let kind = Kind(rawValue: Int(head & 3))
      else { return nil }
      last.text &+= Int(head >> 2)
      last.kind = kind
      guard kind != .synthetic else { return last }
      guard let lines = number(), let column = number() else { return nil }
      last.line &+= Int(lines)
      last.column = lines > 0 ? Int(column) : last.column &+ Int(column)
      return last
    }

    private mutating func number() -> UInt64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while index < bytes.count, shift < 56 {
        let byte = bytes[index]
        index += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      return nil
    }
  }
}
