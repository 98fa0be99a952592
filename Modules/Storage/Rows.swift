import FoundationEssentials
import GRDB
import Model

/// How values lie in the tables.
extension Dot {
  init(replica: Int64, sequence: Int64) {
    self.init(replica: ReplicaID(rawValue: UInt64(bitPattern: replica)), sequence: sequence)
  }

  var storedReplica: Int64 { Int64(bitPattern: replica.rawValue) }
}

extension Date {
  /// Milliseconds since 1970, as dates are stored.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension ContentDigest {
  var data: Data { Data(bytes) }

  init?(_ data: Data?) {
    guard let data else { return nil }
    self.init(bytes: Array(data))
  }

  /// Reads a column without a copy between.
  init?(_ row: Row, at index: Int) {
    let bytes = (try? row.withUnsafeData(atIndex: index) { $0.map { Array($0) } }) ?? nil
    guard let bytes else { return nil }
    self.init(bytes: bytes)
  }
}

extension Operation.Value {
  /// The stored text; values of every kind can be told apart.
  var stored: String {
    switch self {
    case .none: return "null"
    case .flag(let flag): return flag ? "true" : "false"
    default:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(self) else {
        preconditionFailure("texts, ranges and identifiers can always be written as JSON")
      }
      return String(decoding: data, as: UTF8.self)
    }
  }

  init(stored: String) throws {
    switch stored {
    case "null": self = .none
    case "true": self = .flag(true)
    case "false": self = .flag(false)
    default: self = try JSONDecoder().decode(Self.self, from: Data(stored.utf8))
    }
  }
}

extension Selector {
  /// A number that stands for the selector beside its places: those of another one stay on record,
  /// and hold again when it returns.
  var storedHash: Int64 {
    Self.storedHash(
      exact: exact, prefix: prefix, suffix: suffix, start: position.utf16.lowerBound,
      end: position.utf16.upperBound)
  }

  /// The same from the columns of a row. FNV-1a; the fields are divided by a byte that UTF-8 does
  /// not have.
  static func storedHash(exact: String, prefix: String, suffix: String, start: Int, end: Int)
    -> Int64
  {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in [exact, prefix, suffix, String(start), String(end)] {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}

extension RecordReference {
  var storedKind: Int {
    switch self {
    case .document: 1
    case .highlight: 2
    case .library: 3
    }
  }

  var dot: Dot {
    switch self {
    case .document(let id): id.dot
    case .highlight(let id): id.dot
    case .library: Dot(replica: ReplicaID(rawValue: 0), sequence: 1)
    }
  }

  init?(storedKind: Int, dot: Dot) {
    switch storedKind {
    case 1: self = .document(Document.ID(dot))
    case 2: self = .highlight(Highlight.ID(dot))
    case 3: self = .library
    default: return nil
    }
  }
}

extension Document {
  static let columns =
    "d.replica, d.sequence, d.path, d.title, d.trashed, d.present, d.created, d.updated"

  init(_ row: Row) {
    let isTrashed: Bool = row[4]
    let isPresent: Bool = row[5]
    self.init(
      id: ID(Dot(replica: row[0], sequence: row[1])), path: DocumentPath(row[2]), title: row[3],
      state: isTrashed ? .removed : isPresent ? .present : .missing,
      created: Date(milliseconds: row[6]), updated: Date(milliseconds: row[7]))
  }
}

extension Anchor {
  static let columns =
    "a.start, a.end, a.state, a.score, a.runner_up, a.method, a.line, a.column"

  /// Reads an anchor whose columns begin at an index; an absent one is an orphan's.
  init(_ row: Row, at index: Int) {
    guard let stored: String = row[index + 2], let state = AnchorState(rawValue: stored) else {
      self = .orphan
      return
    }
    let start: Int? = row[index]
    let end: Int? = row[index + 1]
    var range: TextRange?
    if let start, let end, start <= end { range = TextRange(utf16: start..<end) }
    guard (range == nil) == (state == .orphaned) else {
      self = .orphan
      return
    }
    self.init(
      range: range, state: state, score: row[index + 3], runnerUp: row[index + 4],
      method: row[index + 5])
    if let line: Int = row[index + 6], let column: Int = row[index + 7] {
      self.line = LinePosition(line: line, column: column)
    }
  }
}

extension Highlight {
  /// The columns that `init(_:)` reads.
  static func columns(context: Bool = true) -> String {
    """
    h.replica, h.sequence, d.replica, d.sequence, h.color, h.note, h.trashed, h.created,
    h.updated, h.exact, \(context ? "h.prefix, h.suffix" : "'', ''"), h.start, h.end, h.text_digest, h.render_version,
    CASE WHEN EXISTS (SELECT 1 FROM tag WHERE highlight = h.key)
      THEN (SELECT group_concat(name, char(31))
        FROM (SELECT name FROM tag WHERE highlight = h.key ORDER BY name)) END,
    h.detached, \(Anchor.columns)
    """
  }

  /// Highlights with their documents and their places in the documents' present texts.
  static let source = "highlight h JOIN document d ON d.key = h.document \(presentPlace)"

  /// The same for a list by document: SQLite walks the documents in the order of their paths.
  static let listing = "document d CROSS JOIN highlight h ON h.document = d.key \(presentPlace)"

  private static let presentPlace = """
    LEFT JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector
      AND a.digest = d.text_digest AND a.render_version = d.render_version
    """

  init(_ row: Row) {
    let start: Int = row[12]
    let end: Int = row[13]
    let tags: String? = row[16]
    self.init(
      id: ID(Dot(replica: row[0], sequence: row[1])),
      document: Document.ID(Dot(replica: row[2], sequence: row[3])),
      selector: Selector(
        exact: row[9], prefix: row[10], suffix: row[11],
        position: TextRange(utf16: start..<max(start, end)),
        textDigest: ContentDigest(row, at: 14),
        renderVersion: row[15]),
      color: HighlightColor(rawValue: row[4]) ?? .yellow, note: row[5],
      tags: tags?.split(separator: "\u{1F}").map(String.init) ?? [], isTrashed: row[6],
      isDetached: row[17], created: Date(milliseconds: row[7]),
      updated: Date(milliseconds: row[8]), anchor: Anchor(row, at: 18))
  }
}

extension Highlight {
  /// Whether it stands before another of the same document: by start, then end, then age; orphans
  /// come last.
  func comesBefore(_ other: Highlight) -> Bool {
    guard let range = anchor.range else {
      return other.anchor.range == nil && id.dot.sequence < other.id.dot.sequence
    }
    guard let second = other.anchor.range else { return true }
    return (range.utf16.lowerBound, range.utf16.upperBound, id.dot.sequence)
      < (second.utf16.lowerBound, second.utf16.upperBound, other.id.dot.sequence)
  }
}

extension Operation {
  static let columns =
    "replica, sequence, time, act, record_kind, record_replica, record_sequence, field, value, previous"

  /// Nil for a record of a kind that only a newer Diple knows.
  init?(_ row: Row) throws {
    let dot = Dot(replica: row[5], sequence: row[6])
    guard let record = RecordReference(storedKind: row[4], dot: dot) else { return nil }
    self.init(
      dot: Dot(replica: row[0], sequence: row[1]), time: Timestamp(packed: row[2]), group: row[3],
      record: record, field: Field(rawValue: row[7]), value: try Value(stored: row[8]),
      previous: try Value(stored: row[9]))
  }
}
