import Anchoring
package import Converting
import Files
import FoundationEssentials
import Glibc
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Storage
package import SystemSupport
package import Workspace

/// The result of adding a word-processor file.
package struct RichAddition: Sendable {
  /// The added document.
  package var addition: AddResult
  /// The number of passages whose formatting the library stores.
  package var formats: Int
  /// The number of highlights, with those that were comments.
  package var highlights: Int
  /// The number of highlights with a note.
  package var notes: Int
  /// The parts of the file that were lost, a line for each.
  package var losses: [String]
}

/// The options for converting a word-processor file to Markdown.
package struct RichOptions: Sendable {
  /// Whether HTML tags express underlining, and bold, italic and struck text for which Markdown has
  /// no markup.
  package var usesTags = false
  /// Whether the conversion fails, and writes nothing, if a part of the file would be lost.
  package var failsOnLoss = false
  package init() {}
}

/// Documents joined to one text for word processors.
package struct RichExport: Sendable {
  /// The text with its formatting.
  package var document: RichDocument
  /// The text as Markdown with the highlights as marked passages, without formatting that Markdown
  /// cannot express; empty if it wasn't requested.
  package var markdown: MarkedMarkdown
  /// The number of highlights that are not marked in the Markdown, such as those in code blocks.
  package var unmarked = 0
  /// The formats that Markdown cannot express, each with the words that have it: `underline on of
  /// “quick fox”`.
  package var formats: [String]
  /// The authors of the first document; empty if unknown.
  package var author = ""
  /// The number of highlights that have no place in the texts.
  package var orphans: Int
  /// The parts of the Markdown that word processors cannot express, a few words for each.
  package var losses: [String] = []
  /// A part of ``losses`` that pages show.
  package static let alignmentOfColumns = "alignment of columns"
}

extension LibraryLocation {
  /// Returns the path for the Markdown file of a word-processor file. See
  /// ``place(named:ending:at:)``.
  ///
  /// - Throws: `conflict` if a file exists at the path `output`.
  package func place(for file: RichFile, at output: String?) throws(UserError) -> String {
    try place(named: file.title.fileName ?? "Text", ending: ".md", at: output)
  }
}

extension Library {
  /// Returns the path for the Markdown file of a word-processor file. See
  /// ``LibraryLocation/place(for:at:)``.
  ///
  /// - Throws: `conflict` if a file exists at the path `output`.
  package func place(for file: RichFile, at output: String?) throws(UserError) -> String {
    try location.place(for: file, at: output)
  }

  /// Converts a word-processor file to Markdown and adds it to the library, as one step. Its
  /// pictures are written beside the Markdown file; the library stores formatting that Markdown
  /// cannot express. If that fails, the files are deleted again.
  ///
  /// - Parameters:
  ///   - file: the file to add.
  ///   - place: a path of ``place(for:at:)``.
  ///   - richOptions: the options of the conversion.
  /// - Throws: `incomplete` if a part of the file would be lost and the options do not allow that;
  ///   `conflict` if the file cannot be added, or the disk is full or read-only; `notFound` if the
  ///   file cannot be written for another reason.
  package func add(
    _ file: RichFile, at place: String, _ richOptions: RichOptions = RichOptions()
  ) throws(UserError) -> RichAddition {
    _ = try location.file(of: location.documentPath(place))
    // The conversion moves a changed body style to the document's defaults, so it gets no new id.
    let renamed = try newIDs(for: file.document.text.styles).filter { $0.key != .body }
    let pictures = Self.freePictureFolder(of: place)
    var options = MarkdownConversion.Options()
    options.dialect = dialects.choice(for: place).dialect.options
    options.imagePrefix = pictures + "/"
    if options.dialect.frontMatter { options.frontMatter = file.frontMatter() }
    (options.underlineAsHTML, options.stylesAsHTML) = (richOptions.usesTags, richOptions.usesTags)
    let conversion = file.document.conversion(
      options, renaming: renamed.filter { !StyleSheet.isBuiltIn($0.key) }, isOwn: file.isOwn)
    let losses = file.document.losses + conversion.losses.map(\.description)
    if richOptions.failsOnLoss, !losses.isEmpty {
      throw UserError(
        .incomplete,
        "nothing was added: \(file.title.oneLine) would lose \(losses.joined(separator: "; "))")
    }
    let folder = place.parentFolder.appending(pictures)
    var written: [String] = []
    var madeFolder = false
    func remove() {
      for path in written.reversed() { unlink(path) }
      if madeFolder { rmdir(folder) }
    }
    do throws(SystemCallError) {
      try FileSystem.makeFolders(place.parentFolder)
      // Make the pictures durable before the text that shows them gets its name.
      if !conversion.images.isEmpty {
        let staged = try StagedFolder(for: folder)
        for image in conversion.images { try staged.write(image.bytes, to: image.name) }
        try staged.commit()
        madeFolder = true
        written = conversion.images.map { folder.appending($0.name) }
      }
      try AtomicReplacement(of: place, with: Array(conversion.markdown.utf8)).commitNew()
      written.append(place)
      AtomicReplacement.finish([place])
    } catch {
      remove()
      throw FileSystem.systemError("write", place, number: error.number)
    }
    do {
      var (formats, omittedStyles) = (0, 0)
      let report = try add([place], label: "added \(location.documentPath(place).string)") {
        transaction, document in
        formats = try store(
          conversion, of: document, renamed.filter { StyleSheet.isBuiltIn($0.key) },
          omittedStyles: &omittedStyles, in: transaction)
        try store(
          conversion.highlights, of: document, conversion.document, in: transaction)
      }
      guard let addition = report.additions.first else {
        throw report.problems.first ?? UserError(.conflict, "\(place) could not be added")
      }
      return RichAddition(
        addition: addition, formats: formats, highlights: conversion.highlights.count,
        notes: conversion.highlights.count { !$0.note.isEmpty },
        losses: losses + Self.lossLines(omittedStyles))
    } catch {
      remove()
      throw error as? UserError ?? UserError(.conflict, "\(error)")
    }
  }

  /// Returns an unused name for the folder of a file's pictures. A folder that a killed process or
  /// the user has created is neither used nor deleted.
  private static func freePictureFolder(of place: String) -> String {
    let name = pictureFolder(of: place)
    var free = name
    var number = 2
    var status = stat()
    while lstat(place.parentFolder.appending(free), &status) == 0 {
      free = "\(name)-\(number)"
      number += 1
    }
    return free
  }

  /// Returns the preferred name of the folder for a file's pictures. It contains only ASCII
  /// letters, digits and hyphens, which need no escapes in addresses.
  private static func pictureFolder(of place: String) -> String {
    let stem = place.lastComponent.dropLast(3).unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? Character(scalar) : "-"
    }
    let name = String(stem).split(separator: "-").joined(separator: "-")
    return name.isEmpty ? "pictures" : name + "-pictures"
  }

  /// Stores the formatting of a converted text that Markdown cannot express.
  ///
  /// - Parameters:
  ///   - conversion: the converted text.
  ///   - document: the document that was created from it.
  ///   - changed: styles that differ from the library's style of the same id, with their new ids.
  ///     Paragraphs with such a style get the new id, also if Markdown's markup implies the style.
  ///   - omittedStyles: incremented for each style that exceeds the library's limit.
  ///   - transaction: stores the formatting.
  /// - Returns: the number of formatted passages.
  /// - Throws: `conflict` if the file was changed while it was added.
  func store(
    _ conversion: MarkdownConversion, of document: Document, _ changed: [StyleID: StyleID],
    omittedStyles: inout Int, in transaction: WriteTransaction
  ) throws -> Int {
    let digest = ContentDigest(sha256: conversion.document.text.utf8)
    guard try transaction.revision(of: document.id)?.textDigest == digest else {
      throw UserError(.conflict, "the file was changed while it was added")
    }
    let known = try transaction.properties()
    var freeStyles =
      StyleSheet.limit - StyleSheet.builtIn.count - known.keys.count { $0.style != nil }
    for var style in conversion.styles.styles where !StyleSheet.builtIn.contains(style) {
      if let id = changed[style.id] { style = style.renamed(id) }
      style.basedOn = style.basedOn.map { changed[$0] ?? $0 }
      guard known[.style(style.id.name)] == nil else { continue }
      // Text with a style beyond the limit is displayed as body text.
      guard freeStyles > 0 else {
        omittedStyles += 1
        continue
      }
      freeStyles -= 1
      _ = try transaction.setProperty(
        .style(style.id.name), style.json.stored, of: .library)
    }
    if conversion.defaults != FormatDefaults() {
      _ = try transaction.setProperty(
        .defaultFormat, conversion.defaults.json.stored, of: .document(document.id))
    }
    if let margins = conversion.margins {
      _ = try transaction.setProperty(.margins, margins.stored, of: .document(document.id))
    }
    var layer = conversion.layer
    if !changed.isEmpty {
      FormatLayer(semanticsOf: conversion.document).paragraphs.values(of: .style).forEach { part in
        guard case .style(let id) = part.value, let new = changed[id] else { return }
        layer.paragraphs.update(part.range) { set in
          set[.style] == nil ? set.applying([.set(.style(new))]) : set
        }
      }
      layer.paragraphs = layer.paragraphs.mapSets { set in
        guard case .style(let id)? = set[.style], let new = changed[id] else { return set }
        return set.applying([.set(.style(new))])
      }
    }
    let passages = layer.passages
    try store(passages, of: document, conversion.document.mapped, digest, in: transaction)
    return passages.count
  }

  /// Returns the line that reports omitted styles; empty if none were omitted.
  static func lossLines(_ omittedStyles: Int) -> [String] {
    omittedStyles == 0
      ? []
      : ["styles omitted, as a library has at most \(StyleSheet.limit): \(omittedStyles)"]
  }

  /// Stores the highlights of a converted text. Invalid tags are omitted.
  func store(
    _ highlights: [MarkdownConversion.Highlight], of document: Document,
    _ parsed: ParsedDocument, in transaction: WriteTransaction
  ) throws {
    guard !highlights.isEmpty else { return }
    let digest = ContentDigest(sha256: parsed.text.utf8)
    let text = AnchorText(utf16: parsed.text.utf16)
    let lines = parsed.sourceLines
    for highlight in highlights where !highlight.range.isEmpty {
      let range = highlight.range
      let place = Anchor(range: range, state: .exact, score: 1, method: "marked")
      _ = try transaction.createHighlight(
        in: document.id,
        selector: Selector(
          selecting: range, in: text, digest: digest, renderVersion: ParsedDocument.renderVersion),
        color: highlight.color, note: highlight.note,
        tags: highlight.tags.compactMap { try? Self.tagName($0) },
        anchor: parsed.locating(place, in: lines))
    }
  }

  /// Returns new ids for a text's styles that differ from the library's style of the same id, by
  /// the old ids.
  func newIDs(for sheet: StyleSheet) throws(UserError) -> [StyleID: StyleID] {
    let known = try styles()
    var ids: [StyleID: StyleID] = [:]
    for style in sheet.styles {
      guard let other = known[style.id], other != style else { continue }
      var number = 2
      var id = style.id
      repeat {
        id = StyleID(String(style.id.name.prefix(60)) + "-\(number)")
        number += 1
      } while known[id] != nil || sheet[id] != nil
      ids[style.id] = id
    }
    return ids
  }

  // MARK: - Export

  /// Joins documents to one text for word processors, with their formatting.
  ///
  /// - Parameters:
  ///   - documents: the documents in order.
  ///   - withHighlights: whether the result contains the highlights.
  ///   - withMarkdown: whether the result contains the Markdown, which takes memory.
  ///   - picture: returns the bytes of the picture at an address in a document; nil to omit the
  ///     picture.
  /// - Throws: `notFound` if a document was removed or its file cannot be read.
  package func richExport(
    of documents: [Document], withHighlights: Bool = true, withMarkdown: Bool = true,
    picture: (String, Document) -> [UInt8]?
  ) throws(UserError) -> RichExport {
    var export = RichExport(
      document: RichDocument(text: AttributedText()), markdown: MarkedMarkdown(), formats: [],
      orphans: 0)
    if let first = documents.first {
      export.author = CitedSource(try source(of: first), titled: first.title).people
    }
    var parts: [RichDocument] = []
    var defaults: [(shown: FormatDefaults, full: FormatDefaults)] = []
    for document in documents {
      let open = try open(document)
      let format = try format(of: open)
      export.formats += format.passages.map { passage in
        let words = passage.quote.oneLine
        return
          "\(passage.change.typed) of “\(words.prefix(40))\(words.count > 40 ? "…" : "")”"
      }
      let highlights = withHighlights ? open.highlights : []
      export.orphans += highlights.count { $0.anchor.range == nil }
      export.losses += open.parsed.onlyInMarkdown.filter { !export.losses.contains($0) }
      if withMarkdown {
        let passages = open.parsed.passages(of: highlights)
        export.unmarked +=
          highlights.count { $0.anchor.range != nil } - passages.count
          + export.markdown.append(open.parsed.source.bytes, passages)
      }
      defaults.append((format.shownDefaults, format.completeDefaults))
      var part = RichDocument(
        open.parsed, layer: format.text.layer, styles: format.text.styles,
        defaults: format.shownDefaults,
        highlights: highlights.compactMap(RichDocument.Highlight.init)
      ) { address in
        guard let bytes = picture(address, document) else { return nil }
        let format: RichDocument.Image.Format? =
          bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
          ? .png : bytes.starts(with: [0xFF, 0xD8]) ? .jpeg : nil
        return format.map { RichDocument.Image(format: $0, offset: 0, bytes: bytes) }
      }
      part.margins = format.margins
      parts.append(part)
    }
    // A document without a default format must not get that of another one.
    if defaults.contains(where: { $0.shown != defaults[0].shown }) {
      for index in parts.indices { parts[index].text.defaults = defaults[index].full }
    }
    export.document = RichDocument(joining: parts)
    export.document.removeUnsafeLinks()
    return export
  }
}

extension ParsedDocument {
  /// Returns the highlights with the bytes of the source between their first and last character.
  /// Those in code blocks are omitted, because pandoc cannot mark them.
  fileprivate func passages(of highlights: [Highlight]) -> [(
    bytes: Range<Int>, passage: MarkedMarkdown.Passage
  )] {
    highlights.compactMap { highlight in
      guard let range = highlight.anchor.range,
        let rich = RichDocument.Highlight(highlight), let start = map.source(of: range).first,
        let end = map.source(of: range).last
      else { return nil }
      let isCode = blocks.contains { block in
        guard case .codeBlock = block.kind else { return false }
        return block.text.utf16.contains(range.utf16.lowerBound)
          || block.text.utf16.contains(range.utf16.upperBound - 1)
      }
      if isCode { return nil }
      let isBare = highlight.note.isEmpty && highlight.tags.isEmpty
      return (
        start.bytes.lowerBound..<end.bytes.upperBound,
        MarkedMarkdown.Passage(color: highlight.color, comment: isBare ? nil : rich.comment)
      )
    }
  }
}

extension RichDocument.Highlight {
  /// Creates the highlight of a record; nil if it has no place in the text.
  fileprivate init?(_ highlight: Highlight) {
    guard let range = highlight.anchor.range?.utf16 else { return nil }
    self.init(
      range: range, color: highlight.color, note: highlight.note, tags: highlight.tags)
    date = highlight.updated
    styledNote = StyledNote(markdown: highlight.note)
    record = Record(
      id: "\(highlight.id)", quote: highlight.words, prefix: highlight.selector.prefix,
      suffix: highlight.selector.suffix)
  }
}

extension ParsedDocument {
  /// The parts of the document that a word-processor text cannot express, a few words for each.
  /// O(blocks).
  fileprivate var onlyInMarkdown: [String] {
    var found: [String] = []
    func add(_ what: String) { if !found.contains(what) { found.append(what) } }
    for block in blocks {
      switch block.kind {
      case .frontMatter: add("front matter")
      case .codeBlock(info: .some): add("languages of code")
      case .table(let columns) where columns.contains { $0 != .none }:
        add(RichExport.alignmentOfColumns)
      case .listItem(task: .some): add("task boxes")
      case .list(let style) where (style.start ?? 1) != 1: add("first numbers of lists")
      case .heading(let level) where level > 3: add("levels of headings below the third")
      default: break
      }
    }
    return found
  }
}

extension FormatLayer {
  /// The passages of each value, ordered by their start. A passage has one attribute.
  var passages: [(range: Range<Int>, change: FormatChange)] {
    var passages: [(range: Range<Int>, change: FormatChange)] = []
    for kind in CharacterAttribute.Kind.allCases {
      for (range, value) in characters.values(of: kind) {
        passages.append((range, FormatChange(characters: [.set(value)])))
      }
    }
    for kind in ParagraphAttribute.Kind.allCases where kind != .list {
      for (range, value) in paragraphs.values(of: kind) {
        passages.append((range, FormatChange(paragraphs: [.set(value)])))
      }
    }
    return passages.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
