import Files
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// The bibliographic source of a document: the work whose text the document is.
///
/// The variables are collected in layers. Values that the user set override those of the front
/// matter, which override those of an import and the document's title.
///
/// ```swift
/// let source = try await library.source(of: document)
/// source.whole[.title]      // the title of the topmost layer that has one
/// source.origin(of: .doi)   // .file if the front matter has the DOI
/// ```
package struct DocumentSource: Hashable, Sendable {
  /// The layer that a variable's value is from.
  package enum Origin: String, Hashable, Sendable, Codable {
    /// The user set it, with `source set` or `source link`.
    case set
    /// The document's front matter.
    case file
    /// The application from which quotes in the document were imported.
    case `import`
    /// The document's title in the library.
    case title
  }

  /// The layers, highest precedence first.
  private let layers: [(origin: Origin, source: Source)]

  package init(_ layers: [(Origin, Source)]) { self.layers = layers }

  /// Creates the source of a text that is not in a library, from its front matter and its title.
  package init(of open: OpenDocument) {
    var title = Source()
    title[.title] = .text(open.title)
    layers = [(.file, open.parsed.frontMatter?.source ?? Source()), (.title, title)]
  }

  /// All layers merged; each variable has the value of the topmost layer that contains it.
  package var whole: Source { layers.reduce(Source()) { $0.completed(by: $1.source) } }

  /// Returns the layer that a variable's value is from; nil if no layer contains the variable.
  package func origin(of variable: Source.Variable) -> Origin? {
    layers.first { $0.source[variable] != nil }?.origin
  }

  /// The variables that the user set; empty if the user set none.
  package var userSource: Source { layers.first { $0.origin == .set }?.source ?? Source() }

  /// Whether any variable is known besides the title, which every document has.
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
  /// The names of the authors as the front matter writes them, from the first of the keys `author`,
  /// `authors`, `creator` and `by` that has a value.
  var authors: [String] {
    for key in ["author", "authors", "creator", "by"] {
      let names = list(key)
      // Obsidian's Web Clipper writes each author as a link.
      if !names.isEmpty {
        return names.map {
          $0.hasPrefix("[[") && $0.hasSuffix("]]") ? String($0.dropFirst(2).dropLast(2)) : $0
        }
      }
    }
    return []
  }

  /// The bibliographic variables of the front matter.
  ///
  /// The keys are those of common static site generators, Hugo, Pandoc and Obsidian's Web Clipper.
  var source: Source {
    var source = Source()
    source.set(.author, to: authors.flatMap { PersonName.list($0) })
    for (variable, keys) in Self.keys {
      guard source[variable] == nil, let text = keys.lazy.compactMap({ self[$0] }).first else {
        continue
      }
      source.set(variable, typed: text)
    }
    // `source` may also be a remark. Only a value with an HTTP scheme is an address.
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
    (.abstract, ["abstract", "description", "summary", "excerpt"]), (.type, ["csl-type"]),
    (.page, ["pages"]), (.chapter, ["chapter"]),
  ]
}

/// The works whose text a document is: an imported highlight of another work can also be in it,
/// because both contain the same words.
package struct DocumentWorks {
  private let titles: Set<FoldedTitle>
  private let addresses: Set<Source.Mark>

  /// - Parameters:
  ///   - title: the title of the document.
  ///   - known: the bibliographic source of the document, as far as it is known without imported
  ///     highlights.
  package init(titled title: String, _ known: Source) {
    let written = [title, known.text(.title), known.text(.container)]
    titles = Set(written.map(FoldedTitle.init).filter { !$0.isEmpty })
    addresses = Set(known.marks)
  }

  /// Returns whether one of the works is the source of imported highlights: it has the same address,
  /// or the same title except for case and punctuation, or the document consists of its quotes.
  package func contain(_ origin: Origin) -> Bool {
    if let title = origin.title,
      titles.contains(FoldedTitle(title))
        || titles.contains(FoldedTitle(DocumentTitle.ofQuotes(from: title)))
    {
      return true
    }
    guard let source = origin.source else { return false }
    var address = Source()
    address[.url] = .text(source)
    return !addresses.isDisjoint(with: address.marks)
  }
}

extension Library {
  /// Returns the bibliographic source of a document.
  ///
  /// The start of the file is read if the file exists. If it cannot be read, the front matter is
  /// left out.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func source(of document: Document) throws(UserError) -> DocumentSource {
    try storage {
      try store.read {
        try self.source(of: document, userSource: $0.source(of: document.id), in: $0)
      }
    }
  }

  /// Returns the documents for which more than the title is known, with their sources, in the order
  /// of their paths. Reads the start of each file.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func sources() throws(UserError) -> [(document: Document, source: DocumentSource)] {
    try storage {
      try store.read { transaction in
        let userSource = try transaction.sources()
        return try transaction.documents(includingRemoved: false).sorted { $0.path < $1.path }
          .compactMap { document in
            let source = try self.source(
              of: document, userSource: userSource[document.id] ?? Source(), in: transaction)
            return source.isKnown ? (document, source) : nil
          }
      }
    }
  }

  /// Returns the bibliographic source of a document within a transaction. `userSource` contains the
  /// variables that the user set.
  func source(of document: Document, userSource: Source, in transaction: ReadTransaction) throws
    -> DocumentSource
  {
    self.source(
      of: document, userSource: userSource, try transaction.worksImported(into: document.id))
  }

  /// Returns the bibliographic source of a document. `imported` are the works whose highlights were
  /// imported into it.
  package func source(of document: Document, userSource: Source, _ imported: [Origin])
    -> DocumentSource
  {
    var layers = [(DocumentSource.Origin.set, userSource)]
    if let matter = frontMatter(of: document) { layers.append((.file, matter.source)) }
    let works = DocumentWorks(titled: document.title, DocumentSource(layers).whole)
    if let origin = imported.first(where: works.contain) {
      var source = Source()
      source.set(.author, typed: origin.author ?? "")
      if let title = origin.title, document.title == DocumentTitle.ofQuotes(from: title) {
        source[.title] = .text(title)
      }
      layers.append((.import, source))
    }
    var title = Source()
    title[.title] = .text(document.title)
    return DocumentSource(layers + [(.title, title)])
  }

  /// Reads the front matter at the start of a document's file; nil if the file has none or cannot
  /// be read.
  package func frontMatter(of document: Document) -> FrontMatter? {
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

  /// The number of bytes at the start of a file that are searched for its front matter.
  private static let frontMatterLimit = 64 << 10

  /// Replaces the variables that the user set for a document. Variables that `userSource` does not
  /// contain are deleted.
  ///
  /// - Returns: the merged source after the change.
  /// - Throws: `nothing` if the values are unchanged; `usage` if a value is longer than 64 KiB or
  ///   there are more than 200 variables.
  package func source(of document: Document, setting userSource: Source, dryRun: Bool)
    throws(UserError)
    -> DocumentSource
  {
    try requireStorable(userSource)
    return try storage {
      try store.write(dryRun: dryRun) { transaction in
        guard try transaction.setSource(userSource, of: document.id) else {
          throw UserError(.nothing, "the source of \(document.shownPath) is unchanged")
        }
        return try source(of: document, userSource: userSource, in: transaction)
      }
    }
  }

  /// Replaces the variables that the user set for several documents, in one step of the history.
  /// Documents whose values are unchanged are skipped.
  ///
  /// - Throws: `usage` if a source is too large.
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
        "\(variable.rawValue) is longer than \(Self.valueLimit / 1024) KiB, the maximum of a value"
      )
    }
    guard source.values.count <= 200 else {
      throw UserError(.usage, "a source has at most 200 variables")
    }
  }

  private static let valueLimit = 64 << 10
}

extension JSONValue {
  /// The approximate size of the value in bytes.
  fileprivate var size: Int {
    switch self {
    case .null, .flag, .number, .decimal: 8
    case .text(let text): text.utf8.count
    case .list(let list): list.reduce(8) { $0 + $1.size }
    case .object(let object): object.reduce(8) { $0 + $1.key.utf8.count + $1.value.size }
    }
  }
}
