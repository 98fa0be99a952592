import Articles
import Interchange

/// Converts the chapters of an EPUB to Markdown files that link to each other.
struct Book {
  /// A generated file.
  struct Made {
    var name: String
    var bytes: [UInt8]
    var title = ""
    var highlights: [PageHighlights.Found] = []
  }

  private let archive: BookArchive
  private var package: BookPackage
  private let whenFull: @Sendable () -> Void
  /// The name of each chapter's Markdown file, by its file in the archive.
  private var names: [String: String] = [:]
  private(set) var texts: [Made] = []
  private(set) var pictures: [Made] = []
  private(set) var warnings: [String] = []

  var origin: FetchAnswer.Origin { package.origin }

  private static let chapterLimit = 16 << 20

  /// A parsed chapter.
  private struct Chapter {
    var file: String
    var title: String
    var tree: MarkupTree
    var hasText: Bool
    var hasPictures: Bool
  }

  /// Reads a book and converts all chapters.
  ///
  /// - Parameters:
  ///   - address: the URL of the book; empty for a local file.
  ///   - whenFull: called if a chapter exceeds the limits of `PageParser`; must not return.
  /// - Throws: `FetchError` if the book is protected, damaged, too large or has no text.
  init(_ path: String, from address: String, whenFull: @escaping @Sendable () -> Void)
    throws(FetchError)
  {
    archive = try BookArchive(path)
    package = try BookPackage(archive)
    package.origin.url = address
    if package.origin.title.isEmpty { package.origin.title = FileName.stem(path) }
    self.whenFull = whenFull
    var chapters: [Chapter] = []
    for item in package.chapters {
      if let chapter = try chapter(item) { chapters.append(chapter) }
    }
    guard !chapters.isEmpty else { throw FetchError("nothing", "the book has no text") }
    let others = chapters.filter { !isTitlePage($0) }
    if !others.isEmpty { chapters = others }
    if !chapters.contains(where: \.hasText) {
      warnings.append("the book has no text, only pictures")
    }
    warn(ofSkipped: "chapters", missing, that: "are missing")
    warn(ofSkipped: "chapters", emptyChapters, that: "have neither text nor pictures")
    if package.surplus > 0 {
      warnings.append(
        "skipped the last \(package.surplus) chapters: a book has at most \(package.chapters.count)"
      )
    }
    if chapters.count == 1, !chapters[0].hasPictures {
      // The book is a single file, without contents.
      names[chapters[0].file] = FileName.slug(origin.title) + ".md"
      write(chapters[0], isBook: true)
    } else {
      let width = max(2, String(chapters.count).count)
      for (index, chapter) in chapters.enumerated() {
        let number = String(index + 1)
        names[chapter.file] =
          String(repeating: "0", count: width - number.count) + number + "-"
          + FileName.slug(chapter.title) + ".md"
      }
      writeContents(chapters, String(repeating: "0", count: width))
      for chapter in chapters { write(chapter) }
    }
    warn(ofSkipped: "pictures", unsupportedPictures, that: "are not PNG, JPEG, GIF or WebP")
    warn(ofSkipped: "pictures", surplusPictures, that: "exceed the limits for a book")
  }

  /// Parses a chapter; nil if it is missing, or shows no text and no picture.
  private mutating func chapter(_ item: BookPackage.Item) throws(FetchError) -> Chapter? {
    guard archive.has(item.file) else {
      missing.append(String(item.file.prefix(200)))
      return nil
    }
    guard let tree = try tree(of: item) else {
      warnings.append("\(item.file) is skipped: its kind is \(item.type)")
      return nil
    }
    if !tree.isComplete { warnings.append("\(item.file) is too large: its end was omitted") }
    let body = tree.first("body") ?? MarkupTree.root
    let hasText = !tree.text(of: body).isEmpty
    let hasPictures = tree.first("img", in: body) != nil || tree.first("image", in: body) != nil
    guard hasText || hasPictures else {
      emptyChapters.append(String(item.file.prefix(200)))
      return nil
    }
    let entry = package.contents.first { $0.file == item.file }?.title
    let heading = ["h1", "h2", "h3"].lazy.compactMap { tree.first($0, in: body) }.first
    let title =
      [entry, heading.map { tree.text(of: $0) }, tree.first("title").map { tree.text(of: $0) }]
      .lazy.compactMap(\.self).first { !$0.isEmpty } ?? FileName.stem(item.file)
    return Chapter(
      file: item.file, title: String(title.prefix(300)), tree: tree, hasText: hasText,
      hasPictures: hasPictures)
  }

  /// Returns whether the words of a chapter are the book's title and at most its authors, its
  /// publisher and its date, which the contents and the front matter have, too.
  private func isTitlePage(_ chapter: Chapter) -> Bool {
    func words(_ text: String) -> [Substring] {
      text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }
    guard !chapter.hasPictures else { return false }
    let tree = chapter.tree
    let parts = tree.descendants(of: tree.first("body") ?? MarkupTree.root)
    let texts = parts.filter { tree.name(of: $0).isEmpty }.map { tree.text(of: $0) }
    let shown = words(texts.joined(separator: " "))
    let title = words(origin.title)
    let others = [origin.publisher, origin.date] + origin.authors
    let known = title + words(others.joined(separator: " "))
    return shown.count <= known.count && Set(known).isSuperset(of: shown)
      && Set(shown).isSuperset(of: title)
  }

  /// Returns the elements of a chapter: a page, a drawing, or a page with a picture; nil for other
  /// kinds.
  private func tree(of item: BookPackage.Item) throws(FetchError) -> MarkupTree? {
    if item.isText {
      let bytes = PageText.utf8(try archive.content(of: item.file, limit: Self.chapterLimit))
      return PageParser.tree(of: XMLReader.withoutEmptyElements(bytes)) { [whenFull] _ in
        whenFull()
      }
    }
    guard item.type.hasPrefix("image/") else { return nil }
    var tree = MarkupTree()
    let body = tree.append(element: "body", to: MarkupTree.root)
    let address = item.file.replacing("%", with: "%25").replacing("#", with: "%23")
      .replacing("?", with: "%3F")
    _ = tree.append(element: "img", [.init("src", "/" + address)], to: body)
    return tree
  }

  /// Converts a chapter.
  ///
  /// - Parameter isBook: whether the chapter is the whole book.
  private mutating func write(_ chapter: Chapter, isBook: Bool = false) {
    guard let name = names[chapter.file],
      // Without its highlights, a text is converted as one that Diple did not export.
      let (text, highlights) = markdown(of: chapter, withHighlights: true)
        ?? markdown(of: chapter, withHighlights: false)
    else { return }
    var origin = origin
    if !isBook { origin.title = chapter.title }
    let matter =
      isBook
      ? FrontMatterText.of(origin, kind: "book")
      : FrontMatterText.of(origin, kind: "chapter", book: self.origin.title)
    texts.append(
      Made(
        name: name, bytes: Array((matter + text).utf8), title: origin.title,
        highlights: highlights))
  }

  /// Returns the Markdown of a chapter and the highlights that Diple exported with it; nil if the
  /// Markdown cannot be written with highlights.
  private mutating func markdown(of chapter: Chapter, withHighlights: Bool) -> (
    markdown: String, highlights: [PageHighlights.Found]
  )? {
    var tree = chapter.tree
    let body = tree.first("body") ?? MarkupTree.root
    let folder = BookPackage.folder(of: chapter.file)
    let highlights =
      withHighlights ? PageHighlights(of: &tree, in: body) : PageHighlights()
    let notes = PageNotes(of: &tree, in: [body]) { reference in
      if let anchor = reference.pageAnchor { return anchor.withoutPercentSigns }
      guard BookPackage.file(reference, from: folder) == chapter.file,
        let sign = reference.firstIndex(of: "#")
      else { return nil }
      return String(reference[reference.index(after: sign)...]).withoutPercentSigns
    }
    let shown = extractPictures(of: tree, folder)
    let names = names
    var reader = BlockReader(
      tree, notes: notes,
      links: { reference in
        if let file = BookPackage.file(reference, from: folder), let name = names[file] {
          return file == chapter.file ? nil : name
        }
        return WebAddress.resolved(reference, against: nil)
      }, pictures: { BookPackage.file($0, from: folder).flatMap { shown[$0] } },
      highlights: highlights)
    let blocks = reader.blocks(of: body)
    let noteBlocks = notes.notes.map { reader.blocks(in: $0) }
    return highlights.found(in: MarkdownWriter.write(blocks, notes: noteBlocks))
  }

  /// Extracts the pictures of a chapter from the archive. Adds a warning for each picture that
  /// cannot be read.
  ///
  /// - Returns: their paths in Markdown, by their files in the archive.
  private mutating func extractPictures(of tree: MarkupTree, _ folder: String) -> [String: String] {
    for node in tree.descendants(of: MarkupTree.root)
    where ["img", "image"].contains(tree.name(of: node)) {
      let sources = ["src", "xlink:href", "href"].compactMap { tree.attribute($0, of: node) }
      for source in sources {
        guard let file = BookPackage.file(source, from: folder), extracted[file] == nil else {
          continue
        }
        extracted[file] = ""
        do throws(FetchError) { extracted[file] = try extract(file) } catch {
          warnings.append("a picture is skipped: \(error.problem.message)")
        }
      }
    }
    return extracted.filter { !$0.value.isEmpty }
  }

  /// Adds a warning about skipped files. `reason` completes the sentence “skipped pictures that …”.
  private mutating func warn(ofSkipped things: String, _ files: [String], that reason: String) {
    guard !files.isEmpty else { return }
    let names = files.prefix(3).joined(separator: ", ")
    warnings.append(
      "skipped \(things) that \(reason): \(names)"
        + (files.count > 3 ? " and \(files.count - 3) more" : ""))
  }

  private var missing: [String] = []
  private var emptyChapters: [String] = []

  private var unsupportedPictures: [String] = []
  private var surplusPictures: [String] = []
  private var extracted: [String: String] = [:]
  private var pictureNames: Set<String> = []
  private var pictureBytes = 0
  /// The path of each picture, so that a picture with several names is stored once.
  private var pictureNamesByContent: [[UInt8]: String] = [:]

  /// Extracts a picture. Returns an empty path if its format is unsupported or the book has too
  /// many pictures.
  private mutating func extract(_ file: String) throws(FetchError) -> String {
    let bytes = try archive.content(of: file, limit: FetchAnswer.pictureLimit)
    guard let ending = PictureKind.ending(of: bytes) else {
      unsupportedPictures.append(String(file.prefix(200)))
      return ""
    }
    guard pictures.count < FetchAnswer.mostPictures,
      pictureBytes + bytes.count <= FetchAnswer.picturesLimit
    else {
      surplusPictures.append(String(file.prefix(200)))
      return ""
    }
    if let known = pictureNamesByContent[bytes] { return known }
    pictureBytes += bytes.count
    let stem = FileName.slug(FileName.stem(file))
    var name = "\(stem).\(ending)"
    var number = 2
    while !pictureNames.insert(name).inserted {
      name = "\(stem)-\(number).\(ending)"
      number += 1
    }
    pictures.append(Made(name: name, bytes: bytes))
    let path = FetchAnswer.pictureFolder + "/" + name
    pictureNamesByContent[bytes] = path
    return path
  }

  /// Writes the table of contents: the book's own, or the list of chapters.
  private mutating func writeContents(_ chapters: [Chapter], _ number: String) {
    var entries = package.contents.filter { $0.file.isEmpty || names[$0.file] != nil }
    // Omit the sections of a chapter, because a link can only lead to the start of the chapter's
    // file.
    var last = ""
    entries.removeAll { entry in
      defer { if !entry.file.isEmpty { last = entry.file } }
      return entry.level > 0 && entry.file == last
    }
    if !entries.contains(where: { !$0.file.isEmpty }) {
      entries = chapters.map { BookPackage.Entry(title: $0.title, file: $0.file, level: 0) }
    }
    var rest = entries[...]
    func list(_ level: Int) -> ArticleBlock {
      var items: [[ArticleBlock]] = []
      while let entry = rest.first, entry.level >= level {
        if entry.level > level, !items.isEmpty {
          items[items.count - 1].append(list(entry.level))
          continue
        }
        rest.removeFirst()
        let title = [ArticleInline.text(entry.title)]
        items.append([.paragraph(names[entry.file].map { [.link(title, to: $0)] } ?? title)])
      }
      return .list(start: nil, items: items)
    }
    let title = origin.title.isEmpty ? "Contents" : origin.title
    var blocks: [ArticleBlock] = [.heading(level: 1, [.text(title)])]
    if !origin.authors.isEmpty {
      blocks.append(.paragraph([.text(origin.authors.joined(separator: ", "))]))
    }
    while let level = rest.first?.level { blocks.append(list(level)) }
    let text = FrontMatterText.of(origin, kind: "book") + MarkdownWriter.write(blocks)
    texts.append(Made(name: number + "-contents.md", bytes: Array(text.utf8), title: title))
  }
}

/// The kinds of pictures that are extracted from books, by their first bytes.
enum PictureKind {
  /// The file name extension; nil for other kinds.
  static func ending(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
    if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return "gif" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return "webp"
    }
    return nil
  }
}
