import Interchange
package import Model
import Storage
package import SystemSupport

/// The result of matching the entries of a bibliography to documents.
package struct SourceLinks: Sendable {
  /// An entry that was matched to one document.
  package struct Link: Sendable {
    package var entry: Source
    /// The document whose source the entry is.
    package var document: Document
    /// The variable whose value is equal in both, by which they were matched.
    package var by: Source.Variable
    /// Whether storing the link changes the library.
    package var isNew: Bool
  }

  /// The links, in the order of the entries.
  package var links: [Link] = []
  /// The entries that match no document.
  package var unmatched: [Source] = []
  /// The entries that match several documents equally well, with those documents.
  package var ambiguous: [(entry: Source, documents: [Document])] = []

  package init() {}
}

extension Library {
  /// Matches each entry of a bibliography to its document, and stores the matched entries as the
  /// documents' sources, in one step of the history.
  ///
  /// An entry and a document match if they have the same DOI, ISBN, address, citation key or title,
  /// in this order of preference. A match by title requires that the years do not differ. Variables
  /// that the user set before and the entry lacks are kept. Linear in the number of entries and
  /// documents.
  ///
  /// - Parameter dryRun: whether to return the links without storing them.
  /// - Throws: `usage` if an entry is too large to store.
  package func link(_ entries: [Source], dryRun: Bool) throws(UserError) -> SourceLinks {
    var documents: [(document: Document, source: DocumentSource)] = []
    try storage {
      try store.read { transaction in
        let userSources = try transaction.sources()
        documents = try transaction.documents(includingRemoved: false).map {
          ($0, try self.source(of: $0, userSource: userSources[$0.id] ?? Source(), in: transaction))
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
      let linked = entry.completed(by: source.userSource)
      found.links.append(
        .init(entry: entry, document: document, by: variable, isNew: linked != source.userSource))
      changes.append((document, linked))
    }
    if !dryRun { try setSources(changes) }
    return found
  }
}

extension Source {
  /// A normalized value by which two sources are recognized as the same work.
  package struct Mark: Hashable {
    var variable: Variable
    var text: String
  }

  /// The source's marks, most reliable first.
  package var marks: [Mark] {
    func mark(_ variable: Variable, in other: Variable? = nil, _ plain: (String) -> String) -> Mark?
    {
      let text = plain(text(other ?? variable))
      return text.isEmpty ? nil : Mark(variable: variable, text: text)
    }
    let letters = { (title: String) in title.lowercased().filter { $0.isLetter || $0.isNumber } }
    return [
      mark(.doi) { Source.bareDOI($0).lowercased() },
      mark(.isbn) { Source.isbn13($0) },
      mark(.url) { url in
        // Spellings that differ in the scheme, `www.`, the fragment or a trailing slash name the
        // same page.
        var rest = url.lowercased()[...]
        for prefix in ["https://", "http://", "www."] where rest.hasPrefix(prefix) {
          rest = rest.dropFirst(prefix.count)
        }
        rest = rest.prefix { $0 != "#" }
        while rest.last == "/" { rest.removeLast() }
        return String(rest)
      },
      mark(.citationKey) { $0 },
      mark(.title, letters), mark(.title, in: .shortTitle, letters),
    ].compactMap(\.self)
  }

  /// Returns whether the years of publication are equal, or one of them is unknown.
  func isOfYear(like other: Source) -> Bool {
    guard let year = date(.issued)?.year, let otherYear = other.date(.issued)?.year else {
      return true
    }
    return year == otherYear
  }
}
