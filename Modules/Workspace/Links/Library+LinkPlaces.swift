import Files
import MarkdownParse
package import Model
import Rendering
package import SystemSupport

/// The results of lookups that are reused while many links are resolved. Discard it before files
/// can change.
package struct LinkCache {
  /// The files of the library's documents.
  fileprivate var documents: FileNames?
  /// The Markdown files below folders, by the folder.
  fileprivate var scanned: [String: FileNames] = [:]
  /// The sites by the folder of the linking file.
  fileprivate var sites: [String: Site?] = [:]
  /// The vaults by the folder of the linking file.
  fileprivate var vaults: [String: String] = [:]
  /// The library's root folder without symbolic links; nil until it is needed.
  fileprivate var realRoot: String?

  package init() {}
}

/// Files by their names, ignoring case.
private struct FileNames {
  private var paths: [String: [String]] = [:]

  init(_ files: [String]) {
    for file in files { paths[file.lastComponent.lowercased(), default: []].append(file) }
  }

  /// Returns the files whose last components are `name`, ignoring case and the extension `.md`, in
  /// the order of their paths, each once.
  func files(named name: String) -> [String] {
    let name = "/" + name.lowercased()
    let last = String(name.lastComponent)
    let candidates = (paths[last] ?? []) + (paths[last + ".md"] ?? [])
    return Array(
      Set(
        candidates.filter {
          let path = $0.lowercased()
          return path.hasSuffix(name) || path.hasSuffix(name + ".md")
        })
    ).sorted()
  }
}

extension Library {
  /// Returns the place that a link leads to. Every front-end follows links with this function.
  ///
  /// - Parameters:
  ///   - destination: the target as `Link.target` returns it, so that names of notes are in double
  ///     brackets.
  ///   - file: the absolute path of the file that contains the link.
  ///   - document: the document of the file; nil if the file is in no library.
  /// - Throws: `notFound` if the file does not exist or is outside the permitted folders;
  ///   `ambiguous` if several notes have the name.
  package func place(ofLink destination: String, in file: String, of document: Document?)
    throws(UserError) -> LinkPlace
  {
    var cache = LinkCache()
    return try place(ofLink: destination, in: file, of: document, &cache)
  }

  package func place(
    ofLink destination: String, in file: String, of document: Document?, _ cache: inout LinkCache
  ) throws(UserError) -> LinkPlace {
    switch LinkTarget(destination, from: file) {
    case .address(let address): return LinkPlace(address: address)
    case .heading(let name): return LinkPlace(part: name.isEmpty ? nil : .name(name))
    case .note(let name, let part):
      let part = part.flatMap { $0.isEmpty ? nil : LinkPart.note($0) }
      if name.isEmpty { return LinkPlace(part: part) }
      let note = try self.file(ofNote: name, from: file, &cache)
      return LinkPlace(file: try permitted(note, from: document, &cache), part: part)
    case .file(let path, let name):
      let part = name.flatMap { $0.isEmpty ? nil : LinkPart.name($0) }
      let found = try linkedFile(destination, path, from: file, &cache)
      return LinkPlace(file: try permitted(found, from: document, &cache), part: part)
    }
  }

  /// Returns the places of several links of a document; nil for a broken link.
  package func places(ofLinks destinations: [String], of document: Document) -> [LinkPlace?] {
    var cache = LinkCache()
    let file = location.absolute(document.path)
    return destinations.map { try? place(ofLink: $0, in: file, of: document, &cache) }
  }

  /// Returns a file that a document may link to, without symbolic links below the library's root.
  /// The root is written as the library writes it, so that documents are found by the path.
  private func permitted(_ path: String, from document: Document?, _ cache: inout LinkCache)
    throws(UserError) -> String
  {
    let real = try location.file(linked: path, from: document)
    guard let root = location.root else { return real }
    let realRoot = cache.realRoot ?? FileSystem.resolved(root) ?? root
    cache.realRoot = realRoot
    guard realRoot != root, real.isBelow(realRoot) else { return real }
    return root.appending(String(real.dropFirst(realRoot == "/" ? 1 : realRoot.count + 1)))
  }

  /// Returns the file that a relative or rooted destination refers to: the file itself, the Markdown
  /// file of a page `x.html`, or the file that the site around the linking file has for the address.
  /// The file need not exist.
  ///
  /// - Throws: `notFound` if the destination begins at the root of a site that has no such file.
  private func linkedFile(
    _ destination: String, _ path: String, from file: String, _ cache: inout LinkCache
  ) throws(UserError) -> String {
    let isRooted = destination.hasPrefix("/")
    if !isRooted {
      if Self.isFile(path) { return path }
      if let source = Self.source(ofPage: path) { return source }
    }
    guard let site = site(around: file, &cache) else { return path }
    let candidates = site.files(of: destination, from: file)
    if let found = candidates.first(where: Self.isFile) { return found }
    if site.dialect == .hugo {
      let names = names(below: site.folder.appending("content"), &cache)
      // Hugo writes all addresses in lower case.
      for candidate in candidates {
        let found = names.files(named: String(candidate.lastComponent))
        let name = candidate.lowercased()
        if let same = found.first(where: { $0.lowercased() == name }) { return same }
      }
      // `ref` finds a page anywhere in the content by its name, if only one page has it.
      if let name = path.split(separator: "/").last, !destination.utf8.contains(0x2F) {
        let found = names.files(named: String(name))
        if found.count == 1 { return found[0] }
      }
    }
    if isRooted, !Self.isFile(path) {
      throw UserError(.notFound, "there is no page or file '\(destination)' in \(site.folder)")
    }
    return path
  }

  /// Returns the Markdown file from which a tool such as mdBook makes a page, by the path of the
  /// page; nil if there is no such file.
  private static func source(ofPage path: String) -> String? {
    guard let ending = [".html", ".htm"].first(where: { path.hasSuffix($0) }) else { return nil }
    let source = String(path.dropLast(ending.count)) + ".md"
    return isFile(source) ? source : nil
  }

  private func site(around file: String, _ cache: inout LinkCache) -> Site? {
    let folder = file.parentFolder
    if let known = cache.sites[folder] { return known }
    let site = location.site(around: file)
    cache.sites[folder] = .some(site)
    return site
  }

  private func names(below folder: String, _ cache: inout LinkCache) -> FileNames {
    if let known = cache.scanned[folder] { return known }
    let names = FileNames(FolderScan(folder).files)
    cache.scanned[folder] = names
    return names
  }

  /// Returns the file that a wiki link `[[name]]` refers to. The name can be a path relative to the
  /// vault or to the linking file's folder. Otherwise, it is compared with file names, ignoring
  /// case and the extension `.md`; if several files match, the one in the linking file's folder is
  /// returned. The library's documents are searched first, then the files of the vault.
  ///
  /// - Parameter file: the absolute path of the file that contains the link.
  /// - Throws: `notFound` if there is no such file; `ambiguous` if there are several and none is in
  ///   the linking file's folder.
  package func file(ofNote name: String, from file: String) throws(UserError) -> String {
    var cache = LinkCache()
    return try self.file(ofNote: name, from: file, &cache)
  }

  private func file(ofNote name: String, from file: String, _ cache: inout LinkCache)
    throws(UserError) -> String
  {
    let folder = file.parentFolder
    let vault =
      cache.vaults[folder] ?? dialects.vault(around: file) ?? location.root ?? folder
    cache.vaults[folder] = vault
    for base in [vault, folder] {
      for ending in ["", ".md"] {
        let path = FileSystem.absolute(name + ending, from: base)
        if path.isBelow(vault), Self.isFile(path) { return path }
      }
    }
    let documents: FileNames
    if let known = cache.documents {
      documents = known
    } else {
      documents = FileNames(
        try self.documents().filter { $0.state == .present }.map { location.absolute($0.path) })
      cache.documents = documents
    }
    for names in [documents, nil] {
      let found = (names ?? self.names(below: vault, &cache)).files(named: name)
      if found.count == 1 { return found[0] }
      if let near = found.first(where: { $0.parentFolder == folder }) { return near }
      if !found.isEmpty {
        throw UserError(
          .ambiguous, "'\(name)' is the name of \(found.count.counted("file"))", candidates: found)
      }
    }
    throw UserError(.notFound, "there is no note '\(name)' in \(vault)")
  }
}
