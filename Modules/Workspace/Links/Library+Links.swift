import Dispatch
import Files
import MarkdownParse
package import Model
import Rendering
import Synchronization
package import SystemSupport

/// The links of one document, and those of other documents to it.
package struct LinkReport: Hashable, Sendable {
  /// The links with a target, in the order of the text.
  package var links: [DocumentLink] = []
  /// The links in other documents that lead to this one, by document.
  package var backlinks: [DocumentLink] = []
  /// The broken links, in the order of the text.
  package var unresolved: [DocumentLink] = []

  package init(
    links: [DocumentLink] = [], backlinks: [DocumentLink] = [], unresolved: [DocumentLink] = []
  ) {
    (self.links, self.backlinks, self.unresolved) = (links, backlinks, unresolved)
  }
}

extension Library {
  /// Returns the links of an open text, and the links to it. For the latter, the files of all
  /// documents are read and parsed. O(total bytes).
  ///
  /// - Parameter file: the absolute path of the text's file.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func links(of open: OpenDocument, file: String) throws(UserError) -> LinkReport {
    let documents = try documents()
    var linker = Linker(documents, in: location)
    linker.parts[file] = LinkParts(open.parsed)
    var report = LinkReport()
    for link in resolve(
      LinkOccurrence.all(in: open.parsed) { _ in true }, of: open.document, file, &linker)
    {
      if link.problem == nil { report.links.append(link) } else { report.unresolved.append(link) }
    }
    guard let document = open.document else { return report }
    let others = documents.filter { $0.id != document.id && $0.state == .present }
    for (other, destinations) in zip(others, Self.destinations(of: others, location, dialects)) {
      let source = location.absolute(other.path)
      let found = destinations.filter {
        guard let place = try? place(ofLink: $0, in: source, of: other, &linker.cache) else {
          return false
        }
        return place.file.flatMap { linker.document(at: $0) }?.id == document.id
      }
      guard !found.isEmpty, let parsed = Self.parsed(other, location, dialects) else { continue }
      let links = LinkOccurrence.all(in: parsed) { found.contains($0) }
      report.backlinks += resolve(links, of: other, source, &linker)
    }
    return report
  }

  /// Returns the broken links of some documents, by document. The files of the documents are read
  /// and parsed. O(total bytes).
  ///
  /// - Parameter chosen: the documents; nil for all documents of the library.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func unresolvedLinks(of chosen: [Document]? = nil) throws(UserError) -> [DocumentLink] {
    let documents = try documents()
    let present = (chosen ?? documents).filter { $0.state == .present }
    var linker = Linker(documents, in: location)
    var unresolved: [DocumentLink] = []
    for (document, destinations) in zip(present, Self.destinations(of: present, location, dialects))
    {
      let file = location.absolute(document.path)
      let broken = destinations.filter {
        target(of: $0, in: document, file, &linker).problem != nil
      }
      guard !broken.isEmpty, let parsed = Self.parsed(document, location, dialects) else {
        continue
      }
      let links = LinkOccurrence.all(in: parsed) { broken.contains($0) }
      unresolved += resolve(links, of: document, file, &linker).filter { $0.problem != nil }
    }
    return unresolved
  }

  /// The lookups that are shared by the links of a report.
  private struct Linker {
    let documents: [String: Document]
    var cache = LinkCache()
    /// The parts of files, by their paths; nil for a file that cannot be read.
    var parts: [String: LinkParts?] = [:]

    init(_ documents: [Document], in location: LibraryLocation) {
      self.documents = Dictionary(
        documents.filter { $0.state != .removed }.map { (location.absolute($0.path), $0) },
        uniquingKeysWith: { first, _ in first })
    }

    func document(at path: String) -> Document? { documents[path] }
  }

  private func resolve(
    _ links: [LinkOccurrence], of document: Document?, _ file: String, _ linker: inout Linker
  ) -> [DocumentLink] {
    var known: [String: (target: DocumentLink.Target?, problem: UserError?)] = [:]
    return links.map { link in
      let found =
        known[link.destination] ?? target(of: link.destination, in: document, file, &linker)
      known[link.destination] = found
      return DocumentLink(
        document: document, destination: link.destination, kind: link.kind, range: link.range,
        position: link.position, words: link.words, sentence: link.sentence,
        target: found.target, problem: found.problem)
    }
  }

  /// Returns the target of a link, or the reason why it is broken. A folder is a target, because
  /// other programs open it.
  private func target(
    of destination: String, in document: Document?, _ file: String, _ linker: inout Linker
  ) -> (target: DocumentLink.Target?, problem: UserError?) {
    let place: LinkPlace
    do throws(UserError) {
      place = try self.place(ofLink: destination, in: file, of: document, &linker.cache)
    } catch {
      let folder = linkedFolder(destination, from: file, of: document)
      return folder.map { (.file($0), nil) } ?? (nil, error)
    }
    if let address = place.address { return (.address(address), nil) }
    let path = place.file ?? file
    var range: TextRange?
    if let part = place.part {
      guard let parts = parts(of: path, &linker) else { return (.file(path), nil) }
      range = parts.range(of: part)
      if range == nil { return (nil, .noPart(part)) }
    }
    guard let target = place.file == nil ? document : linker.document(at: path) else {
      return (.file(path), nil)
    }
    return (.document(target, place.part, range), nil)
  }

  /// Returns the parts of a Markdown file; nil for other files and files that cannot be read.
  private func parts(of path: String, _ linker: inout Linker) -> LinkParts? {
    if let known = linker.parts[path] { return known }
    var parts: LinkParts?
    if FolderScan.isMarkdown(path) || linker.document(at: path) != nil,
      let file = try? SourceFile(reading: path)
    {
      parts = LinkParts(dialects.parse(file))
    }
    linker.parts[path] = .some(parts)
    return parts
  }

  /// Returns the existing folder that a link leads to; nil for other links, and if the folder is
  /// outside the permitted ones.
  private nonisolated func linkedFolder(
    _ destination: String, from file: String, of document: Document?
  ) -> String? {
    guard case .file(let path, _) = LinkTarget(destination, from: file),
      let status = try? FileSystem.status(of: path), status.isFolder
    else { return nil }
    return document == nil || !location.isOutside(location.documentPath(path)) ? path : nil
  }

  // MARK: - Reading all files

  /// Returns the distinct destinations in each document's file, on two threads. Documents whose
  /// files cannot be read have none.
  private static func destinations(
    of documents: [Document], _ location: LibraryLocation, _ dialects: Dialects
  ) -> [Set<String>] {
    let found = Mutex([Set<String>](repeating: [], count: documents.count))
    let threads = documents.count < 8 ? 1 : 2
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for index in stride(from: thread, to: documents.count, by: threads) {
        guard let parsed = parsed(documents[index], location, dialects) else { continue }
        let destinations = Set(parsed.links.map(\.target))
        found.withLock { $0[index] = destinations }
      }
    }
    return found.withLock(\.self)
  }

  /// Returns the parsed text of a document's file; nil if it cannot be read or can contain no link.
  private static func parsed(
    _ document: Document, _ location: LibraryLocation, _ dialects: Dialects
  ) -> ParsedDocument? {
    guard let path = try? location.file(of: document.path),
      let file = try? SourceFile(reading: path)
    else { return nil }
    // Every link has a bracket or a tag, or is a bare address.
    guard file.bytes.contains(where: { $0 == 0x5B || $0 == 0x3C || $0 == 0x3A || $0 == 0x40 })
    else { return nil }
    return dialects.parse(file)
  }
}
