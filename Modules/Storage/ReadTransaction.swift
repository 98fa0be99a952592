import FoundationEssentials
import GRDB
package import Model

/// One consistent state of the database. It must not be kept after the call that gave it.
package class ReadTransaction {
  let database: Database

  init(_ database: Database) { self.database = database }

  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
  }

  /// Makes a value of each row while it is at hand: nothing is copied.
  func values<T>(
    _ sql: String, _ arguments: StatementArguments = [], _ make: (Row) throws -> T
  ) throws -> [T] {
    let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    var values: [T] = []
    while let row = try cursor.next() { values.append(try make(row)) }
    return values
  }

  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(database.cachedStatement(sql: sql), arguments: arguments)
  }

  // MARK: - Documents

  /// The documents in the order of their paths.
  package func documents(includingRemoved: Bool) throws -> [Document] {
    let condition = includingRemoved ? "" : "WHERE d.trashed = 0"
    return try values(
      "SELECT \(Document.columns) FROM document d \(condition) ORDER BY d.path", [], Document.init)
  }

  /// The documents whose files were not there when they were last looked for.
  package func missingDocuments() throws -> [Document] {
    try values(
      "SELECT \(Document.columns) FROM document d WHERE d.trashed = 0 AND d.present = 0", [],
      Document.init)
  }

  /// The document with an identity, removed ones too.
  package func document(_ id: Document.ID) throws -> Document? {
    try row(
      "SELECT \(Document.columns) FROM document d WHERE d.sequence = ? AND d.replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ).map(Document.init)
  }

  /// The document at a path; a live one rather than a removed one.
  package func document(at path: DocumentPath) throws -> Document? {
    try row(
      "SELECT \(Document.columns) FROM document d WHERE d.path = ? ORDER BY d.trashed LIMIT 1",
      [path.string]
    ).map(Document.init)
  }

  /// The documents whose identity's text begins with a prefix. Where the prefix is a whole sequence
  /// number, longer numbers are not meant.
  package func documentIDs(withPrefix prefix: String) throws -> [Document.ID] {
    try dots(in: "document", withPrefix: prefix).map(Document.ID.init)
  }

  /// What was last seen of a document's file.
  package func revision(of document: Document.ID) throws -> Revision? {
    guard
      let row = try row(
        """
        SELECT source_digest, text_digest, render_version, size, mtime, ctime, inode, device,
          checked, seen
        FROM document WHERE sequence = ? AND replica = ?
        """, [document.dot.sequence, document.dot.storedReplica]),
      let source = ContentDigest(row[0] as Data?), let text = ContentDigest(row[1] as Data?)
    else { return nil }
    return Revision(
      sourceDigest: source, textDigest: text, renderVersion: row[2],
      stamp: FileStamp(
        size: row[3], mtime: row[4], ctime: row[5], inode: UInt64(bitPattern: row[6]),
        device: UInt64(bitPattern: row[7]), checked: row[8]), seen: Date(milliseconds: row[9]))
  }

  /// A rendered text that was seen, by its hash; nil when it is not kept, or damaged.
  package func snapshot(_ digest: ContentDigest, of document: Document.ID) throws -> String? {
    try row(
      """
      SELECT s.data, s.size FROM snapshot s JOIN document d ON d.key = s.document
      WHERE s.digest = ? AND d.sequence = ? AND d.replica = ?
      """, [digest.data, document.dot.sequence, document.dot.storedReplica]
    ).flatMap { Compression.text(from: $0[0], size: $0[1]) }
  }

  // MARK: - Highlights

  /// The highlights that a filter lets through, by document path and place; orphans come last in
  /// each document.
  package func highlights(_ filter: HighlightFilter) throws -> [Highlight] {
    var conditions: [String] = []
    var arguments = StatementArguments()
    switch filter.trash {
    case .excluded: conditions.append("h.trashed = 0 AND d.trashed = 0")
    case .included: break
    case .only: conditions.append("h.trashed = 1")
    }
    if let documents = filter.documents {
      let tests = documents.map { _ in "(d.sequence = ? AND d.replica = ?)" }
      conditions.append(tests.isEmpty ? "FALSE" : "(" + tests.joined(separator: " OR ") + ")")
      for id in documents { arguments += [id.dot.sequence, id.dot.storedReplica] }
    }
    if let colors = filter.colors {
      conditions.append("h.color IN (\(Self.marks(colors.count)))")
      arguments += StatementArguments(colors.map(\.rawValue).sorted())
    }
    for tag in filter.tags {
      conditions.append("EXISTS (SELECT 1 FROM tag WHERE highlight = h.key AND name = ?)")
      arguments += [tag]
    }
    if let states = filter.states {
      conditions.append("coalesce(a.state, 'orphaned') IN (\(Self.marks(states.count)))")
      arguments += StatementArguments(states.map(\.rawValue).sorted())
    }
    if let since = filter.since {
      conditions.append("h.updated >= ?")
      arguments += [since.milliseconds]
    }
    let clause = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let found = try values(
      """
      SELECT \(Highlight.columns(context: !filter.omitsContext)) FROM \(Highlight.listing) \(clause)
      ORDER BY d.path, d.key
      """, arguments, Highlight.init)
    return try labelled(Self.orderedByPlace(found))
  }

  /// Orders the highlights of each document, whose rows come one after another. SQLite's own sorter
  /// would write every column of every row into a temporary tree and read it again.
  private static func orderedByPlace(_ highlights: [Highlight]) -> [Highlight] {
    var order = Array(highlights.indices)
    var start = 0
    while start < highlights.count {
      let document = highlights[start].document
      let end =
        highlights[start...].firstIndex { $0.document != document } ?? highlights.endIndex
      order[start..<end].sort { highlights[$0].comesBefore(highlights[$1]) }
      start = end
    }
    return order.map { highlights[$0] }
  }

  /// The highlights with what their colours mean.
  private func labelled(_ highlights: [Highlight]) throws -> [Highlight] {
    let labels = try labels()
    guard !labels.isEmpty else { return highlights }
    return highlights.map { highlight in
      var highlight = highlight
      highlight.label = labels[highlight.color]
      return highlight
    }
  }

  private static func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }

  /// The highlight with an identity, trashed ones too.
  package func highlight(_ id: Highlight.ID) throws -> Highlight? {
    try row(
      """
      SELECT \(Highlight.columns()) FROM \(Highlight.source) WHERE h.sequence = ? AND h.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica]
    ).flatMap { try labelled([Highlight($0)]).first }
  }

  /// The highlights whose identity's text begins with a prefix, as for documents.
  package func highlightIDs(withPrefix prefix: String) throws -> [Highlight.ID] {
    try dots(in: "highlight", withPrefix: prefix).map(Highlight.ID.init)
  }

  /// How many live highlights each document has, by state.
  package func highlightCounts() throws -> [Document.ID: [AnchorState: Int]] {
    var counts: [Document.ID: [AnchorState: Int]] = [:]
    let rows = try rows(
      """
      SELECT d.replica, d.sequence, coalesce(a.state, 'orphaned'), count(*)
      FROM \(Highlight.source) WHERE h.trashed = 0 AND d.trashed = 0 GROUP BY d.key, 3
      """)
    for row in rows {
      guard let state = AnchorState(rawValue: row[2]) else { continue }
      counts[Document.ID(Dot(replica: row[0], sequence: row[1])), default: [:]][state] = row[3]
    }
    return counts
  }

  /// The places on record of a document's highlights in one text, trashed ones too.
  package func anchors(of document: Document.ID, in text: ContentDigest, renderVersion: Int) throws
    -> [Highlight.ID: Anchor]
  {
    let rows = try rows(
      """
      SELECT h.replica, h.sequence, \(Anchor.columns)
      FROM document d CROSS JOIN highlight h ON h.document = d.key
      JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector
      WHERE d.sequence = ? AND d.replica = ? AND a.digest = ? AND a.render_version = ?
      """, [document.dot.sequence, document.dot.storedReplica, text.data, renderVersion])
    return Dictionary(
      uniqueKeysWithValues: rows.map {
        (Highlight.ID(Dot(replica: $0[0], sequence: $0[1])), Anchor($0, at: 2))
      })
  }

  /// For each highlight of a document, the newest text that is kept in which it surely had a place.
  package func lastPlaced(of document: Document.ID) throws -> [Highlight.ID: Placement] {
    let rows = try rows(
      """
      SELECT h.replica, h.sequence, a.digest, a.start, a.end
      FROM document d CROSS JOIN highlight h ON h.document = d.key
      CROSS JOIN snapshot s ON s.document = d.key
      CROSS JOIN anchor a ON a.highlight = h.key AND a.selector = h.selector AND a.digest = s.digest
      WHERE d.sequence = ? AND d.replica = ? AND a.start IS NOT NULL AND a.state <> 'doubtful'
      ORDER BY a.turn
      """, [document.dot.sequence, document.dot.storedReplica])
    var result: [Highlight.ID: Placement] = [:]
    for row in rows {
      guard let digest = ContentDigest(row[2] as Data?) else { continue }
      let start: Int = row[3]
      let end: Int = row[4]
      result[Highlight.ID(Dot(replica: row[0], sequence: row[1]))] = Placement(
        text: digest, range: TextRange(utf16: start..<end))
    }
    return result
  }

  /// The tags of live highlights with how many carry each, by name.
  package func tags() throws -> [(name: String, count: Int)] {
    try rows(
      """
      SELECT t.name, count(*) FROM tag t JOIN highlight h ON h.key = t.highlight
      JOIN document d ON d.key = h.document WHERE h.trashed = 0 AND d.trashed = 0
      GROUP BY t.name ORDER BY t.name
      """
    ).map { ($0[0], $0[1]) }
  }

  /// What the colours mean in this library; those that nobody named are left out.
  package func labels() throws -> [HighlightColor: String] {
    var labels: [HighlightColor: String] = [:]
    for row in try rows("SELECT color, name FROM color_label WHERE name <> ''") {
      guard let color = HighlightColor(rawValue: row[0]) else { continue }
      labels[color] = row[1]
    }
    return labels
  }

  /// The places of a highlight in the texts that are kept, oldest first.
  package func sightings(of id: Highlight.ID) throws -> [Sighting] {
    try values(
      """
      SELECT s.digest, s.seen, \(Anchor.columns)
      FROM anchor a JOIN highlight h ON h.key = a.highlight AND h.selector = a.selector
      JOIN snapshot s ON s.document = h.document AND s.digest = a.digest
      WHERE h.sequence = ? AND h.replica = ? ORDER BY s.turn
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { row in
      guard let digest = ContentDigest(row[0] as Data?) else { return nil }
      return Sighting(text: digest, seen: Date(milliseconds: row[1]), anchor: Anchor(row, at: 2))
    }.compactMap { $0 }
  }

  // MARK: - Operations

  /// This library's identity among its replicas.
  package func replica() throws -> ReplicaID {
    let stored: Int64 = try row("SELECT replica FROM library")?[0] ?? 0
    return ReplicaID(rawValue: UInt64(bitPattern: stored))
  }

  /// The operations of a replica after a sequence number, in order.
  package func operations(of replica: ReplicaID, after sequence: Int64, limit: Int) throws
    -> [Operation]
  {
    try rows(
      """
      SELECT \(Operation.columns) FROM operation WHERE replica = ? AND sequence > ?
      ORDER BY sequence LIMIT ?
      """, [Int64(bitPattern: replica.rawValue), sequence, limit]
    ).compactMap(Operation.init)
  }

  /// The operations on a record, oldest first.
  package func operations(on record: RecordReference) throws -> [Operation] {
    try rows(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE record_sequence = ? AND record_replica = ? ORDER BY time, replica, sequence
      """, [record.dot.sequence, record.dot.storedReplica]
    ).compactMap(Operation.init)
  }

  // MARK: - Prefixes

  private func dots(in table: String, withPrefix prefix: String) throws -> [Dot] {
    let parts = prefix.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let sequence = Int64(first), String(sequence) == first else {
      return []
    }
    let exact = try rows(
      "SELECT replica, sequence FROM \(table) WHERE sequence = ? ORDER BY replica", [sequence]
    ).map { Dot(replica: $0[0], sequence: $0[1]) }
    if parts.count == 2 { return exact.filter { $0.description.hasPrefix(prefix) } }
    if !exact.isEmpty { return exact }
    return try rows(
      "SELECT replica, sequence FROM \(table) WHERE CAST(sequence AS TEXT) GLOB ? ORDER BY sequence",
      ["\(first)*"]
    ).map { Dot(replica: $0[0], sequence: $0[1]) }
  }
}
