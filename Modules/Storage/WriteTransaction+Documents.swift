package import Model

/// The paths of documents on this device, and aliases: documents of several devices that are merged
/// into one.
extension WriteTransaction {
  /// The maximum number of documents that are merged into one: each device has its own document for
  /// a file that all have. Larger groups are left separate.
  static let aliasLimit = 64

  // MARK: - Places

  /// Whether this copy of the library made an operation, under its current or an earlier identity.
  func isOwn(_ dot: Dot) throws -> Bool {
    if dot.replica == (try replica()) { return true }
    return try first(
      "SELECT former FROM replica WHERE replica = ?", [dot.storedReplica]
    ) { try $0.count(0) }.map { dot.sequence <= $0 } ?? false
  }

  /// Updates the path of a document.
  ///
  /// The path is the first of these that exists:
  ///
  /// - the path set last on this device
  /// - the path at which the file was found on this device
  /// - the path set last on another device. In this case the document is not bound, and no file is
  ///   opened.
  func projectPath(of id: Document.ID, key: Int64) throws {
    let paths = try operations(on: .document(id)).filter { $0.field == .path }
    let ownPath = try paths.last { try isOwn($0.dot) }?.textValue
    let place = try first("SELECT place FROM document WHERE key = ? AND place IS NOT NULL", [key]) {
      try $0.text(0)
    }
    guard let path = ownPath ?? place ?? paths.last?.textValue else { return }
    try execute(
      "UPDATE document SET path = ?, bound = ? WHERE key = ?",
      [path, ownPath != nil || place != nil, key])
  }

  /// Stores the path at which a document of another device was found on this one; nil deletes it.
  ///
  /// This is a local finding and not a user action, so it creates no operation.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func bind(_ id: Document.ID, to path: DocumentPath?) throws {
    guard let key = try documentKey(id) else { return }
    try execute("UPDATE document SET place = ? WHERE key = ?", [path?.string, key])
    try projectPath(of: id, key: key)
  }

  // MARK: - Aliases

  /// Merges two documents, or separates them.
  ///
  /// - Returns: false if that changes nothing, or if a document does not exist.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setAlias(_ a: Document.ID, _ b: Document.ID, _ isSame: Bool) throws -> Bool {
    let (lesser, greater) = a < b ? (a, b) : (b, a)
    guard lesser != greater, let key = try documentKey(greater),
      try documentKey(lesser) != nil, try isAlias(key, of: lesser) != isSame
    else { return false }
    try change(
      .document(greater), .alias(lesser), to: .flag(isSame), from: .flag(!isSame))
    try regroupPending()
    return true
  }

  /// Returns all documents of a merged document's group, sorted; empty if the document is not
  /// merged.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func aliases(of id: Document.ID) throws -> [Document.ID] {
    guard let key = try documentKey(id) else { return [] }
    let members = try group(of: key)
    return members.count > 1 ? try members.map(documentID).sorted() : []
  }

  /// Whether a user marked two documents as different.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func wasSeparated(_ a: Document.ID, _ b: Document.ID) throws -> Bool {
    let (lesser, greater) = a < b ? (a, b) : (b, a)
    return try currentOperation(of: .alias(lesser), on: .document(greater))?.value == .flag(false)
  }

  private func isAlias(_ key: Int64, of other: Document.ID) throws -> Bool {
    try first(
      "SELECT 1 FROM alias WHERE document = ? AND sequence = ? AND replica = ?",
      [key, other.dot.sequence, other.dot.storedReplica]
    ) { _ in true } ?? false
  }

  /// Applies an alias operation to the `alias` table. The caller must call ``regroupPending()``
  /// afterwards.
  func projectAlias(_ other: Document.ID, _ isSame: Bool, document key: Int64) throws {
    if isSame {
      try execute(
        "INSERT OR IGNORE INTO alias (document, sequence, replica) VALUES (?, ?, ?)",
        [key, other.dot.sequence, other.dot.storedReplica])
    } else {
      try execute(
        "DELETE FROM alias WHERE document = ? AND sequence = ? AND replica = ?",
        [key, other.dot.sequence, other.dot.storedReplica])
    }
    ungrouped.insert(key)
    if let key = try documentKey(other) { ungrouped.insert(key) }
  }

  /// Schedules regrouping for documents that earlier operations merged with `id`, which has just
  /// been created.
  func expectAliases(of id: Document.ID) throws {
    let others = try list(
      "SELECT document FROM alias WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
    ungrouped.formUnion(others)
  }

  /// Returns the keys of the documents in a document's group.
  private func group(of key: Int64) throws -> Set<Int64> {
    let keys = try list(
      """
      SELECT key FROM document WHERE key = ?1 OR alias = ?1
      UNION SELECT alias FROM document WHERE key = ?1 AND alias IS NOT NULL
      UNION SELECT key FROM document
        WHERE alias = (SELECT alias FROM document WHERE key = ?1)
      """, [key]
    ) { try $0.integer(0) }
    return Set(keys)
  }

  /// Returns the keys of the documents that have an alias operation with a document, in either
  /// direction.
  private func neighbours(of key: Int64) throws -> [Int64] {
    // A purged document is never merged.
    guard try !isPurged(.document(documentID(key))) else { return [] }
    return try list(
      """
      SELECT d.key FROM alias a JOIN document d ON d.sequence = a.sequence AND d.replica = a.replica
        WHERE a.document = ?1
      UNION SELECT a.document FROM document d
        JOIN alias a ON a.sequence = d.sequence AND a.replica = d.replica WHERE d.key = ?1
      ORDER BY 1
      """, [key]
    ) { try $0.integer(0) }.filter { try !isPurged(.document(documentID($0))) }
  }

  /// Recomputes the groups of all documents whose aliases changed: merges those that are connected
  /// now, and separates the others.
  func regroupPending() throws {
    guard !ungrouped.isEmpty else { return }
    var rest: Set<Int64> = []
    for key in ungrouped { rest.formUnion(try group(of: key)) }
    ungrouped = []
    while let start = rest.min() {
      var component: Set<Int64> = [start]
      var queue = [start]
      while let key = queue.popLast(), component.count <= Self.aliasLimit * 8 {
        for next in try neighbours(of: key) where component.insert(next).inserted {
          queue.append(next)
        }
      }
      rest.subtract(component)
      let isOne = (2...Self.aliasLimit).contains(component.count)
      let members = try component.map { key in
        (key: key, id: try documentID(key))
      }.sorted { $0.id < $1.id }
      for member in members {
        try setGroup(of: member.key, to: isOne ? members[0].key : member.key)
      }
      if isOne {
        try adoptPlace(members.map(\.key))
      } else {
        for member in members { try deleteFoundPath(member.id, key: member.key) }
      }
      for member in members { try projectTrashed(member.id, key: member.key) }
    }
  }

  private func documentID(_ key: Int64) throws -> Document.ID {
    guard
      let id = try first(
        "SELECT replica, sequence FROM document WHERE key = ?", [key],
        { Document.ID(try $0.dot(0)) })
    else { throw BadValue(description: "document \(key) is missing") }
    return id
  }

  /// Assigns a document to the group of `canonical`, or makes it separate if it is `canonical`
  /// itself.
  private func setGroup(of key: Int64, to canonical: Int64) throws {
    try execute(
      "UPDATE document SET alias = ? WHERE key = ?", [canonical == key ? nil : canonical, key])
    if canonical == key {
      try execute(
        """
        UPDATE highlight SET document = ?1, home = NULL WHERE home = ?1
        """, [key])
      return
    }
    try execute(
      """
      UPDATE highlight SET document = ?2, home = ?1
      WHERE home = ?1 OR home IS NULL AND document = ?1
      """, [key, canonical])
    // Copy the document's texts to the canonical document, because its highlights were located in
    // them.
    try execute(
      """
      INSERT OR IGNORE INTO snapshot (document, digest, turn, seen, size, data, positions)
      SELECT ?2, digest, turn, seen, size, data, positions FROM snapshot WHERE document = ?1
      """, [key, canonical])
  }

  /// Gives the first document of a group the path of another member, if it has no path on this
  /// device.
  private func adoptPlace(_ members: [Int64]) throws {
    let places = try members.map { key in
      try first("SELECT path FROM document WHERE key = ? AND bound = 1", [key]) { try $0.text(0) }
    }
    guard places[0] == nil, let path = places.compactMap(\.self).first else { return }
    try bind(try documentID(members[0]), to: DocumentPath(path))
  }

  /// Deletes the found path of a document that was separated, if another document has the same
  /// path.
  private func deleteFoundPath(_ id: Document.ID, key: Int64) throws {
    let isTaken = try first(
      """
      SELECT 1 FROM document d JOIN document o ON o.path = d.place AND o.key <> d.key
      WHERE d.key = ? AND o.bound = 1 AND o.place IS NULL LIMIT 1
      """, [key]
    ) { _ in true }
    if isTaken != nil { try bind(id, to: nil) }
  }

  /// Updates whether a document is hidden: a user removed it, or it is merged into another. The
  /// placeholder of a purged document is not hidden.
  func projectTrashed(_ id: Document.ID, key: Int64) throws {
    let trashed =
      try isPurged(.document(id))
      ? nil : try operations(on: .document(id)).last { $0.field == .trashed }?.value
    try execute(
      "UPDATE document SET trashed = (? OR alias IS NOT NULL) WHERE key = ?",
      [trashed == .flag(true), key])
  }

  // MARK: - Homes of highlights

  /// The place of a document's highlights.
  struct HomePlace {
    /// The row of the document in which they are shown.
    var document: Int64
    /// The row of their original document if that document is merged; nil otherwise.
    var home: Int64?
    /// The document in which they are shown.
    var shown: Document.ID
  }

  /// Returns the place of a document's highlights; nil if the document is unknown.
  func homePlace(_ id: Document.ID) throws -> HomePlace? {
    let found = try first(
      """
      SELECT d.key, c.key, c.replica, c.sequence FROM document d
      LEFT JOIN document c ON c.key = d.alias WHERE d.sequence = ? AND d.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { row in
      let key = try row.integer(0)
      guard let canonical = try row.ifPresent(1, { try row.integer($0) }) else {
        return HomePlace(document: key, home: nil, shown: id)
      }
      return HomePlace(document: canonical, home: key, shown: Document.ID(try row.dot(2)))
    }
    if let found { return found }
    guard try isPurged(.document(id)) else { return nil }
    return HomePlace(document: try makeUnfiled(id), home: nil, shown: id)
  }

  /// Creates a placeholder for a purged document that still has a highlight, made on a device that
  /// had not received the purge.
  private func makeUnfiled(_ id: Document.ID) throws -> Int64 {
    let time =
      try operations(on: .document(id)).first { $0.field == .purged }?.time.milliseconds ?? 0
    try execute(
      """
      INSERT OR IGNORE INTO document (replica, sequence, path, created, updated, bound, number)
      VALUES (?, ?, ?, ?, ?, 0, ?)
      """,
      [
        id.dot.storedReplica, id.dot.sequence, Self.unfiledPath, time, time,
        try takeNumber(of: .document),
      ])
    guard let key = try documentKey(id) else {
      throw BadValue(description: "document \(id) was not stored")
    }
    return key
  }

  /// The path shown for a purged document that still has highlights.
  static let unfiledPath = "(deleted document)"

  /// Deletes a document's row. If it still has highlights, made on devices that had not received
  /// the purge, the row becomes a placeholder.
  func purgeRow(of id: Document.ID) throws {
    guard let key = try documentKey(id) else { return try createWaitingHighlights(of: id) }
    // The other members of the group are regrouped without this document.
    ungrouped.formUnion(try group(of: key).subtracting([key]))
    try execute("DELETE FROM alias WHERE document = ?", [key])
    try setGroup(of: key, to: key)
    for other in ungrouped { try setGroup(of: other, to: other) }
    let isLeft =
      try first(
        "SELECT 1 FROM highlight WHERE document = ?1 OR home = ?1 LIMIT 1", [key]
      ) { _ in true }
      ?? false
    if isLeft {
      try execute(
        """
        UPDATE document SET path = ?, title = '', trashed = 0, present = 0, bound = 0, place = NULL,
          alias = NULL WHERE key = ?
        """, [Self.unfiledPath, key])
      try execute("DELETE FROM document_property WHERE document = ?", [key])
      try execute("DELETE FROM source WHERE document = ?", [key])
      try execute("DELETE FROM snapshot WHERE document = ?", [key])
    } else {
      try execute("DELETE FROM document WHERE key = ?", [key])
    }
    try regroupPending()
  }

  /// Deletes a highlight's row, and its document's placeholder if this was the last highlight.
  func purgeRow(of id: Highlight.ID) throws {
    let document = try first(
      """
      SELECT d.replica, d.sequence FROM highlight h JOIN document d ON d.key = h.document
      WHERE h.sequence = ? AND h.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { Document.ID(try $0.dot(0)) }
    try execute(
      "DELETE FROM highlight WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica])
    if let document, try isPurged(.document(document)) { try purgeRow(of: document) }
  }
}
