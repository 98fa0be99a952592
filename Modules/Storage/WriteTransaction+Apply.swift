import FoundationEssentials
package import Model

extension WriteTransaction {
  /// Stores an operation and brings the record it is about up to date. The same for operations made
  /// here and for those of other replicas, in any order: of the operations on one field of one
  /// record the one with the greatest (time, replica, sequence) holds. An operation that is known
  /// already changes nothing.
  package func apply(_ operation: Operation) throws {
    try execute(
      "INSERT OR IGNORE INTO operation (\(Operation.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        operation.dot.storedReplica, operation.dot.sequence, operation.time.packed,
        operation.group, operation.record.storedKind, operation.record.dot.storedReplica,
        operation.record.dot.sequence, operation.field.rawValue, operation.value.stored,
        operation.previous.stored,
      ])
    guard database.changesCount > 0 else { return }
    if operation.field != .purged, try isPurged(operation.record) {
      return try purge(operation.record)
    }
    if operation.field == .created {
      guard try createRow(operation) else { return }
      // Changes may have arrived before the record did.
      for other in try operations(on: operation.record) where other.field != .created {
        try project(other)
      }
    } else if try holds(operation) {
      try project(operation)
    }
    if case .document(let id) = operation.record, operation.field == .created,
      !isNewest(operation.dot)
    {
      // Highlights may have arrived before their document did, unless it begins at this moment: to
      // look for them goes through all operations.
      try createWaitingHighlights(of: id)
    }
  }

  private func holds(_ operation: Operation) throws -> Bool {
    try first(
      """
      SELECT 1 FROM operation
      WHERE record_sequence = ? AND record_replica = ? AND field = ?
        AND (time, replica, sequence) > (?, ?, ?)
      LIMIT 1
      """,
      [
        operation.record.dot.sequence, operation.record.dot.storedReplica,
        operation.field.rawValue, operation.time.packed, operation.dot.storedReplica,
        operation.dot.sequence,
      ]
    ) { _ in true } == nil
  }

  /// Makes a record's row. False when it cannot be made yet.
  private func createRow(_ operation: Operation) throws -> Bool {
    let time = operation.time.milliseconds
    if try isPurged(operation.record) { return false }
    switch operation.record {
    case .document(let id):
      try execute(
        "INSERT OR IGNORE INTO document (replica, sequence, created, updated) VALUES (?, ?, ?, ?)",
        [id.dot.storedReplica, id.dot.sequence, time, time])
      return true
    case .highlight(let id):
      guard case .reference(let document) = operation.value,
        let key = try documentKey(Document.ID(document))
      else { return false }
      try execute(
        """
        INSERT OR IGNORE INTO highlight (replica, sequence, document, created, updated)
        VALUES (?, ?, ?, ?, ?)
        """, [id.dot.storedReplica, id.dot.sequence, key, time, time])
      return true
    case .library: return false
    }
  }

  private func isPurged(_ record: RecordReference) throws -> Bool {
    try latestTime(of: .purged, on: record) != nil
  }

  /// Takes a record away for good: its row, and what its operations said. The operations
  /// themselves stay, because those of a replica are counted without gaps.
  private func purge(_ record: RecordReference) throws {
    let table: String
    switch record {
    case .document: table = "document"
    case .highlight: table = "highlight"
    case .library: return
    }
    let (sequence, replica) = (record.dot.sequence, record.dot.storedReplica)
    try execute(
      "DELETE FROM \(table) WHERE sequence = ? AND replica = ?", [sequence, replica])
    try execute(
      """
      UPDATE operation SET value = 'null', previous = 'null'
      WHERE record_sequence = ? AND record_replica = ? AND field NOT IN ('created', 'purged')
      """, [sequence, replica])
  }

  private func createWaitingHighlights(of document: Document.ID) throws {
    for creation in try operations(.created, to: document) where try createRow(creation) {
      for other in try operations(on: creation.record) where other.field != .created {
        try project(other)
      }
    }
    for move in try operations(.document, to: document) where try holds(move) {
      try project(move)
    }
  }

  private func operations(_ field: Operation.Field, to document: Document.ID) throws -> [Operation]
  {
    try list(
      "SELECT \(Operation.columns) FROM operation WHERE field = ? AND value = ?",
      [field.rawValue, Operation.Value.reference(document.dot).stored], Operation.init)
  }

  func documentKey(_ id: Document.ID) throws -> Int64? {
    try first(
      "SELECT key FROM document WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  func highlightKey(_ id: Highlight.ID) throws -> Int64? {
    try first(
      "SELECT key FROM highlight WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  /// Writes what an operation says into the record's row. Fields that this version does not know
  /// stay in the log.
  private func project(_ operation: Operation) throws {
    let time = operation.time.milliseconds
    if operation.field == .purged { return try purge(operation.record) }
    switch operation.record {
    case .document(let id):
      guard let key = try documentKey(id) else { return }
      try execute("UPDATE document SET updated = max(updated, ?) WHERE key = ?", [time, key])
      switch (operation.field, operation.value) {
      case (.path, .text(let text)):
        try execute("UPDATE document SET path = ? WHERE key = ?", [text, key])
      case (.title, .text(let text)):
        try execute("UPDATE document SET title = ? WHERE key = ?", [text, key])
      case (.trashed, .flag(let flag)):
        try execute("UPDATE document SET trashed = ? WHERE key = ?", [flag, key])
      default: break
      }
    case .highlight(let id):
      guard let key = try highlightKey(id) else { return }
      try execute("UPDATE highlight SET updated = max(updated, ?) WHERE key = ?", [time, key])
      try project(operation.field, operation.value, highlight: key)
    case .library:
      guard case .text(let text) = operation.value else { return }
      if let color = operation.field.labelled {
        try execute(
          "INSERT OR REPLACE INTO color_label (color, name) VALUES (?, ?)", [color.rawValue, text])
      } else if let name = operation.field.query {
        try execute("INSERT OR REPLACE INTO saved_query (name, value) VALUES (?, ?)", [name, text])
      }
    }
  }

  private func project(_ field: Operation.Field, _ value: Operation.Value, highlight key: Int64)
    throws
  {
    switch (field, value) {
    case (.color, .text(let text)):
      // A colour that only a newer Diple knows stays in the log.
      guard HighlightColor(rawValue: text) != nil else { return }
      try execute("UPDATE highlight SET color = ? WHERE key = ?", [text, key])
    case (.note, .text(let text)):
      try execute("UPDATE highlight SET note = ? WHERE key = ?", [text, key])
    case (.trashed, .flag(let flag)):
      try execute("UPDATE highlight SET trashed = ? WHERE key = ?", [flag, key])
    case (.detached, .flag(let flag)):
      try execute("UPDATE highlight SET detached = ? WHERE key = ?", [flag, key])
    case (.document, .reference(let dot)):
      guard let document = try documentKey(Document.ID(dot)) else { return }
      try execute("UPDATE highlight SET document = ? WHERE key = ?", [document, key])
    case (.selector, .selector(let selector)):
      // The places on record are those of other words; they hold again when these words return.
      try execute(
        """
        UPDATE highlight SET exact = ?, prefix = ?, suffix = ?, start = ?, end = ?,
          text_digest = ?, render_version = ?, selector = ? WHERE key = ?
        """,
        [
          selector.exact, selector.prefix, selector.suffix,
          selector.position.utf16.lowerBound, selector.position.utf16.upperBound,
          selector.textDigest?.bytes, selector.renderVersion, selector.storedHash, key,
        ])
    case (_, .flag(let isOn)):
      guard let tag = field.tag else { return }
      if isOn {
        try execute("INSERT OR IGNORE INTO tag (highlight, name) VALUES (?, ?)", [key, tag])
      } else {
        try execute("DELETE FROM tag WHERE highlight = ? AND name = ?", [key, tag])
      }
    default: break
    }
  }
}
