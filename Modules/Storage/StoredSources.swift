import FoundationEssentials
package import Model

/// The stored form of a bibliographic variable's value: JSON with sorted keys.
///
/// In an operation, `null` deletes the variable.
struct StoredSourceValue {
  let text: String

  /// Wraps text that was read from the database.
  init(text: String) { self.text = text }

  /// Encodes a value. Equal values have equal encodings.
  init(_ value: JSONValue) {
    guard let data = try? JSONEncoder.ordered().encode(value) else {
      preconditionFailure("a JSON value cannot be encoded")
    }
    text = String(decoding: data, as: UTF8.self)
  }

  /// The decoded value; nil if the text is not valid JSON.
  var value: JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
}

extension Operation.Value {
  /// The value of an operation that sets a variable, or deletes it if `value` is nil.
  fileprivate init(_ value: JSONValue?) {
    self = .text(StoredSourceValue(value ?? .null).text)
  }
}

extension ReadTransaction {
  /// Returns the variables that users set, by document. Documents without any are not included.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func sources() throws -> [Document.ID: Source] {
    var sources: [Document.ID: Source] = [:]
    try forEach(
      """
      SELECT d.replica, d.sequence, s.variable, s.value FROM source s
      JOIN document d ON d.key = s.document
      """
    ) { row in
      try sources[Document.ID(try row.dot(0)), default: Source()].set(row, at: 2)
      return true
    }
    return sources
  }

  /// Returns the variables that users set for a document; empty if they set none.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func source(of id: Document.ID) throws -> Source {
    var source = Source()
    try forEach(
      """
      SELECT s.variable, s.value FROM source s JOIN document d ON d.key = s.document
      WHERE d.sequence = ? AND d.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { row in
      try source.set(row, at: 0)
      return true
    }
    return source
  }

  /// Returns the origins of the imported highlights in a document, one for each work with its
  /// authors and in the order of the first highlights. Highlights in the trash are left out.
  /// O(imported highlights of the document).
  ///
  /// - Throws: `StoreError.damaged` if a row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func worksImported(into id: Document.ID) throws -> [Origin] {
    var works: [Origin] = []
    var known: Set<[String?]> = []
    try forEach(
      """
      SELECT \(Highlight.importedFrom) FROM highlight h JOIN document d ON d.key = h.document
      WHERE d.sequence = ? AND d.replica = ? AND h.origin_key IS NOT NULL AND NOT h.trashed
      ORDER BY h.key
      """, [id.dot.sequence, id.dot.storedReplica]
    ) { row in
      guard let stored = try StoredOrigin(row: row, column: 0), let work = stored.work,
        known.insert(work).inserted, let origin = stored.origin
      else { return true }
      works.append(origin)
      return true
    }
    return works
  }
}

extension Source {
  /// Sets a variable from two columns of a row: its name and its value.
  ///
  /// - Throws: `BadValue` if either column is invalid.
  mutating func set(_ row: DatabaseRow, at column: Int) throws {
    guard let variable = Variable(rawValue: try row.text(column)) else { throw row.bad(column) }
    guard let value = StoredSourceValue(text: try row.text(column + 1)).value, value != .null else {
      throw row.bad(column + 1)
    }
    self[variable] = value
  }
}

extension WriteTransaction {
  /// Replaces the variables of a document, with one operation for each variable that changes.
  ///
  /// - Returns: false if no variable changes or the document does not exist.
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setSource(_ source: Source, of id: Document.ID) throws -> Bool {
    guard try document(id) != nil else { return false }
    let old = try self.source(of: id)
    let variables = Set(old.values.keys).union(source.values.keys)
      .filter { old[$0] != source[$0] }.sorted()
    for variable in variables {
      try change(
        .document(id), .source(variable), to: Operation.Value(source[variable]),
        from: Operation.Value(old[variable]))
    }
    return !variables.isEmpty
  }

  /// Applies an operation on a variable to the `source` table. A value that only a newer version of
  /// Diple can parse is left in the operation log.
  func projectSource(
    _ variable: Source.Variable, _ value: Operation.Value, document key: Int64
  ) throws {
    guard case .text(let text) = value else { return }
    switch StoredSourceValue(text: text).value {
    case nil: break
    case .null?:
      try execute(
        "DELETE FROM source WHERE document = ? AND variable = ?", [key, variable.rawValue])
    default:
      try execute(
        "INSERT OR REPLACE INTO source (document, variable, value) VALUES (?, ?, ?)",
        [key, variable.rawValue, text])
    }
  }
}
