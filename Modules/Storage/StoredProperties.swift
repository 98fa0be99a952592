package import FoundationEssentials
package import Model

extension ReadTransaction {
  /// Returns the properties of the library, such as its styles and the format of new documents, by
  /// name.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func properties() throws -> [PropertyName: String] {
    try read("SELECT name, value FROM library_property")
  }

  /// Returns the properties of a document, by name.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func properties(of id: Document.ID) throws -> [PropertyName: String] {
    try read(
      """
      SELECT p.name, p.value FROM document_property p JOIN document d ON d.key = p.document
      WHERE d.sequence = ? AND d.replica = ?
      """, [id.dot.sequence, id.dot.storedReplica])
  }

  /// Returns the values of a property of a document and of the documents that were merged into it.
  /// The document's own value is first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func values(of name: PropertyName, in id: Document.ID) throws -> [(
    document: Document.ID, value: String
  )] {
    try list(
      """
      SELECT d.replica, d.sequence, p.value FROM document c
      JOIN document d ON d.key = c.key OR d.alias = c.key
      JOIN document_property p ON p.document = d.key AND p.name = ?
      WHERE c.sequence = ? AND c.replica = ?
      ORDER BY d.alias IS NOT NULL, d.sequence, d.replica
      """, [name.rawValue, id.dot.sequence, id.dot.storedReplica]
    ) { (Document.ID(try $0.dot(0)), try $0.text(2)) }
  }

  /// Whether a document's title was taken from its file: from the front matter, the first heading
  /// or the file name. Not if the user has set another title.
  ///
  /// The title of a new document is that of its file. Later titles of the file are in the property
  /// ``PropertyName/fileTitle``. So the title follows the file again after the user has undone the
  /// change.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func isTitleOfFile(_ document: Document) throws -> Bool {
    if let title = try properties(of: document.id)[.fileTitle] { return document.title == title }
    let dot = document.id.dot
    let first = try list(
      """
      SELECT \(Operation.columns) FROM operation
      WHERE \(Operation.isBeside("?1", "?2")) AND field = ?3
      ORDER BY sequence LIMIT 1
      """, [dot.sequence, dot.storedReplica, Operation.Field.title.rawValue], Operation.init
    ).first
    return first?.value == .text(document.title)
  }

  private func read(_ sql: String, _ arguments: Arguments = []) throws -> [PropertyName: String] {
    var properties: [PropertyName: String] = [:]
    try forEach(sql, arguments) { row in
      properties[PropertyName(rawValue: try row.text(0))] = try row.text(1)
      return true
    }
    return properties
  }

  /// Returns the properties of all documents. Documents without properties are omitted.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func documentProperties() throws -> [Document.ID: [PropertyName: String]] {
    var properties: [Document.ID: [PropertyName: String]] = [:]
    try forEach(
      """
      SELECT d.replica, d.sequence, p.name, p.value FROM document_property p
      JOIN document d ON d.key = p.document
      """
    ) { row in
      properties[Document.ID(try row.dot(0)), default: [:]][
        PropertyName(rawValue: try row.text(2))] = try row.text(3)
      return true
    }
    return properties
  }

  /// Returns the value that a property of the library had at a time, according to the operations
  /// that this library knows; nil if it was not set. O(changes of the property).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func property(_ name: PropertyName, asOf time: Date) throws -> String? {
    let library = RecordReference.library.dot
    let property = try list(
      """
      SELECT \(Operation.columns) FROM \(Operation.changes(of: "?1", "?2"))
      WHERE field = ?3 AND time < ?4
      ORDER BY time DESC, replica DESC, sequence DESC LIMIT 1
      """,
      [
        library.sequence, library.storedReplica, Operation.Field.property(name).rawValue,
        Timestamp(milliseconds: min(time.milliseconds + 1, 1 << 47 - 1)).packed,
      ], Operation.init
    ).first
    if case .text(let text)? = property?.value, !text.isEmpty { return text }
    return nil
  }

  /// Returns all operations on a property of the library, of all replicas. O(changes of the
  /// property).
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func operations(on name: PropertyName) throws -> [Operation] {
    let library = RecordReference.library.dot
    return try list(
      """
      SELECT \(Operation.columns) FROM \(Operation.changes(of: "?1", "?2")) WHERE field = ?3
      """,
      [library.sequence, library.storedReplica, Operation.Field.property(name).rawValue],
      Operation.init)
  }

  /// Returns a copied format by the name under which it was copied; nil if it does not exist.
  ///
  /// - Throws: `StoreError.damaged` if the row is damaged; another ``StoreError`` if the database
  ///   cannot be read.
  package func copiedFormat(_ name: String) throws -> String? {
    try first("SELECT value FROM copied_format WHERE name = ?", [name]) { try $0.text(0) }
  }
}

extension WriteTransaction {
  /// Sets a property of a document or the library; an empty value deletes it. Returns false if it
  /// is unchanged, or if the record is missing or cannot have properties.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setProperty(_ name: PropertyName, _ value: String, of record: RecordReference) throws
    -> Bool
  {
    let old: String
    switch record {
    case .document(let id):
      guard try document(id) != nil else { return false }
      old = try properties(of: id)[name] ?? ""
    case .library: old = try properties()[name] ?? ""
    case .highlight, .other: return false
    }
    guard old != value else { return false }
    try change(record, .property(name), to: .text(value), from: .text(old))
    return true
  }

  /// Writes the value of a property operation to the tables. Does nothing if the value is not a
  /// text.
  ///
  /// - Parameters:
  ///   - name: the property to set.
  ///   - value: the value; an empty text deletes the property.
  ///   - key: the key of the document's row; nil for a property of the library.
  func projectProperty(_ name: PropertyName, _ value: Operation.Value, document key: Int64?) throws
  {
    guard case .text(let text) = value else { return }
    if let key {
      try execute(
        "DELETE FROM document_property WHERE document = ? AND name = ?", [key, name.rawValue])
      guard !text.isEmpty else { return }
      try execute(
        "INSERT INTO document_property (document, name, value) VALUES (?, ?, ?)",
        [key, name.rawValue, text])
    } else {
      try execute("DELETE FROM library_property WHERE name = ?", [name.rawValue])
      guard !text.isEmpty else { return }
      try execute(
        "INSERT INTO library_property (name, value) VALUES (?, ?)", [name.rawValue, text])
    }
  }

  /// Stores a copied format, and replaces an earlier one of the same name. It is not an operation,
  /// because copying is not a change that `undo` could revert.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setCopiedFormat(_ name: String, _ value: String) throws {
    try execute(
      "INSERT OR REPLACE INTO copied_format (name, value) VALUES (?, ?)", [name, value])
  }
}
