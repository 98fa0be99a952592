package import Model

/// Where documents stand on this machine, and which of them are the same one.
extension WriteTransaction {
  /// More documents than this are not taken for one: a person has to look.
  static let aliasLimit = 8

  // MARK: - Places

  /// Whether an operation was made by this copy of the library, or by what it was before it got
  /// another identity.
  func isOwn(_ dot: Dot) throws -> Bool {
    if dot.replica == (try replica()) { return true }
    return try first(
      "SELECT former FROM replica WHERE replica = ?", [dot.storedReplica]
    ) { try $0.count(0) }.map { dot.sequence <= $0 } ?? false
  }

  /// Writes where a document's file stands: where this machine said last, else where it was found here,
  /// else what other machines said, by which nothing is opened.
  func projectPath(of id: Document.ID, key: Int64) throws {
    let said = try operations(on: .document(id)).filter { $0.field == .path }
    let own = try said.last { try isOwn($0.dot) }?.textValue
    let place = try first("SELECT place FROM document WHERE key = ? AND place IS NOT NULL", [key]) {
      try $0.text(0)
    }
    guard let path = own ?? place ?? said.last?.textValue else { return }
    try execute(
      "UPDATE document SET path = ?, bound = ? WHERE key = ?",
      [path, own != nil || place != nil, key])
  }

  /// Says where the file of a document that other machines know stands on this one: found, not decided
  /// by a person, so no operation. Nil takes it back.
  package func bind(_ id: Document.ID, to path: DocumentPath?) throws {
    guard let key = try documentKey(id) else { return }
    try execute("UPDATE document SET place = ? WHERE key = ?", [path?.string, key])
    try projectPath(of: id, key: key)
  }

  // MARK: - Aliases

  /// Says that two documents are the same one, or that they are not. False when that is so already.
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

  /// The documents that are one with a document, itself among them; none when it is only itself.
  package func aliases(of id: Document.ID) throws -> [Document.ID] {
    guard let key = try documentKey(id) else { return [] }
    let members = try group(of: key)
    return members.count > 1 ? try members.map(documentID).sorted() : []
  }

  /// Whether somebody said that two documents are not the same one.
  package func wasParted(_ a: Document.ID, _ b: Document.ID) throws -> Bool {
    let (lesser, greater) = a < b ? (a, b) : (b, a)
    return try holder(of: .alias(lesser), on: .document(greater))?.value == .flag(false)
  }

  private func isAlias(_ key: Int64, of other: Document.ID) throws -> Bool {
    try first(
      "SELECT 1 FROM alias WHERE document = ? AND sequence = ? AND replica = ?",
      [key, other.dot.sequence, other.dot.storedReplica]
    ) { _ in true } ?? false
  }

  /// Writes what an operation says of an alias; `regroupPending` has to follow.
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

  /// Has a new document find those that said before that they are the same one.
  func expectAliases(of id: Document.ID) throws {
    let others = try list(
      "SELECT document FROM alias WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
    ungrouped.formUnion(others)
  }

  /// The documents that are one with a document.
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

  /// Those to which an alias leads from a document, directly.
  private func neighbours(of key: Int64) throws -> [Int64] {
    // What is gone for good is one with nothing.
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

  /// Puts the documents together whose aliases changed, and takes apart those that are no longer one.
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
        for member in members { try leavePlace(member.id, key: member.key) }
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

  /// Makes a document part of another, or one of its own.
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
    // The places of its highlights are known in texts that it has.
    try execute(
      """
      INSERT OR IGNORE INTO snapshot (document, digest, turn, seen, size, data, positions)
      SELECT ?2, digest, turn, seen, size, data, positions FROM snapshot WHERE document = ?1
      """, [key, canonical])
  }

  /// A document that is only known elsewhere stands where one is that it is the same as.
  private func adoptPlace(_ members: [Int64]) throws {
    let places = try members.map { key in
      try first("SELECT path FROM document WHERE key = ? AND bound = 1", [key]) { try $0.text(0) }
    }
    guard places[0] == nil, let path = places.compactMap(\.self).first else { return }
    try bind(try documentID(members[0]), to: DocumentPath(path))
  }

  /// A document that stood where another is, as part of which it was found, is elsewhere again.
  private func leavePlace(_ id: Document.ID, key: Int64) throws {
    let isTaken = try first(
      """
      SELECT 1 FROM document d JOIN document o ON o.path = d.place AND o.key <> d.key
      WHERE d.key = ? AND o.bound = 1 AND o.place IS NULL LIMIT 1
      """, [key]
    ) { _ in true }
    if isTaken != nil { try bind(id, to: nil) }
  }

  /// A document is out of sight when somebody removed it, or when it is part of another; not what stands
  /// in place of one that is gone for good.
  func projectTrashed(_ id: Document.ID, key: Int64) throws {
    let said =
      try isPurged(.document(id))
      ? nil : try operations(on: .document(id)).last { $0.field == .trashed }?.value
    try execute(
      "UPDATE document SET trashed = (? OR alias IS NOT NULL) WHERE key = ?",
      [said == .flag(true), key])
  }

  // MARK: - Homes of highlights

  /// Where a highlight of a document stands: the document's row or that of the one that it is part of,
  /// and its own in that case. Nil when the document is not known yet.
  func homePlace(_ id: Document.ID) throws -> (document: Int64, home: Int64?)? {
    let found = try first(
      "SELECT key, alias FROM document WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { row in (key: try row.integer(0), alias: try row.ifPresent(1) { try row.integer($0) }) }
    guard let found else {
      return try isPurged(.document(id)) ? (try makeUnfiled(id), nil) : nil
    }
    return (found.alias ?? found.key, found.alias == nil ? nil : found.key)
  }

  /// What stands in place of a document that is gone for good while a highlight of it is left, which was
  /// made where that was not known.
  private func makeUnfiled(_ id: Document.ID) throws -> Int64 {
    let time =
      try operations(on: .document(id)).first { $0.field == .purged }?.time.milliseconds ?? 0
    try execute(
      """
      INSERT OR IGNORE INTO document (replica, sequence, path, created, updated, bound)
      VALUES (?, ?, ?, ?, ?, 0)
      """, [id.dot.storedReplica, id.dot.sequence, Self.unfiledPath, time, time])
    guard let key = try documentKey(id) else {
      throw BadValue(description: "document \(id) was not stored")
    }
    return key
  }

  /// What is shown as the path of a document that is gone for good and has highlights left.
  static let unfiledPath = "(deleted document)"

  /// Takes a document's row away, unless highlights are left in it that were made where that was not
  /// known.
  func purgeRow(of id: Document.ID) throws {
    guard let key = try documentKey(id) else { return try createWaitingHighlights(of: id) }
    // The others of its group find themselves anew.
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

  /// Takes a highlight's row away, and that of its document when only this one had kept it.
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
