import Interchange
package import Model
import SystemSupport
package import Workspace

/// Lists the bibliographic sources of documents.
package struct ListSources: Action {
  package static let name = "source.list"
  package static let summary = "Lists the bibliographic sources of documents."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter(
      "documents", .list(.identifier(.document)),
      "The documents; all with a known source when omitted.")
  ]
  package static let examples = [ListSources(documents: [.example])]

  package var documents: [Document.ID]?

  package init(documents: [Document.ID]? = nil) { self.documents = documents }

  package func run(in session: ActionSession) async throws -> SourcesOutcome {
    guard let documents else {
      return SourcesOutcome(sources: try await session.library.sources())
    }
    var outcome = SourcesOutcome()
    for document in try await session.documents(documents) {
      outcome.sources.append((document, try await session.library.source(of: document)))
    }
    return outcome
  }
}

/// Sets variables of a document's source.
package struct SetSource: Action {
  package static let name = "source.set"
  package static let summary = "Sets variables of a document's bibliographic source."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    .document,
    ActionParameter(
      "set", .values(nil),
      "Variables of CSL with their values; an empty value removes the stored value. "
        + "Several names are divided by semicolons.", isRequired: true),
    .dryRun,
  ]
  package static let examples = [
    SetSource(
      document: .example, set: ["author": "Woolf, Virginia", "issued": "1929"], dryRun: true)
  ]

  package var document: Document.ID
  package var set: [String: String]
  package var dryRun: Bool?

  package init(document: Document.ID, set: [String: String], dryRun: Bool? = nil) {
    (self.document, self.set, self.dryRun) = (document, set, dryRun)
  }

  package func run(in session: ActionSession) async throws -> SourcesOutcome {
    let document = try await session.document(document)
    var source = try await session.library.source(of: document).userSource
    for (name, text) in set.sorted(by: { $0.key < $1.key }) {
      do throws(UserError) { source.set(try Self.variable(name, text), typed: text) } catch {
        throw error.about("set.\(name)")
      }
    }
    let changed = try await session.library.source(
      of: document, setting: source, dryRun: dryRun ?? false)
    return SourcesOutcome(sources: [(document, changed)])
  }

  /// Returns the variable with a name. Throws `usage` if the name or the value is invalid.
  private static func variable(_ name: String, _ text: String) throws(UserError) -> Source.Variable
  {
    guard let variable = Source.Variable(rawValue: name) else {
      throw UserError(.usage, "unknown variable: '\(name)'")
    }
    if text.isEmpty { return variable }
    switch variable {
    case .isbn where !text.split(separator: ",").allSatisfy({ Source.isISBN($0.oneLine) }):
      throw UserError(
        .usage, "invalid ISBN: '\(text)'",
        hint: "an ISBN has 10 or 13 digits, the last of which is a checksum")
    case .doi where !Source.bareDOI(text).hasPrefix("10.") || !text.contains("/"):
      throw UserError(.usage, "invalid DOI: '\(text)'", hint: "for example: 10.1000/182")
    case .url where !text.contains(":"):
      throw UserError(
        .usage, "invalid address: '\(text)'", hint: "for example: https://example.org/page")
    case .issued
    where SourceDate(text).year == nil && text.allSatisfy({ $0.isNumber || "-/.".contains($0) }):
      throw UserError(
        .usage, "invalid date: '\(text)'", hint: "write 1929, 1929-10 or 1929-10-24")
    case .citationKey
    where text.contains(where: { $0.isWhitespace || "{}[],#%\\\"'@".contains($0) }):
      throw UserError(
        .usage, "invalid key: '\(text)'", hint: "use letters, digits and -_:. as in woolf1929")
    case .type where !Source.kinds.contains(text):
      throw UserError(
        .usage, "CSL has no kind of work '\(text)'",
        hint: "the usual ones are book, article-journal, chapter, thesis, report and webpage")
    default: break
    }
    return variable
  }
}

/// The sources of documents.
package struct SourcesOutcome: ActionOutcome {
  package var sources: [(document: Document, source: DocumentSource)] = []

  package init(sources: [(document: Document, source: DocumentSource)] = []) {
    self.sources = sources
  }

  /// The source of a document, an element of `diple.sources/1`.
  private struct Record: Encodable {
    /// A variable, its value in one line, and the origin of the value.
    struct VariableRecord: Encodable {
      var name: String
      var text: String
      var from: DocumentSource.Origin
    }

    var document: HighlightRecord.DocumentReference
    var key: String
    var citation: String
    var variables: [VariableRecord]

    init(_ document: Document, _ source: DocumentSource) {
      let whole = source.whole
      self.document = HighlightRecord.DocumentReference(document)
      key = whole.key
      citation = Citation(whole).text
      variables = source.variables.map {
        VariableRecord(name: $0.name, text: $0.text, from: $0.origin)
      }
    }
  }

  package var json: String {
    JSON.line("diple.sources/1", sources.map { Record($0.document, $0.source) })
  }
}

extension DocumentSource {
  /// The variables with values: first the most important ones in a fixed order, then the others by
  /// name.
  package var variables: [(name: String, text: String, origin: Origin)] {
    let first: [Source.Variable] = [
      .type, .author, .editor, .title, .container, .publisher, .issued, .page, .url, .doi, .isbn,
    ]
    let whole = whole
    func order(_ variable: Source.Variable) -> (Int, String) {
      (first.firstIndex(of: variable) ?? first.count, variable.rawValue)
    }
    return whole.values.keys.sorted { order($0) < order($1) }.compactMap { variable in
      let text = whole.text(variable)
      guard !text.isEmpty, let origin = origin(of: variable) else { return nil }
      return (variable.rawValue, text, origin)
    }
  }
}

/// Sets the sources of documents to the entries of a bibliography.
package struct LinkSources: Action {
  package static let name = "source.link"
  package static let summary =
    "Sets the sources of documents to the entries of a bibliography, CSL-JSON or BibTeX."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter("bibliography", .text, "The bibliography.", isRequired: true),
    ActionParameter(
      "document", .identifier(.document),
      "The document of the entry; when omitted, the documents that match the entries."),
    ActionParameter("entry", .text, "The key of the entry, if there are several."),
    ActionParameter("name", .text, "The name of the bibliography in messages."), .dryRun,
  ]
  package static let examples = [
    LinkSources(
      bibliography: "@book{woolf1929, title={Room}}", document: .example, entry: "woolf1929",
      name: "refs.bib", dryRun: true)
  ]

  package var bibliography: String
  package var document: Document.ID?
  package var entry: String?
  package var name: String?
  package var dryRun: Bool?

  package init(
    bibliography: String, document: Document.ID? = nil, entry: String? = nil, name: String? = nil,
    dryRun: Bool? = nil
  ) {
    (self.bibliography, self.document) = (bibliography, document)
    (self.entry, self.name, self.dryRun) = (entry, name, dryRun)
  }

  package struct Outcome: ActionOutcome {
    /// The source of the requested document; nil if the request contains no document.
    package var source: SourcesOutcome?
    /// The documents that match the entries, if the request contains no document.
    package var found = SourceLinks()
    /// The number of entries.
    package var entries: Int
    /// The entries that cannot be read, with their lines.
    package var problems: [(line: Int?, message: String)]

    /// The record `diple.source-links/1`.
    private struct Record: Encodable {
      struct LinkRecord: Encodable {
        var entry: String
        var document: HighlightRecord.DocumentReference
        var by: String
        var isNew: Bool
      }
      struct AmbiguousRecord: Encodable {
        var entry: String
        var documents: [HighlightRecord.DocumentReference]
      }
      var links: [LinkRecord]
      var ambiguous: [AmbiguousRecord]
      var unmatched: [String]

      init(_ found: SourceLinks) {
        links = found.links.map {
          LinkRecord(
            entry: $0.entry.key, document: .init($0.document), by: $0.by.rawValue, isNew: $0.isNew)
        }
        ambiguous = found.ambiguous.map {
          AmbiguousRecord(entry: $0.entry.key, documents: $0.documents.map { .init($0) })
        }
        unmatched = found.unmatched.map(\.key)
      }
    }

    package var json: String {
      source?.json ?? JSON.line("diple.source-links/1", Record(found))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let name = name ?? "the bibliography"
    guard let read = Bibliography(Array(bibliography.utf8)) else {
      throw UserError(.usage, "\(name) is neither CSL-JSON nor BibTeX")
        .about("bibliography")
    }
    var entries = read.sources
    if let entry {
      entries = entries.filter { $0.text(.citationKey) == entry }
      guard entries.count == 1 else {
        throw UserError(
          entries.isEmpty ? .notFound : .ambiguous,
          entries.isEmpty
            ? "\(name) has no entry '\(entry)'" : "\(name) has several entries '\(entry)'",
          candidates: entries.isEmpty ? read.sources.prefix(10).map { $0.text(.citationKey) } : []
        ).about("entry")
      }
    }
    var outcome = Outcome(
      entries: entries.count, problems: read.problems.map { ($0.line, $0.message) })
    let (library, dryRun) = (session.library, dryRun ?? false)
    guard let document else {
      outcome.found = try await library.link(entries, dryRun: dryRun)
      return outcome
    }
    guard entries.count == 1 else {
      throw UserError(
        entries.isEmpty ? .nothing : .ambiguous,
        "\(name) has \(entries.count.counted("entry"))", hint: "choose one by its key",
        candidates: entries.prefix(10).map { $0.text(.citationKey) }
      ).about("entry")
    }
    let linked = try await session.document(document)
    let source = entries[0].completed(by: try await library.source(of: linked).userSource)
    outcome.source = SourcesOutcome(sources: [
      (linked, try await library.source(of: linked, setting: source, dryRun: dryRun))
    ])
    return outcome
  }
}
