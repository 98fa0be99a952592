import FoundationEssentials
import Glibc
package import Model

/// The conversion of values to and from table columns.
extension Dot {
  var storedReplica: Int64 { Int64(bitPattern: replica.rawValue) }
}

extension Date {
  /// Milliseconds since 1970, as dates are stored.
  ///
  /// Dates after the year 6429 become the maximum. It is below the limit of
  /// `DatabaseRow.timestamp`, with room for at least 2^19 later operations of each replica.
  package var milliseconds: Int64 {
    let limit = Double((1 << 47) - (1 << 20))
    return Int64(min(max((timeIntervalSince1970 * 1000).rounded(), -limit), limit))
  }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Selector {
  /// A hash that identifies the selector in the table of anchors. Anchors of earlier selectors stay
  /// stored, and are valid again if the selector is restored.
  var storedHash: Int64 {
    Self.storedHash(
      exact: exact, prefix: prefix, suffix: suffix, start: position.utf16.lowerBound,
      end: position.utf16.upperBound)
  }

  /// Returns the same hash for the columns of a row.
  static func storedHash(exact: String, prefix: String, suffix: String, start: Int, end: Int)
    -> Int64
  {
    Int64(bitPattern: stableHash(of: [exact, prefix, suffix, String(start), String(end)]))
  }
}

extension RecordReference {
  var storedKind: Int {
    switch self {
    case .document: 1
    case .highlight: 2
    case .library: 3
    case .other(let kind, _): kind
    }
  }

  package var dot: Dot {
    switch self {
    case .document(let id): id.dot
    case .highlight(let id): id.dot
    case .library: Dot(replica: ReplicaID(rawValue: 0), sequence: 1)
    case .other(_, let dot): dot
    }
  }

  /// Reads a record's kind, and its dot in the next two columns.
  init(_ row: DatabaseRow, at index: Int) throws {
    let kind = try row.integer(index)
    switch kind {
    case 1: self = .document(Document.ID(try row.dot(index + 1)))
    case 2: self = .highlight(Highlight.ID(try row.dot(index + 1)))
    case 3: self = .library
    case 4...99: self = .other(kind: Int(kind), dot: try row.dot(index + 1))
    default: throw row.bad(index)
    }
  }
}

extension Document {
  static let columns = """
    d.replica, d.sequence, d.path, d.title, d.trashed, d.present, d.created, d.updated, d.bound,
    d.number
    """

  /// The number of columns.
  static let columnCount = 10

  init(_ row: DatabaseRow) throws { try self.init(row, of: ID(try row.dot(0)), at: 2) }

  /// Reads a document, except its identifier, from columns that begin at an index.
  init(_ row: DatabaseRow, of id: ID, at index: Int) throws {
    let isTrashed = try row.flag(index + 2)
    let isPresent = try row.flag(index + 3)
    self.init(
      id: id,
      path: DocumentPath(try row.text(index), isElsewhere: !(try row.flag(index + 6))),
      title: try row.text(index + 1),
      state: isTrashed ? .removed : isPresent ? .present : .missing,
      created: try row.date(index + 4), updated: try row.date(index + 5))
    number = try row.ifPresent(index + 7) { try row.count($0) }
  }
}

extension Anchor {
  static let columns =
    "a.start, a.end, a.state, a.score, a.runner_up, a.method, a.line, a.column"

  /// Reads an anchor from columns that begin at an index. NULL is an orphan.
  init(_ row: DatabaseRow, at index: Int) throws {
    guard !row.isNull(index + 2) else {
      self = .orphan
      return
    }
    let state: AnchorState = try row.value(index + 2)
    let range = try row.ifPresent(index, row.range)
    guard (range == nil) == (state == .orphaned) else { throw row.bad(index) }
    self.init(
      range: range, state: state, score: try row.share(index + 3),
      runnerUp: try row.share(index + 4), method: try row.strategyID(index + 5))
    line = try row.ifPresent(index + 6) {
      LinePosition(
        line: try row.count($0, upTo: DatabaseRow.textLimit),
        column: try row.count($0 + 1, upTo: DatabaseRow.textLimit))
    }
  }
}

extension Highlight {
  /// The parts of a highlight that cost more to read than a column of its row.
  struct Parts: OptionSet {
    let rawValue: UInt8
    /// The text before and after the passage.
    static let words = Parts(rawValue: 1)
    static let origin = Parts(rawValue: 2)
    static let tags = Parts(rawValue: 4)
    /// The location in the document's current text. Without it, the highlight is read as an orphan.
    static let place = Parts(rawValue: 8)
    /// The hash of the text in which the highlight was made.
    static let digest = Parts(rawValue: 16)
    static let all: Parts = [.words, .origin, .tags, .place, .digest]
  }

  /// Returns the columns that `init(_:)` reads. Columns of parts that are not in `parts` are NULL
  /// or 0.
  static func columns(_ parts: Parts = .all) -> String {
    func column(_ part: Parts, _ sql: String) -> String { parts.contains(part) ? sql : "NULL" }
    return """
      h.replica, h.sequence, d.replica, d.sequence, h.color, h.note, h.trashed, h.created,
      h.updated, h.exact, \(column(.words, passage)), h.start, h.end,
      \(column(.digest, "h.text_digest")), h.render_version, \(column(.tags, allTags)), h.detached,
      \(parts.contains(.place) ? Anchor.columns : "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"),
      \(column(.origin, importedFrom)), h.format, h.number
      """
  }

  private static let allTags = """
    CASE WHEN EXISTS (SELECT 1 FROM tag WHERE highlight = h.key)
      THEN (SELECT group_concat(name, char(31))
        FROM tag WHERE highlight = h.key) END
    """

  /// The number of columns.
  static let columnCount = 28

  /// The value of the operation that set the highlight's selector. Only the operation stores the
  /// text before and after the passage.
  private static let passage = """
    (SELECT value FROM \(Operation.changes(of: "h.sequence", "h.replica"))
      WHERE field = 'selector' ORDER BY time DESC, replica DESC, sequence DESC LIMIT 1)
    """

  /// The value of the operation that set the highlight's origin; NULL if the highlight was not
  /// imported.
  static let importedFrom = """
    CASE WHEN h.origin_key IS NOT NULL THEN
      (SELECT value FROM \(Operation.changes(of: "h.sequence", "h.replica"))
        WHERE field = 'origin' AND value IS NOT NULL
        ORDER BY time DESC, replica DESC, sequence DESC LIMIT 1) END
    """

  /// Highlights with their documents and their locations in the documents' current texts.
  static let source = "highlight h JOIN document d ON d.key = h.document \(presentPlace)"

  static let presentPlace = """
    LEFT JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector
      AND a.digest = d.text_digest AND a.render_version = d.render_version
    """

  /// Reads a highlight from the columns of ``columns(_:)``.
  ///
  /// - Parameters:
  ///   - row: the row to read.
  ///   - report: called for an invalid location; the highlight is then an orphan, because the
  ///     location can be computed again. If nil, an invalid location is thrown as an error.
  init(_ row: DatabaseRow, report: ((BadValue) -> Void)? = nil) throws {
    var selector = Selector(
      exact: try row.text(9), prefix: "", suffix: "", position: try row.range(11),
      textDigest: try row.ifPresent(13, row.digest), renderVersion: try row.count(14))
    if case .selector(let stored)? = try row.ifPresent(10, row.value) as Operation.Value? {
      (selector.prefix, selector.suffix) = (stored.prefix, stored.suffix)
    }
    self.init(
      id: ID(try row.dot(0)), document: Document.ID(try row.dot(2)), selector: selector,
      color: try row.value(4), note: try row.text(5),
      tags: try row.ifPresent(15, row.tags) ?? [], isTrashed: try row.flag(6),
      isDetached: try row.flag(16), created: try row.date(7), updated: try row.date(8),
      origin: try row.ifPresent(25) { try StoredOrigin(row: row, column: $0) } ?? nil,
      format: try row.ifPresent(26) { try row.text($0) }, anchor: .orphan)
    number = try row.ifPresent(27) { try row.count($0) }
    do { anchor = try Anchor(row, at: 17) } catch let problem as BadValue {
      guard let report else { throw problem }
      report(problem)
    }
  }
}

extension DatabaseRow {
  /// Reads the tags of a highlight, which are separated by U+001F. Returns them in byte order.
  fileprivate func tags(_ column: Int) throws -> [String] {
    let all = try text(column)
    let isOne = try withText(column) { memchr($0.baseAddress!, 0x1F, $0.count) == nil }
    if isOne { return all.isEmpty ? [] : [all] }
    return all.utf8.split(separator: 0x1F).map { String(Substring($0)) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension StoredOrigin {
  /// Reads the text of an operation. nil if it is the value of a newer version of Diple.
  init?(row: DatabaseRow, column: Int) throws {
    guard case .text(let text) = try row.value(column) as Operation.Value else { return nil }
    self.init(text: text)
  }
}

extension Highlight {
  /// The position of the highlight in the order of its document's highlights.
  var place: PlaceInDocument {
    PlaceInDocument(
      start: anchor.range?.utf16.lowerBound ?? .max, end: anchor.range?.utf16.upperBound ?? .max,
      dot: id.dot)
  }
}

/// A position in the order of a document's highlights: by start, then end, then age. Orphans are
/// last.
struct PlaceInDocument: Comparable, Hashable, Sendable {
  var start: Int
  var end: Int
  var dot: Dot

  static func < (a: Self, b: Self) -> Bool { (a.start, a.end, a.dot) < (b.start, b.end, b.dot) }
}

extension Operation {
  static let columns =
    "replica, sequence, time, act, record_kind, record_replica, record_sequence, field, value, previous, basis"

  /// The same columns, with NULL as the previous value.
  static let columnsWithoutPrevious =
    "replica, sequence, time, act, record_kind, record_replica, record_sequence, field, value, NULL, basis"

  init(_ row: DatabaseRow) throws {
    self.init(
      dot: try row.dot(0), time: try row.timestamp(2), group: try row.integer(3),
      record: try RecordReference(row, at: 4), field: Field(rawValue: try row.text(7)),
      value: try row.value(8), previous: try row.value(9),
      basis: try row.ifPresent(10) { try row.dots($0) } ?? [])
  }
}

extension DatabaseRow {
  /// Reads a timestamp. A value above `Int64.max - 1 << 32` is invalid, because counting on from it
  /// could overflow.
  func timestamp(_ column: Int) throws -> Timestamp {
    Timestamp(packed: try integer(column, in: 0...Int64.max - 1 << 32))
  }

  /// The maximum number of operations that one operation can replace.
  static let basisLimit = 1_000

  /// Reads the dots of operations, as `OperationCoder` encodes them.
  func dots(_ column: Int) throws -> [Dot] {
    let bytes = try bytes(column)
    guard !bytes.isEmpty, bytes.count % 16 == 0, bytes.count <= 16 * Self.basisLimit else {
      throw bad(column)
    }
    return try stride(from: 0, to: bytes.count, by: 16).map { start in
      func number(_ from: Int) -> UInt64 {
        bytes[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) }
      }
      let sequence = number(start + 8)
      guard 1...UInt64(Self.countLimit) ~= sequence else { throw bad(column) }
      return Dot(replica: ReplicaID(rawValue: number(start)), sequence: Int64(sequence))
    }
  }

  /// Reads the value of an operation.
  func value(_ column: Int) throws -> Operation.Value {
    if isNull(column) { return .none }
    if isText(column) { return .text(try text(column)) }
    guard isBlob(column) else { return .flag(try flag(column)) }
    guard let value = try withBytes(column, coder.value) else { throw bad(column) }
    return value
  }
}
