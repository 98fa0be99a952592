import FoundationEssentials
package import Model

/// A document of another library with the data to copy.
package struct DocumentCopy: Sendable {
  /// The document's record in the other library.
  package var document: Document
  /// The state of its file when it was last read; nil if it was never read.
  package var revision: Revision?
  /// The text of that revision; nil if it is not stored.
  package var text: String?
  /// The map from the text to its source; empty if it is not stored.
  package var positions: [UInt8]
  /// The bibliographic variables that users set.
  package var source: Source
  /// The document's properties, by name.
  package var properties: [PropertyName: String]
  /// The highlights and formatted passages that are not in the trash, with their locations in the
  /// text.
  package var highlights: [Highlight]
}

extension ReadTransaction {
  /// Reads the data of documents to copy them into another library. Highlights in the trash are not
  /// copied.
  ///
  /// - Throws: `StoreError.damaged` if a revision is damaged; another ``StoreError`` if the
  ///   database cannot be read. Damaged highlights are skipped.
  package func copies(of documents: [Document]) throws -> [DocumentCopy] {
    try documents.map { document in
      let revision = try revision(of: document.id)
      var (text, positions): (String?, [UInt8]) = (nil, [])
      if let digest = revision?.textDigest {
        text = try snapshot(digest, of: document.id)
        positions =
          try first(
            """
            SELECT s.positions FROM snapshot s JOIN document d ON d.key = s.document
            WHERE s.digest = ? AND d.sequence = ? AND d.replica = ?
            """, [digest.bytes, document.id.dot.sequence, document.id.dot.storedReplica]
          ) { try $0.ifPresent(0, $0.bytes) ?? [] } ?? []
      }
      var properties = try properties(of: document.id)
      // In the copy, a title that the user set must not be taken for that of the file.
      if properties[.fileTitle] == nil, try !isTitleOfFile(document) {
        properties[.fileTitle] = document.path.name
      }
      return DocumentCopy(
        document: document, revision: revision, text: text, positions: positions,
        source: try source(of: document.id), properties: properties,
        highlights: try highlights(HighlightFilter(documents: [document.id], kind: .all)))
    }
  }
}

extension WriteTransaction {
  /// Copies a document of another library with its highlights. The new records have new identifiers
  /// and keep their dates.
  ///
  /// Records that an earlier, interrupted attempt has copied are not copied again.
  ///
  /// - Parameters:
  ///   - copy: the document and its highlights.
  ///   - path: the path of the file in this library.
  /// - Returns: the number of highlights that were copied, without formatted passages.
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func adopt(_ copy: DocumentCopy, at path: DocumentPath) throws -> Int {
    let id: Document.ID
    if let present = try document(at: path), present.state != .removed {
      id = present.id
    } else {
      var fields: [(Operation.Field, Operation.Value)] = [
        (.path, .text(path.string)), (.title, .text(copy.document.title)),
      ]
      fields += copy.source.values.sorted { $0.key < $1.key }.map {
        (.source($0), .text(StoredSourceValue($1).text))
      }
      fields += copy.properties.sorted { $0.key < $1.key }.map { (.property($0), .text($1)) }
      id = Document.ID(
        try create(
          .none, fields, madeElsewhere: (copy.document.created, copy.document.updated)
        ) { .document(Document.ID($0)) })
      if let revision = copy.revision, let text = copy.text {
        try store(
          revision, TextPreparation().prepare(text, positions: copy.positions), of: id)
      }
      try setPresence(copy.document.state == .present, of: id)
    }
    let present = try highlights(HighlightFilter(documents: [id], trash: .included, kind: .all))
    let isSameText = try revision(of: id)?.textDigest == copy.revision?.textDigest
    var count = 0
    for highlight in copy.highlights where !present.contains(where: { $0.isCopy(of: highlight) }) {
      let fields: [(Operation.Field, Operation.Value)] =
        [(.selector, .selector(highlight.selector))]
        + (highlight.format.map { [(.format, .text($0))] }
          ?? [(.color, .text(highlight.color.rawValue))])
        + (highlight.note.isEmpty ? [] : [(.note, .text(highlight.note))])
        + highlight.tags.map { (.tag($0), .flag(true)) }
        + (highlight.isDetached ? [(.detached, .flag(true))] : [])
        + (highlight.origin.map { [(.origin, .text($0.text))] } ?? [])
      let dot = try create(
        .reference(id.dot), fields, madeElsewhere: (highlight.created, highlight.updated)
      ) { .highlight(Highlight.ID($0)) }
      if isSameText, let revision = copy.revision {
        try store(
          [Highlight.ID(dot): highlight.anchor], text: revision.textDigest,
          version: revision.renderVersion, of: id)
      }
      if highlight.format == nil { count += 1 }
    }
    return count
  }
}

extension Highlight {
  /// Whether this highlight is a copy of a highlight of another library.
  fileprivate func isCopy(of other: Highlight) -> Bool {
    (selector, color, note, created) == (other.selector, other.color, other.note, other.created)
      && format == other.format
  }
}
