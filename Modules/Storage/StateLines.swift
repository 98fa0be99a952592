import FoundationEssentials
import Model

extension ReadTransaction {
  /// Passes the library's content to `body`, a line for each record. The lines and their order are
  /// equal in all replicas that know the same operations.
  ///
  /// Local data is not included: the paths of files and the locations of highlights. O(library).
  ///
  /// - Throws: the error of `body`; `StoreError.damaged` if a highlight is damaged; another
  ///   ``StoreError`` if the database cannot be read.
  package func stateLines(_ body: (String) throws -> Void) throws {
    try writeDocuments(body)
    try writeHighlights(body)
    for (color, name) in try labels().sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try body(Self.line("label", [color.rawValue, name]))
    }
    for (name, value) in try savedQueries().sorted(by: { $0.key < $1.key }) where !value.isEmpty {
      try body(Self.line("query", [name, value]))
    }
    for (name, value) in try properties().sorted(by: { $0.key < $1.key }) {
      try body(Self.line("property", [name.rawValue, value]))
    }
    for conflict in try noteConflicts() {
      let texts = [conflict.current.text] + conflict.others.map(\.text).sorted()
      try body(Self.line("notes", [conflict.record.dot.description] + texts))
    }
  }

  private func writeDocuments(_ body: (String) throws -> Void) throws {
    let properties = try documentProperties()
    let rows = try list(
      """
      SELECT d.replica, d.sequence, d.title, d.trashed, c.sequence, c.replica
      FROM document d LEFT JOIN document c ON c.key = d.alias ORDER BY d.sequence, d.replica
      """
    ) { row in
      (
        dot: try row.dot(0), title: try row.text(2), isRemoved: try row.flag(3),
        alias: try row.ifPresent(4) { try row.integer($0) }.map { "\($0)" } ?? ""
      )
    }
    for row in rows {
      let id = Document.ID(row.dot)
      let source = try source(of: id).values.sorted { $0.key < $1.key }.flatMap {
        [$0.key.rawValue, StoredSourceValue($0.value).text]
      }
      let fields = (properties[id] ?? [:]).sorted { $0.key < $1.key }.flatMap {
        [$0.key.rawValue, $0.value]
      }
      try body(
        Self.line(
          "document",
          [row.dot.description, row.title, row.isRemoved ? "removed" : "", row.alias] + source
            + ["|"] + fields))
    }
  }

  private func writeHighlights(_ body: (String) throws -> Void) throws {
    try database.forEach(
      """
      SELECT \(Highlight.columns(.all.subtracting(.place))) FROM highlight h
      CROSS JOIN document d ON d.key = h.document ORDER BY h.sequence, h.replica
      """
    ) { row in
      let highlight = try Highlight(row)
      let selector = highlight.selector
      try body(
        Self.line(
          "highlight",
          [
            highlight.id.description, highlight.document.description, highlight.color.rawValue,
            highlight.note, highlight.tags.joined(separator: "\u{1F}"),
            highlight.isTrashed ? "trashed" : "", highlight.isDetached ? "detached" : "",
            highlight.origin?.text ?? "", highlight.format ?? "", selector.prefix, selector.exact,
            selector.suffix, "\(selector.position.utf16)", selector.textDigest?.description ?? "",
            "\(selector.renderVersion)",
          ]))
      return true
    }
  }

  /// Joins fields to a line. Each is preceded by its length in UTF-8 bytes, so that different
  /// fields never result in the same line.
  private static func line(_ kind: String, _ parts: [String]) -> String {
    kind + parts.map { "\t\($0.utf8.count):\($0)" }.joined()
  }
}
