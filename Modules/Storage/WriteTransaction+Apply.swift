import FoundationEssentials
package import Model

extension WriteTransaction {
  /// Stores an operation and updates its record. Does nothing if the operation is already stored.
  ///
  /// Operations of this replica and of others can be applied in any order: the current operation of
  /// a field is the one with the greatest (time, replica, sequence).
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func apply(_ operation: Operation) throws { try apply(operation, key: nil) }

  /// Applies an operation.
  ///
  /// - Parameters:
  ///   - operation: the operation to apply.
  ///   - key: the key of the row if the operation creates a record; nil for the next free key.
  func apply(_ operation: Operation, key: Int64?) throws {
    guard try insert(operation) else { return }
    try settle(operation, key: key)
    try regroupPending()
  }

  private static let insertion = """
    INSERT OR IGNORE INTO operation (\(Operation.columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Stores an operation. Returns false if it is already stored.
  func insert(_ operation: Operation) throws -> Bool {
    try database.execute(Self.insertion) { (parameters) throws in
      try parameters.bind(operation.dot.storedReplica)
      try parameters.bind(operation.dot.sequence)
      try parameters.bind(operation.time.packed)
      try parameters.bind(operation.group)
      try parameters.bind(operation.record.storedKind)
      try parameters.bind(operation.record.dot.storedReplica)
      try parameters.bind(operation.record.dot.sequence)
      try parameters.bind(operation.field.rawValue)
      try parameters.bind(database.coder.stored(operation.value, of: operation.field))
      try parameters.bind(database.coder.stored(operation.previous, of: operation.field))
      try parameters.bind(
        operation.basis.isEmpty ? nil : OperationCoder.packed(operation.basis))
    }
    return database.changesCount > 0
  }

  /// Updates the record of a stored operation.
  ///
  /// - Parameters:
  ///   - operation: the stored operation.
  ///   - key: the key of the row if the operation creates a record; nil for the next free key. With
  ///     a key, highlights that wait for the document are not created.
  func settle(_ operation: Operation, key: Int64? = nil) throws {
    // No other replica can know a record that this transaction has created.
    if operation.record == newRecord {
      guard operation.field == .created else { return try project(operation) }
      guard try createRow(operation), database.changesCount == 1 else {
        newRecord = nil
        return
      }
      newKey = database.lastInsertedRowID
      return
    }
    if operation.field != .purged, try isPurged(operation.record) {
      return try purge(operation.record)
    }
    if operation.field == .created {
      guard try createRow(operation, key: key) else { return }
      // Changes may have arrived before the record's creation.
      for other in try operations(on: operation.record)
      where other.field != .created && other.isReadable {
        try project(other)
      }
    } else if operation.field == .path, case .document(let id) = operation.record {
      // Each device has a separate path for the document.
      if let key = try documentKey(id) { try projectPath(of: id, key: key) }
    } else if operation.isReadable, try holds(operation) {
      try project(operation)
    }
    if key == nil, case .document(let id) = operation.record, operation.field == .created {
      // Highlights may have arrived before their document.
      try createWaitingHighlights(of: id)
    }
  }

  private func holds(_ operation: Operation) throws -> Bool {
    try first(
      """
      SELECT 1 FROM \(Operation.changes(of: "?1", "?2"))
      WHERE field = ?3 AND (time, replica, sequence) > (?4, ?5, ?6) AND \(Operation.isReadable)
      LIMIT 1
      """,
      [
        operation.record.dot.sequence, operation.record.dot.storedReplica,
        operation.field.rawValue, operation.time.packed, operation.dot.storedReplica,
        operation.dot.sequence,
      ]
    ) { _ in true } == nil
  }

  /// Creates a record's row. Returns false if that is not possible yet, or if the record is purged.
  private func createRow(_ operation: Operation, key row: Int64? = nil) throws -> Bool {
    let time = operation.time.milliseconds
    if operation.record != newRecord, try isPurged(operation.record) { return false }
    switch operation.record {
    case .document(let id):
      try execute(
        """
        INSERT OR IGNORE INTO document (key, replica, sequence, created, updated, bound)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          row, id.dot.storedReplica, id.dot.sequence, time, time, operation.record == newRecord,
        ])
      try expectAliases(of: id)
      return true
    case .highlight(let id):
      guard case .reference(let document) = operation.value else { return false }
      guard let place = try homePlace(Document.ID(document)) else {
        try execute(
          """
          INSERT OR IGNORE INTO waiting (document_sequence, document_replica, sequence, replica)
          VALUES (?, ?, ?, ?)
          """,
          [document.sequence, document.storedReplica, id.dot.sequence, id.dot.storedReplica])
        return false
      }
      try execute(
        """
        INSERT OR IGNORE INTO highlight (key, replica, sequence, document, home, created, updated)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          row, id.dot.storedReplica, id.dot.sequence, place.document, place.home, time, time,
        ])
      return true
    case .library, .other: return false
    }
  }

  /// Returns whether a record was purged, by an operation that is stored in this library.
  ///
  /// - Throws: `StoreError.damaged` if the operation is damaged; another ``StoreError`` if the
  ///   database cannot be read.
  package func isPurged(_ record: RecordReference) throws -> Bool {
    try latestTime(of: .purged, on: record) != nil
  }

  /// Purges a record: deletes its row and the values of its operations. The operations themselves
  /// are kept, because each replica's operations are numbered without gaps.
  func purge(_ record: RecordReference) throws {
    if record == newRecord { newRecord = nil }
    switch record {
    case .document(let id): try purgeRow(of: id)
    case .highlight(let id): try purgeRow(of: id)
    case .library, .other: return
    }
    try execute(
      """
      UPDATE operation SET value = NULL, previous = NULL
      WHERE (sequence, replica) IN (
        SELECT sequence, replica FROM \(Operation.changes(of: "?1", "?2")) WHERE field <> 'purged')
      """, [record.dot.sequence, record.dot.storedReplica])
  }

  func createWaitingHighlights(of document: Document.ID) throws {
    let arguments: Arguments = [document.dot.sequence, document.dot.storedReplica]
    let waiting = try list(
      "SELECT replica, sequence FROM waiting WHERE document_sequence = ? AND document_replica = ?",
      arguments
    ) { Highlight.ID(try $0.dot(0)) }
    guard !waiting.isEmpty else { return }
    try execute(
      "DELETE FROM waiting WHERE document_sequence = ? AND document_replica = ?", arguments)
    for id in waiting {
      let operations = try operations(on: .highlight(id))
      if let birth = operations.first(where: { $0.field == .created }), try highlightKey(id) == nil,
        try !createRow(birth)
      {
        continue
      }
      for other in operations where other.field != .created && other.isReadable {
        try project(other)
      }
    }
  }

  func documentKey(_ id: Document.ID) throws -> Int64? {
    if newRecord == .document(id) { return newKey }
    return try first(
      "SELECT key FROM document WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  func highlightKey(_ id: Highlight.ID) throws -> Int64? {
    if newRecord == .highlight(id) { return newKey }
    return try first(
      "SELECT key FROM highlight WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  /// Writes an operation's value to the record's row. Fields that this version of Diple does not
  /// know are ignored; their operations stay stored.
  func project(_ operation: Operation) throws {
    let time = operation.time.milliseconds
    if operation.field == .purged { return try purge(operation.record) }
    switch operation.record {
    case .document(let id):
      guard let key = try documentKey(id) else { return }
      switch (operation.field, operation.value) {
      case (.path, .text(let path)):
        if operation.record == newRecord, operation.dot.replica == replica {
          try execute("UPDATE document SET path = ? WHERE key = ?", [path, key])
        } else {
          try projectPath(of: id, key: key)
        }
      case (.title, .text(let title)):
        try execute("UPDATE document SET title = ? WHERE key = ?", [title, key])
      case (.trashed, .flag(let isTrashed)):
        try execute(
          "UPDATE document SET trashed = (? OR alias IS NOT NULL) WHERE key = ?", [isTrashed, key])
      default:
        if let other = operation.field.alias, case .flag(let isSame) = operation.value {
          try projectAlias(other, isSame, document: key)
        } else if let variable = operation.field.source {
          try projectSource(variable, operation.value, document: key)
        } else if let property = operation.field.property {
          try projectProperty(property, operation.value, document: key)
        }
      }
      try touch("document", key, time)
    case .highlight(let id):
      guard let key = try highlightKey(id) else { return }
      try project(operation.field, operation.value, highlight: key, time)
    case .library:
      guard case .text(let text) = operation.value else { return }
      if let color = operation.field.labelled {
        try execute(
          "INSERT OR REPLACE INTO color_label (color, name) VALUES (?, ?)", [color.rawValue, text])
      } else if let name = operation.field.query {
        try execute("INSERT OR REPLACE INTO saved_query (name, value) VALUES (?, ?)", [name, text])
      } else if let property = operation.field.property {
        try projectProperty(property, operation.value, document: nil)
      }
    case .other: break
    }
  }

  /// Updates the date of a record's last change, unless it is later already.
  private func touch(_ table: String, _ key: Int64, _ time: Int64) throws {
    try execute("UPDATE \(table) SET updated = max(updated, ?) WHERE key = ?", [time, key])
  }

  private func project(
    _ field: Operation.Field, _ value: Operation.Value, highlight key: Int64, _ time: Int64
  ) throws {
    func set(_ column: String) throws {
      try execute(
        "UPDATE highlight SET \(column) = ?, updated = max(updated, ?) WHERE key = ?",
        [value.column, time, key])
    }
    switch (field, value) {
    // A colour that only a newer version of Diple knows is not written to the row.
    case (.color, .text(let text)) where HighlightColor(rawValue: text) != nil: try set("color")
    case (.note, .text): try set("note")
    case (.format, .text): try set("format")
    case (.origin, .text(let text)):
      // The same applies to an origin that only a newer version can read.
      guard let origin = StoredOrigin(text: text).origin else {
        return try touch("highlight", key, time)
      }
      try execute(
        """
        UPDATE highlight SET origin_key = ?, updated = max(updated, ?) WHERE key = ?
        """, [origin.fullKey, time, key])
    case (.trashed, .flag): try set("trashed")
    case (.detached, .flag): try set("detached")
    case (.document, .reference(let dot)):
      try touch("highlight", key, time)
      guard let place = try homePlace(Document.ID(dot)) else {
        // The highlight moves when the document arrives.
        try execute(
          """
          INSERT OR IGNORE INTO waiting (document_sequence, document_replica, sequence, replica)
          SELECT ?, ?, sequence, replica FROM highlight WHERE key = ?
          """, [dot.sequence, dot.storedReplica, key])
        return
      }
      let old = try first(
        """
        SELECT d.replica, d.sequence FROM highlight h
        JOIN document d ON d.key = coalesce(h.home, h.document) WHERE h.key = ?
        """, [key]
      ) { Document.ID(try $0.dot(0)) }
      try execute(
        "UPDATE highlight SET document = ?, home = ? WHERE key = ?",
        [place.document, place.home, key])
      // The highlight may have been the last one of a purged document.
      if let old, old.dot != dot, try isPurged(.document(old)) { try purgeRow(of: old) }
    case (.selector, .selector(let selector)):
      // The stored locations belong to the old selector. They are valid again if it is restored.
      try execute(
        """
        UPDATE highlight SET exact = ?, start = ?, end = ?, text_digest = ?, render_version = ?,
          selector = ?, updated = max(updated, ?)
        WHERE key = ?
        """,
        [
          selector.exact, selector.position.utf16.lowerBound, selector.position.utf16.upperBound,
          selector.textDigest?.bytes, selector.renderVersion, selector.storedHash, time, key,
        ])
    case (_, .flag(let isOn)):
      try touch("highlight", key, time)
      guard let tag = field.tag else { return }
      if isOn {
        try execute("INSERT OR IGNORE INTO tag (highlight, name) VALUES (?, ?)", [key, tag])
      } else {
        try execute("DELETE FROM tag WHERE highlight = ? AND name = ?", [key, tag])
      }
    default: try touch("highlight", key, time)
    }
  }
}

extension Operation.Value {
  /// The value of a text or flag column; nil for other values.
  fileprivate var column: (any Bindable)? {
    switch self {
    case .text(let text): text
    case .flag(let flag): flag
    default: nil
    }
  }
}
