import Files
import FoundationEssentials
import Glibc
import MarkdownParse
import Model
import Storage
import SystemSupport
import Workspace

/// Matches documents of other devices with files on this one, and locates their highlights.
extension Library {
  /// The minimum length, in UTF-16 units, of a text that identifies a document. Shorter texts, such
  /// as templates and empty notes, are matched by path only.
  private static let tellingLength = 200
  /// The minimum similarity of a file at the same path, and of a file at another path, from 0 to 1.
  private static let (pathSimilarity, otherSimilarity) = (0.5, 0.8)
  /// The maximum number of local documents that are compared with a document of another device.
  private static let comparedLimit = 200

  /// Stores the locations of received highlights in the texts in which they were made, and then
  /// locates the highlights in the files on this device.
  ///
  /// - Parameters:
  ///   - documents: the documents whose operations were received.
  ///   - report: receives a notice for each file that cannot be read.
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func placeReceived(_ documents: Set<Document.ID>, _ report: inout SyncReport)
    throws(UserError)
  {
    guard !documents.isEmpty else { return }
    try storage {
      try store.writeCache { transaction in
        for id in documents { try transaction.adoptPlaces(of: id) }
      }
    }
    for id in documents.sorted() {
      guard let document = try? document(id: id), document.state != .removed else { continue }
      do { try placeReceived(document) } catch {
        // Only this file cannot be read. It is checked again with the next refresh.
        report.notices.append("\(document.shownPath): \(error.message)")
      }
    }
  }

  /// Locates the highlights of a received document. Checks its file first, because another device
  /// may have linked the document with a local one.
  private func placeReceived(_ document: Document) throws(UserError) {
    if !document.path.isElsewhere { _ = try refresh([document]) }
    let document = try self.document(id: document.id)
    if document.state == .present { try anchorAgain(document) }
  }

  /// Searches for the documents of other devices that have no file on this device yet.
  ///
  /// Certain matches are linked. The others are added to the report as suggestions.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func findDocuments(_ report: inout SyncReport) async throws(UserError) {
    let all = try documents()
    let elsewhere = all.filter(\.path.isElsewhere)
    guard !elsewhere.isEmpty else { return }
    let here = all.filter { !$0.path.isElsewhere && $0.state == .present }
    let texts = try storage {
      try store.read { transaction in
        try here.map { (document: $0, digest: try transaction.revision(of: $0.id)?.textDigest) }
      }
    }
    let evidence = try await evidence(of: elsewhere, here)
    let state = try stateOfSearch(
      for: elsewhere,
      besides: texts.map {
        "\($0.document.id) \($0.document.path.string) \($0.digest?.description ?? "-")"
      })
    if evidence.isEmpty,
      try storage({ try store.read { try $0.syncState(Self.searchedName) } }) == state
    {
      report.suggested += try suggestedBefore(for: elsewhere)
      return
    }
    let byText = Dictionary(grouping: texts.filter { $0.digest != nil }, by: { $0.digest! })
      .mapValues { $0.map(\.document) }
    var answers = try rememberedMatches(
      comparedWith: texts.map { "\($0.digest?.description ?? "-") \($0.document.path.string)" })
    var compared = ComparedTexts(
      names: Dictionary(grouping: here, by: \.path.name), others: here.prefix(Self.comparedLimit))
    for remote in elsewhere {
      if let known = evidence[remote.id] {
        let found = DocumentMatch(remote: remote, path: known.path, ground: known.ground)
        if try join(found) { report.linked.append(found) }
        continue
      }
      let mark = try answers.mark(of: inputs(of: remote))
      let found: DocumentMatch?
      if let path = answers.path(of: remote.id, mark) {
        found = path.map { DocumentMatch(remote: remote, path: $0, ground: .similar) }
      } else {
        found = try match(remote, byText, &compared)
      }
      if let found, found.ground != .similar, try join(found) {
        report.linked.append(found)
        continue
      }
      let suggested = found.flatMap { $0.ground == .similar ? $0 : nil }
      if let suggested { report.suggested.append(suggested) }
      answers.remember(suggested?.path, of: remote.id, mark)
    }
    try storeMatches(answers, state)
  }

  /// Returns the local file that matches a document of another device; nil if no file matches.
  private func match(
    _ remote: Document, _ byText: [ContentDigest: [Document]], _ compared: inout ComparedTexts
  ) throws(UserError) -> DocumentMatch? {
    let digests = try storage { try store.read { try $0.knownTexts(of: remote.id) } }
    let texts = try storage {
      try store.read { transaction in
        try digests.compactMap { try transaction.snapshot($0, of: remote.id) }
      }
    }
    // A document with the same text is accepted if the text is long enough and no other local
    // document has it.
    for digest in digests {
      guard let candidates = byText[digest], candidates.count == 1,
        try length(of: candidates[0], digest) >= Self.tellingLength
      else { continue }
      return DocumentMatch(remote: remote, path: candidates[0].path, ground: .text)
    }
    if let file = localFile(at: remote.path) {
      let parsed = parse(file)
      let digest = ContentDigest(sha256: parsed.text.utf8)
      let path = DocumentPath(remote.path.string)
      if digests.contains(digest) {
        return DocumentMatch(remote: remote, path: path, ground: .path)
      }
      let isAlike = texts.contains {
        TextSimilarity($0).scoreOfNamesake(parsed.text.string) >= Self.pathSimilarity
      }
      // Without any text of the document, the file's path and title decide.
      if isAlike || texts.isEmpty {
        let isSure = !texts.isEmpty || remote.title == DocumentTitle.of(parsed, path: path)
        return DocumentMatch(remote: remote, path: path, ground: isSure ? .path : .similar)
      }
    }
    return try similar(to: remote, texts, &compared)
  }

  /// Returns the local document whose text is similar to that of a remote one; nil if none or
  /// several are similar.
  private func similar(to remote: Document, _ texts: [String], _ compared: inout ComparedTexts)
    throws(UserError) -> DocumentMatch?
  {
    guard !compared.others.isEmpty, let text = texts.last, text.utf16.count >= Self.tellingLength
    else { return nil }
    let similarity = TextSimilarity(text)
    let name = remote.path.name
    var found: [(document: Document, score: Double)] = []
    // Documents of the same name are first, because only part of a large library is compared.
    let namesakes = compared.names[name] ?? []
    for document in namesakes.prefix(Self.comparedLimit) {
      guard let localText = try compared.text(of: document, self) else { continue }
      let score = similarity.scoreOfNamesake(localText)
      if score >= Self.otherSimilarity { found.append((document, score)) }
    }
    for document in compared.others.prefix(max(0, Self.comparedLimit - namesakes.count))
    where document.path.name != name {
      guard let localText = try compared.text(of: document, self),
        similarity.canReach(Self.otherSimilarity, with: localText)
      else { continue }
      let score = similarity.score(localText)
      if score >= Self.otherSimilarity { found.append((document, score)) }
    }
    guard found.count == 1 else { return nil }
    let isNamesake = found[0].document.path.name == name
    return DocumentMatch(
      remote: remote, path: found[0].document.path, ground: isNamesake ? .path : .similar)
  }

  /// The local documents for comparisons. Each text is read and prepared only once.
  private struct ComparedTexts {
    let names: [String: [Document]]
    let others: ArraySlice<Document>
    private var texts: [Document.ID: TextSimilarity?] = [:]

    init(names: [String: [Document]], others: ArraySlice<Document>) {
      (self.names, self.others) = (names, others)
    }

    /// Returns a document's newest text, prepared for comparison; nil if the text is not stored.
    mutating func text(of document: Document, _ library: isolated Library) throws(UserError)
      -> TextSimilarity?
    {
      if let known = texts[document.id] { return known }
      let text = try library.storage {
        try library.store.read { transaction in
          try transaction.revision(of: document.id).flatMap {
            try transaction.snapshot($0.textDigest, of: document.id)
          }
        }
      }
      let similarity = text.map { TextSimilarity($0) }
      texts[document.id] = .some(similarity)
      return similarity
    }
  }

  private func length(of document: Document, _ digest: ContentDigest) throws(UserError) -> Int {
    try storage {
      try store.read { try $0.snapshot(digest, of: document.id)?.utf16.count ?? 0 }
    }
  }

  /// Returns the Markdown file at a path that another device sent; nil if it does not exist.
  ///
  /// The path must be relative, below the library's root and without hidden components. Other paths
  /// from other devices are never opened.
  func localFile(at path: DocumentPath) -> SourceFile? {
    let parts = path.string.split(separator: "/", omittingEmptySubsequences: false)
    guard location.root != nil, !path.isAbsolute,
      parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }),
      FolderScan.extensions.contains(
        path.name.split(separator: ".").last.map { $0.lowercased() } ?? ""),
      // For a missing file, this needs one system call. Resolving the path needs one for each
      // folder.
      access("\(location.root ?? "")/\(path.string)", F_OK) == 0,
      let file = try? location.file(of: DocumentPath(path.string))
    else { return nil }
    return try? SourceFile(reading: file)
  }

  /// Links a remote document with the local file that it matches. If a document has that file, the
  /// two documents are merged; otherwise the remote document is bound to the file.
  ///
  /// - Returns: false if nothing changed.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func join(_ match: DocumentMatch) throws(UserError) -> Bool {
    let done = try storage {
      try store.write { transaction -> Bool in
        // This is not a user action, so there is nothing to undo. `doc unlink` separates the
        // documents.
        transaction.journal(JournalStep(nil))
        if let local = try transaction.document(at: match.path), local.id != match.remote.id {
          // Documents that the user separated are not merged again.
          if try transaction.wasSeparated(local.id, match.remote.id) { return false }
          return try transaction.setAlias(local.id, match.remote.id, true)
        }
        try transaction.bind(match.remote.id, to: match.path)
        return true
      }
    }
    guard done else { return false }
    let id = try storage { try store.read { try $0.document(at: match.path)?.id } }
    guard let id else { return true }
    try storage { try store.writeCache { try $0.adoptPlaces(of: id) } }
    _ = try refresh([try document(id: id)])
    let document = try document(id: id)
    if document.state == .present { try anchorAgain(document) }
    return true
  }
}
