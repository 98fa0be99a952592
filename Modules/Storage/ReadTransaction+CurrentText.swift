package import Model

extension ReadTransaction {
  /// Returns highlights of a document with the texts at their places, for those whose passage was
  /// edited since it was marked. The document's latest text is read only if there are any.
  ///
  /// A highlight is returned unchanged if that text is not stored.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func withCurrentText(_ highlights: [Highlight], of document: Document.ID) throws
    -> [Highlight]
  {
    guard highlights.contains(where: { $0.anchor.state == .edited }),
      let digest = try revision(of: document)?.textDigest,
      let units = try snapshotUnits(digest, of: document)?.units
    else { return highlights }
    var result = highlights
    for index in result.indices where result[index].anchor.state == .edited {
      guard let range = result[index].anchor.range?.utf16, range.upperBound <= units.count else {
        continue
      }
      result[index].now = String(units: units[range])
    }
    return result
  }
}
