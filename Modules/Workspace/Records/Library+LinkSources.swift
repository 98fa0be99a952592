import Interchange
package import Model
import Storage
package import SystemSupport

/// What became of the entries of a bibliography that were to be linked to documents.
package struct SourceLinks: Sendable {
  /// An entry and the document whose source it is.
  package struct Link: Sendable {
    /// The entry.
    package var entry: Source
    /// The document.
    package var document: Document
    /// By what they were recognized: a variable that says the same on both sides.
    package var by: Source.Variable
    /// Whether it changes what the library knows.
    package var isNew: Bool
  }

  /// The links, in the order of the entries.
  package var links: [Link] = []
  /// Entries that fit no document.
  package var unmatched: [Source] = []
  /// Entries that fit several documents alike, with these.
  package var ambiguous: [(entry: Source, documents: [Document])] = []
}

extension Library {
  /// Links each entry of a bibliography to the document that is its text, in one step: the one of the
  /// same DOI, book number, address, key or title, and where the title decides, of no other year.
  ///
  /// Linear in entries and documents.
  package func link(_ entries: [Source], dryRun: Bool) throws(UserError) -> SourceLinks {
    var documents: [(document: Document, source: DocumentSource)] = []
    try storage {
      try store.read { transaction in
        let said = try transaction.sources()
        documents = try transaction.documents(includingRemoved: false).map {
          ($0, try self.source(of: $0, said: said[$0.id] ?? Source(), in: transaction))
        }
      }
    }
    var places: [Source.Mark: [Int]] = [:]
    for (index, entry) in documents.enumerated() {
      for mark in entry.source.whole.marks { places[mark, default: []].append(index) }
    }
    var found = SourceLinks()
    var changes: [(document: Document, source: Source)] = []
    for entry in entries {
      let fits = entry.marks.lazy.compactMap { mark -> (Source.Variable, [Int])? in
        let fitting = places[mark]?.filter {
          mark.variable != .title || documents[$0].source.whole.isOfYear(like: entry)
        }
        return fitting.flatMap { $0.isEmpty ? nil : (mark.variable, $0) }
      }.first
      guard let (variable, indices) = fits else {
        found.unmatched.append(entry)
        continue
      }
      guard indices.count == 1 else {
        found.ambiguous.append((entry, indices.map { documents[$0].document }))
        continue
      }
      let (document, source) = documents[indices[0]]
      let linked = entry.completed(by: source.said)
      found.links.append(
        .init(entry: entry, document: document, by: variable, isNew: linked != source.said))
      changes.append((document, linked))
    }
    if !dryRun { try setSources(changes) }
    return found
  }
}

extension Source {
  /// What tells that two sources are the same work.
  struct Mark: Hashable {
    var variable: Variable
    var text: String
  }

  /// Its marks, the surest first.
  var marks: [Mark] {
    func mark(_ variable: Variable, _ plain: (String) -> String) -> Mark? {
      let text = plain(text(variable))
      return text.isEmpty ? nil : Mark(variable: variable, text: text)
    }
    return [
      mark(.doi) { Source.bareDOI($0).lowercased() },
      mark(.isbn) { Source.isbn13($0) },
      mark(.url) { url in
        // The same page has several spellings of its address.
        var rest = url.lowercased()[...]
        for prefix in ["https://", "http://", "www."] where rest.hasPrefix(prefix) {
          rest = rest.dropFirst(prefix.count)
        }
        rest = rest.prefix { $0 != "#" }
        while rest.last == "/" { rest.removeLast() }
        return String(rest)
      },
      mark(.citationKey) { $0 },
      mark(.title) { $0.lowercased().filter { $0.isLetter || $0.isNumber } },
    ].compactMap(\.self)
  }

  /// Whether the years do not say that it is another work.
  func isOfYear(like other: Source) -> Bool {
    guard let year = date(.issued)?.year, let otherYear = other.date(.issued)?.year else {
      return true
    }
    return year == otherYear
  }
}
