import Files
import MarkdownParse
import Model
import SystemSupport

/// Where the pieces of a rendered text stand in the lines of its source, in few bytes: what a search
/// needs of the source map, kept with the text so that no file is parsed to say where a match is.
///
/// Each run is a variable-length number (the units since the run before and the kind) and, unless it
/// merely separates, the lines since the one before and the column: the whole one on a new line,
/// else what it is more. Runs that go on where the one before would have are left out.
struct PositionMap {
  /// The encoded runs.
  let bytes: [UInt8]

  fileprivate enum Kind: Int { case verbatim, atomic, synthetic }

  /// Takes an encoded map.
  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Encodes the map of a parsed document. O(bytes).
  init(_ parsed: ParsedDocument) {
    var writer = Writer()
    let source = parsed.source.bytes
    // The place in the source up to which lines and columns are counted.
    var (byte, line, column) = (parsed.source.byteOrderMark, 1, 1)
    // Goes over a character's byte; true after the end of a line.
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
        // Inside what cannot be divided a place is that of its end.
        let inside = run.text.utf16.dropFirst().filter {
          !UTF16.isTrailSurrogate(parsed.text.utf16[$0])
        }
        if inside.isEmpty { continue }
        while byte < run.source.bytes.upperBound { _ = step() }
        for unit in inside { writer.append(unit, line, column, .atomic) }
        continue
      }
      // Such a run may have several lines: those of a block of code.
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
      let goesOn =
        kind == .verbatim && last.kind == .verbatim && line == last.line
        && column == last.column + text - last.text
      if goesOn { return }
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

  /// The places of units of the text, which must come in order. O(runs up to the last).
  func positions(of offsets: [Int]) -> [LinePosition] {
    var cursor = cursor()
    return offsets.map { cursor.position(of: $0) }
  }

  /// The units of the text, ascending, at which a line of the source begins. O(runs).
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

  /// A cursor at the first run.
  func cursor() -> Cursor { Cursor(Reader(bytes: bytes)) }

  /// Goes forward through the runs.
  struct Cursor {
    private var reader: Reader
    private var here: Reader.Run
    private var following: Reader.Run?

    fileprivate init(_ reader: Reader) {
      self.reader = reader
      here = self.reader.next() ?? Reader.Run()
      following = self.reader.next()
    }

    /// The place of a unit of the text, which must not lie before the last one asked for. O(runs
    /// between the two).
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
        // What is not in the source has the place of what comes after it.
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
