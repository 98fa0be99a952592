import Articles
import Interchange
import Model

/// The package document of an EPUB: the book's metadata, its chapters in reading order, and its
/// table of contents.
struct BookPackage {
  struct Item: Hashable {
    /// The file in the archive.
    var file: String
    var type: String
    var properties: String
    /// The id of the item to show instead, if its type is not readable.
    var fallback: String?

    /// Whether the item contains text.
    var isText: Bool {
      type.contains("html") || type.contains("xml") || type.isEmpty
    }
  }

  /// A line of the table of contents.
  struct Entry {
    var title: String
    /// The file in the archive; empty for a line without a link.
    var file: String
    var level: Int
  }

  var origin = FetchAnswer.Origin()
  private(set) var chapters: [Item] = []
  private(set) var contents: [Entry] = []
  /// The number of chapters beyond the limit.
  private(set) var surplus = 0

  private static let documentLimit = 16 << 20
  private static let mostEntries = 10_000
  private static let deepest = 12

  init(_ archive: BookArchive) throws(FetchError) {
    let container = try Self.tree(of: "META-INF/container.xml", in: archive)
    try Self.requireReadable(archive)
    let roots = container.descendants(of: MarkupTree.root).filter {
      container.name(of: $0) == "rootfile"
    }
    guard let name = roots.lazy.compactMap({ container.attribute("full-path", of: $0) }).first
    else {
      throw FetchError("usage", "the book names no package document")
    }
    let package = try Self.tree(of: name, in: archive)
    readMetadata(package)
    let folder = Self.folder(of: name)
    var items: [String: Item] = [:]
    var navigation: String?
    for node in package.descendants(of: MarkupTree.root) where package.name(of: node) == "item" {
      guard let id = package.attribute("id", of: node),
        let file = package.attribute("href", of: node).flatMap({ Self.file($0, from: folder) })
      else { continue }
      let item = Item(
        file: file, type: (package.attribute("media-type", of: node) ?? "").lowercased(),
        properties: package.attribute("properties", of: node) ?? "",
        fallback: package.attribute("fallback", of: node))
      items[id] = item
      if item.properties.split(separator: " ").contains("nav") { navigation = file }
    }
    var outline: String?
    var known: Set<String> = []
    for node in package.descendants(of: MarkupTree.root) {
      switch package.name(of: node) {
      case "spine": outline = package.attribute("toc", of: node).flatMap { items[$0]?.file }
      case "itemref":
        guard var item = package.attribute("idref", of: node).flatMap({ items[$0] }) else {
          continue
        }
        if !item.isText, let other = item.fallback.flatMap({ items[$0] }), other.isText,
          other.file != navigation
        {
          item = other
        }
        guard item.file != navigation, known.insert(item.file).inserted else { continue }
        // One text is the table of contents.
        if chapters.count < FetchAnswer.mostTexts - 1 {
          chapters.append(item)
        } else {
          surplus += 1
        }
      default: continue
      }
    }
    outline = outline ?? items.values.first { $0.type == "application/x-dtbncx+xml" }?.file
    guard !chapters.isEmpty else { throw FetchError("usage", "the book has no chapters") }
    if let navigation, archive.has(navigation),
      let tree = try? Self.tree(of: navigation, in: archive)
    {
      readNavigation(tree, Self.folder(of: navigation))
    }
    if contents.isEmpty, let outline, archive.has(outline),
      let tree = try? Self.tree(of: outline, in: archive)
    {
      readOutline(tree, MarkupTree.root, Self.folder(of: outline), 0)
    }
  }

  /// Refuses a book in which anything except fonts is encrypted.
  private static func requireReadable(_ archive: BookArchive) throws(FetchError) {
    guard archive.has("META-INF/encryption.xml") else { return }
    let tree = try tree(of: "META-INF/encryption.xml", in: archive)
    let fontMethods = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]
    for node in tree.descendants(of: MarkupTree.root)
    where tree.name(of: node) == "encryptionmethod" {
      // Any other algorithm encrypts text, or a key.
      guard !fontMethods.contains(tree.attribute("algorithm", of: node) ?? "") else { continue }
      throw FetchError(
        "usage", "the book is protected (DRM), and cannot be read",
        hint: "the shop's own program reads it")
    }
  }

  private static func tree(of name: String, in archive: BookArchive) throws(FetchError)
    -> MarkupTree
  {
    let bytes = try archive.content(of: name, limit: documentLimit)
    do { return try XMLReader.read(PageText.utf8(bytes, type: "")) } catch {
      throw FetchError(
        "usage", "the book's file \(name.prefix(200)) is damaged: \(error.description)")
    }
  }

  // MARK: - Names

  static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
  }

  /// Resolves a reference to a file in the archive, without its fragment; nil if it leads out of
  /// the archive.
  static func file(_ reference: String, from folder: String) -> String? {
    let path = reference.prefix { $0 != "#" && $0 != "?" }
    guard !path.contains(":"), !path.isEmpty else { return nil }
    var parts: [Substring] = []
    let full = path.hasPrefix("/") ? String(path.dropFirst()) : folder + path
    for part in full.split(separator: "/") {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/").withoutPercentSigns
  }

  // MARK: - Data

  private mutating func readMetadata(_ package: MarkupTree) {
    for node in package.descendants(of: MarkupTree.root) {
      let text = String(package.text(of: node).prefix(300))
      guard !text.isEmpty else { continue }
      switch package.name(of: node) {
      case "title": if origin.title.isEmpty { origin.title = text }
      case "creator":
        let role = package.attribute("role", of: node) ?? "aut"
        if role == "aut", origin.authors.count < 50 { origin.authors.append(text) }
      case "publisher": if origin.publisher.isEmpty { origin.publisher = text }
      case "language": if origin.language.isEmpty { origin.language = text }
      case "date":
        let event = package.attribute("event", of: node) ?? "publication"
        if event == "publication", let date = PageMetadata.date(text) { origin.date = date }
      case "identifier":
        let digits = text.uppercased().filter { $0.isASCII && ($0.isNumber || $0 == "X") }
        let isNamed =
          text.lowercased().contains("isbn")
          || package.attribute("scheme", of: node)?.lowercased() == "isbn"
        if isNamed && [10, 13].contains(digits.count)
          || digits.count == 13 && (digits.hasPrefix("978") || digits.hasPrefix("979"))
        {
          origin.isbn = digits
        }
      default: continue
      }
    }
  }

  // MARK: - Contents

  private mutating func add(_ title: String, _ reference: String?, _ folder: String, _ level: Int) {
    let title = String(title.inOneLine.prefix(300))
    guard !title.isEmpty, contents.count < Self.mostEntries else { return }
    contents.append(
      Entry(
        title: title, file: reference.flatMap { Self.file($0, from: folder) } ?? "", level: level))
  }

  /// Reads the table of contents of EPUB 3.
  private mutating func readNavigation(_ tree: MarkupTree, _ folder: String) {
    let navs = tree.descendants(of: MarkupTree.root).filter { tree.name(of: $0) == "nav" }
    let chosen =
      navs.first { tree.attribute("type", of: $0)?.contains("toc") == true } ?? navs.first
    guard let chosen, let list = tree.first("ol", in: chosen) else { return }
    readList(tree, list, folder, 0)
  }

  private mutating func readList(_ tree: MarkupTree, _ list: Int, _ folder: String, _ level: Int) {
    guard level < Self.deepest else { return }
    for item in tree.elements(in: list) where tree.name(of: item) == "li" {
      for part in tree.elements(in: item) {
        switch tree.name(of: part) {
        case "a", "span": add(tree.text(of: part), tree.attribute("href", of: part), folder, level)
        case "ol": readList(tree, part, folder, level + 1)
        default: continue
        }
      }
    }
  }

  /// Reads the table of contents of EPUB 2.
  private mutating func readOutline(_ tree: MarkupTree, _ node: Int, _ folder: String, _ level: Int)
  {
    guard level < Self.deepest + 4 else { return }
    for part in tree.elements(in: node) {
      switch tree.name(of: part) {
      case "navpoint":
        let label = tree.elements(in: part).first { tree.name(of: $0) == "navlabel" }
        let target = tree.elements(in: part).first { tree.name(of: $0) == "content" }
        add(
          label.map { tree.text(of: $0) } ?? "", target.flatMap { tree.attribute("src", of: $0) },
          folder, level)
        readOutline(tree, part, folder, level + 1)
      case "ncx", "navmap": readOutline(tree, part, folder, level)
      default: continue
      }
    }
  }
}

extension String {
  /// The text with percent escapes decoded; unchanged if the result isn't UTF-8.
  var withoutPercentSigns: String {
    String(validating: PercentEncoding.decoded(self).bytes, as: UTF8.self) ?? self
  }
}
