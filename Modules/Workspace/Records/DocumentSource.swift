import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// What is known of the work that a document is the text of, and who says it.
package struct DocumentSource: Hashable, Sendable {
  /// What says a variable.
  package enum Origin: String, Hashable, Sendable, Codable {
    /// A person, by `source set` or `source link`.
    case set
    /// The document's front matter.
    case file
    /// The program that quotes in the document were imported from.
    case `import`
    /// The document's title in the library.
    case title
  }

  /// What each says, the first first.
  private let layers: [(origin: Origin, source: Source)]

  init(_ layers: [(Origin, Source)]) { self.layers = layers }

  /// What a text that is in no library says of itself.
  package init(of open: OpenDocument) {
    var title = Source()
    title[.title] = .text(open.title)
    layers = [(.file, open.parsed.frontMatter?.source ?? Source()), (.title, title)]
  }

  /// All that is known: a person's word holds, then that of the file.
  package var whole: Source { layers.reduce(Source()) { $0.completed(by: $1.source) } }

  /// Who says a variable; nil where nobody does.
  package func origin(of variable: Source.Variable) -> Origin? {
    layers.first { $0.source[variable] != nil }?.origin
  }

  /// What a person said.
  package var said: Source { layers.first { $0.origin == .set }?.source ?? Source() }

  /// Whether more is known than what every document has, its title.
  package var isKnown: Bool { layers.contains { $0.origin != .title && !$0.source.isEmpty } }

  package static func == (a: Self, b: Self) -> Bool { a.layers.elementsEqual(b.layers, by: ==) }

  package func hash(into hasher: inout Hasher) {
    for layer in layers {
      hasher.combine(layer.origin)
      hasher.combine(layer.source)
    }
  }
}

extension FrontMatter {
  /// Those who wrote it, as they stand there.
  var authors: [String] {
    for key in ["author", "authors", "creator", "by"] {
      let names = list(key)
      // Obsidian's clipper writes them as links.
      if !names.isEmpty {
        return names.map {
          $0.hasPrefix("[[") && $0.hasSuffix("]]") ? String($0.dropFirst(2).dropLast(2)) : $0
        }
      }
    }
    return []
  }

  /// What it says of the work, by the keys that static site generators, Pandoc, Obsidian's clipper and
  /// Hugo have for it.
  var source: Source {
    var source = Source()
    source.set(.author, to: authors.flatMap { PersonName.list($0) })
    for (variable, keys) in Self.keys {
      guard source[variable] == nil, let text = keys.lazy.compactMap({ self[$0] }).first else {
        continue
      }
      source.set(variable, typed: text)
    }
    // `source` may be a remark; an address is told by its scheme.
    if source[.url] == nil, let text = self["source"], text.lowercased().hasPrefix("http") {
      source.set(.url, typed: text)
    }
    return source
  }

  private static let keys: [(Source.Variable, [String])] = [
    (.title, ["title"]), (.issued, ["date", "published", "issued", "year"]),
    (.url, ["url", "canonical_url", "canonical", "link", "original_url"]), (.doi, ["doi", "DOI"]),
    (.isbn, ["isbn", "ISBN"]), (.publisher, ["publisher"]),
    (.container, ["container-title", "journal", "publication", "site", "site_name"]),
    (.language, ["language", "lang"]), (.citationKey, ["citekey", "citation-key", "bibkey"]),
    (.type, ["csl-type"]), (.page, ["pages"]), (.chapter, ["chapter"]),
  ]
}

extension Library {
  /// What is known of the work that a document is the text of. The file's front matter is read where
  /// the file is there; one that cannot be read says nothing.
  package func source(of document: Document) throws(UserError) -> DocumentSource {
    try storage {
      try store.read { try self.source(of: document, said: $0.source(of: document.id), in: $0) }
    }
  }

  /// The documents of whose source something is known, in the order of their paths, with it.
  package func sources() throws(UserError) -> [(document: Document, source: DocumentSource)] {
    try storage {
      try store.read { transaction in
        let said = try transaction.sources()
        return try transaction.documents(includingRemoved: false).sorted { $0.path < $1.path }
          .compactMap { document in
            let source = try self.source(
              of: document, said: said[document.id] ?? Source(), in: transaction)
            return source.isKnown ? (document, source) : nil
          }
      }
    }
  }

  /// The same within a transaction.
  func source(of document: Document, said: Source, in transaction: ReadTransaction) throws
    -> DocumentSource
  {
    self.source(of: document, said: said, try transaction.firstOrigin(of: document.id))
  }

  /// The same with the origin of the oldest imported highlight in the document.
  func source(of document: Document, said: Source, _ first: StoredOrigin?) -> DocumentSource {
    var layers = [(DocumentSource.Origin.set, said)]
    if let matter = frontMatter(of: document) { layers.append((.file, matter.source)) }
    if let origin = first?.origin {
      var source = Source()
      source.set(.author, typed: origin.author ?? "")
      if let title = origin.title, document.title == QuoteBook.heading(of: title) {
        source[.title] = .text(title)
      }
      layers.append((.import, source))
    }
    var title = Source()
    title[.title] = .text(document.title)
    return DocumentSource(layers + [(.title, title)])
  }

  /// What a document's file begins with.
  func frontMatter(of document: Document) -> FrontMatter? {
    guard document.state == .present, let path = try? location.file(of: document.path),
      let start = try? SourceFile.start(of: path, limit: Self.frontMatterLimit)
    else { return nil }
    guard
      start.starts(with: "---".utf8) || start.starts(with: "+++".utf8)
        || start.starts(with: "\u{FEFF}---".utf8)
    else { return nil }
    var options = MarkdownOptions()
    options.frontMatter = true
    return ParsedDocument(parsing: MarkdownSource(start), options: options).frontMatter
  }

  /// A front matter is shorter, in bytes.
  private static let frontMatterLimit = 64 << 10

  /// Says what the source of a document is; what is not in `said` is taken away.
  ///
  /// - Returns: what is known of it then.
  /// - Throws: `nothing` when that is said already, `usage` for a source that is too large.
  package func source(of document: Document, setting said: Source, dryRun: Bool) throws(UserError)
    -> DocumentSource
  {
    try requireStorable(said)
    return try storage {
      try store.write(dryRun: dryRun) { transaction in
        guard try transaction.setSource(said, of: document.id) else {
          throw UserError(.nothing, "the source of \(document.path.string) says that already")
        }
        return try source(of: document, said: said, in: transaction)
      }
    }
  }

  /// The same for several documents in one step.
  func setSources(_ sources: [(document: Document, source: Source)]) throws(UserError) {
    for (_, source) in sources { try requireStorable(source) }
    try storage {
      try store.write { transaction in
        for (document, source) in sources {
          _ = try transaction.setSource(source, of: document.id)
        }
      }
    }
  }

  func requireStorable(_ source: Source) throws(UserError) {
    for (variable, value) in source.values where value.size > Self.valueLimit {
      throw UserError(
        .usage,
        "\(variable.rawValue) is longer than \(Self.valueLimit / 1024) KiB, the most for a source")
    }
    guard source.values.count <= 200 else {
      throw UserError(.usage, "a source has at most 200 variables")
    }
  }

  private static let valueLimit = 64 << 10
}

extension JSONValue {
  /// About how many bytes it takes.
  fileprivate var size: Int {
    switch self {
    case .null, .flag, .number: 8
    case .text(let text): text.utf8.count
    case .list(let list): list.reduce(8) { $0 + $1.size }
    case .object(let object): object.reduce(8) { $0 + $1.key.utf8.count + $1.value.size }
    }
  }
}
