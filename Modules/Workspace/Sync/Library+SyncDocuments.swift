import Files
import FoundationEssentials
import MarkdownParse
import Model
import Storage
import SystemSupport

/// Finds documents of other machines on this one, and the places of their highlights in the files that
/// are here.
extension Library {
  /// A text shorter than this is found by its path only: templates and empty notes are alike.
  private static let tellingLength = 200
  /// How alike a file at the same path has to be, and one elsewhere.
  private static let (pathSimilarity, otherSimilarity) = (0.5, 0.8)
  /// How many documents are compared with one that is looked for elsewhere.
  private static let comparedLimit = 200

  /// Takes in where highlights of other machines stand, after operations came.
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
      guard let document = try? document(id: id), document.state == .present else { continue }
      do { try placeAnew(document) } catch {
        // Its file is at fault, not the library: it is looked at again with the next refresh.
        report.notices.append("\(document.path.string): \(error.message)")
      }
    }
  }

  /// Looks for the documents of other machines that are not known to be here.
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
    try keep(answers)
  }

  /// The file of this machine that a document of another may be.
  private func match(
    _ remote: Document, _ byText: [ContentDigest: [Document]], _ compared: inout ComparedTexts
  ) throws(UserError) -> DocumentMatch? {
    let digests = try storage { try store.read { try $0.knownTexts(of: remote.id) } }
    let texts = try storage {
      try store.read { transaction in
        try digests.compactMap { try transaction.snapshot($0, of: remote.id) }
      }
    }
    // The same text, when there is one document of it and it says enough.
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
      // Where no text came along, there is the name.
      if isAlike || texts.isEmpty {
        let isSure = !texts.isEmpty || remote.title == DocumentTitle.of(parsed, path: path)
        return DocumentMatch(remote: remote, path: path, ground: isSure ? .path : .similar)
      }
    }
    return try similar(to: remote, texts, &compared)
  }

  /// The one document of this machine whose text is nearly that of another's.
  private func similar(to remote: Document, _ texts: [String], _ compared: inout ComparedTexts)
    throws(UserError) -> DocumentMatch?
  {
    guard let text = texts.last, text.utf16.count >= Self.tellingLength else { return nil }
    let similarity = TextSimilarity(text)
    let name = remote.path.name
    var found: [(document: Document, score: Double)] = []
    // Namesakes first; of a large library not every text is compared.
    let namesakes = compared.names[name] ?? []
    for document in namesakes.prefix(Self.comparedLimit) {
      guard let own = try compared.text(of: document, self) else { continue }
      let score = similarity.scoreOfNamesake(own)
      if score >= Self.otherSimilarity { found.append((document, score)) }
    }
    for document in compared.others.prefix(max(0, Self.comparedLimit - namesakes.count))
    where document.path.name != name {
      guard let own = try compared.text(of: document, self),
        similarity.canReach(Self.otherSimilarity, with: own)
      else { continue }
      let score = similarity.score(own)
      if score >= Self.otherSimilarity { found.append((document, score)) }
    }
    guard found.count == 1 else { return nil }
    let isNamesake = found[0].document.path.name == name
    return DocumentMatch(
      remote: remote, path: found[0].document.path, ground: isNamesake ? .path : .similar)
  }

  /// The documents of this machine that others are compared with, each of whose texts is taken apart
  /// once.
  private struct ComparedTexts {
    let names: [String: [Document]]
    let others: ArraySlice<Document>
    private var texts: [Document.ID: TextSimilarity?] = [:]

    init(names: [String: [Document]], others: ArraySlice<Document>) {
      (self.names, self.others) = (names, others)
    }

    /// The text of a document as it was last seen; nil where it is not kept.
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

  /// The Markdown file at a path that another machine said, when it is below the library's folder and
  /// not hidden: what others say opens nothing else.
  func localFile(at path: DocumentPath) -> SourceFile? {
    let parts = path.string.split(separator: "/", omittingEmptySubsequences: false)
    guard location.root != nil, !path.isAbsolute,
      parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }),
      FolderScan.extensions.contains(
        path.name.split(separator: ".").last.map { $0.lowercased() } ?? ""),
      let file = try? location.file(of: DocumentPath(path.string))
    else { return nil }
    return try? SourceFile(reading: file)
  }

  /// Takes a document of another machine for one of this, or for a file that is none yet.
  func join(_ match: DocumentMatch) throws(UserError) -> Bool {
    let done = try storage {
      try store.write { transaction -> Bool in
        // No person did it, so there is nothing for undo; `doc unlink` parts them again.
        transaction.journal(JournalStep(nil))
        if let own = try transaction.document(at: match.path), own.id != match.remote.id {
          // What a person has parted is not put together again.
          if try transaction.wasParted(own.id, match.remote.id) { return false }
          return try transaction.setAlias(own.id, match.remote.id, true)
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
    if document.state == .present { try placeAnew(document) }
    return true
  }
}
