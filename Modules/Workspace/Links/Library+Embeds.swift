import Files
package import MarkdownParse
package import Model
package import Rendering
import SystemSupport

extension Library {
  /// Returns the content of the notes and pictures that a document embeds, and that these embed
  /// themselves. Files outside the folders from which pictures are shown are not read.
  ///
  /// - Parameters:
  ///   - file: the absolute path of the document's file.
  ///   - document: the document; nil if the file is in no library.
  package func embeds(in parsed: ParsedDocument, file: String, of document: Document?)
    -> PageEmbeds
  {
    var reader = EmbedReader()
    return embeds(in: parsed, nil, file, document, around: [file], drawn: 1, &reader)
  }

  /// The limits and lookups that are shared by all embeds of a page.
  private struct EmbedReader {
    /// The maximum number of notes around an embedded one.
    static let deepest = 3
    /// The maximum size of an embedded file in bytes.
    static let longestFile = 1 << 20
    /// The number of UTF-16 units that may still be laid out. A note counts in full each time that
    /// it is drawn, even if only a part is shown.
    var units = 2 << 20
    /// The number of embeds that may still be drawn.
    var count = 1_000
    var cache = LinkCache()
    /// The files that were read; nil for those that cannot be shown.
    var files: [String: ParsedDocument?] = [:]
  }

  private func embeds(
    in parsed: ParsedDocument, _ range: TextRange?, _ file: String, _ document: Document?,
    around: [String], drawn: Int, _ reader: inout EmbedReader
  ) -> PageEmbeds {
    guard parsed.options.wikiLinks else { return PageEmbeds() }
    var targets: [String] = []
    var occurrences: [String: Int] = [:]
    for inline in parsed.inlines {
      guard case .image(let index) = inline.kind, range?.overlaps(inline.text) ?? true else {
        continue
      }
      let link = parsed.links[index]
      guard link.isNote else { continue }
      if occurrences[link.target] == nil { targets.append(link.target) }
      occurrences[link.target, default: 0] += 1
    }
    var contents: [String: PageEmbeds.Content] = [:]
    for target in targets {
      contents[target] = content(
        of: target, file, document, around: around, drawn: drawn * occurrences[target]!, &reader)
    }
    return PageEmbeds(contents)
  }

  /// Returns the content of an embed; nil if it is neither a note nor a picture.
  ///
  /// - Parameter drawn: the number of times that the page draws it.
  private func content(
    of target: String, _ file: String, _ document: Document?, around: [String], drawn: Int,
    _ reader: inout EmbedReader
  ) -> PageEmbeds.Content? {
    let place: LinkPlace
    do throws(UserError) {
      place = try self.place(ofLink: target, in: file, of: document, &reader.cache)
    } catch {
      // The error's message has the path of the vault, which readers of a page need not know.
      let name = target.dropFirst(2).dropLast(2).prefix(200)
      return .missing(
        (error.code == .ambiguous
          ? "several notes are named '\(name)'" : "there is no note '\(name)'")
          .oneLine)
    }
    let path = place.file ?? file
    guard FolderScan.isMarkdown(path) else {
      return Self.pictureEndings.contains(where: path.lowercased().hasSuffix)
        ? .picture(path.replacing("%", with: "%25").replacing("#", with: "%23")) : nil
    }
    let name = Self.title(of: path, place.part)
    if around.contains(path) { return .missing("\(name) is not shown inside itself") }
    guard around.count <= EmbedReader.deepest else {
      return .missing("\(name) is not shown at this depth")
    }
    guard let note = embedded(path, from: file, document, &reader) else {
      return .missing("\(name) is empty, longer than 1 MiB, or outside the folder")
    }
    let (units, isTooMuch) = max(1, note.text.count).multipliedReportingOverflow(by: drawn)
    guard !isTooMuch, units <= reader.units, drawn <= reader.count else {
      return .missing("\(name) is not shown: the page embeds too much")
    }
    reader.units -= units
    reader.count -= drawn
    var range: TextRange?
    if let part = place.part {
      guard let found = LinkParts(note).range(of: part) else {
        return .missing("\(name): \(UserError.noPart(part).message)")
      }
      range = note.section(at: found)
    }
    let nested = embeds(
      in: note, range, path, document, around: around + [path], drawn: drawn, &reader)
    return .note(
      PageEmbeds.Note(title: name, document: note, range: range, embeds: nested, file: path))
  }

  /// Returns the text of an embedded note; nil if it is empty, too long, or outside the folder from
  /// which pictures are shown.
  private func embedded(
    _ path: String, from file: String, _ document: Document?, _ reader: inout EmbedReader
  ) -> ParsedDocument? {
    if let known = reader.files[path] { return known }
    var folder = dialects.vault(around: file) ?? file.parentFolder
    if document != nil, let root = location.root, file.isBelow(root) { folder = root }
    let bytes = EmbeddedFile.bytes(
      at: path, below: folder, longest: EmbedReader.longestFile)
    let parsed = bytes.map {
      ParsedDocument(parsing: MarkdownSource($0), in: dialects.choice(for: path).dialect)
    }
    reader.files[path] = .some(parsed)
    return parsed
  }

  private static let pictureEndings = [".png", ".jpg", ".jpeg", ".gif", ".webp"]

  /// Returns the name of a note and its part on one line, such as `Note › Part`.
  private static func title(of path: String, _ part: LinkPart?) -> String {
    var name = String(path.lastComponent)
    if name.hasSuffix(".md") { name.removeLast(3) }
    guard let part, !part.text.hasPrefix("^") else { return name.oneLine }
    return "\(name) › \(part.text.split(separator: "#").joined(separator: " › "))".oneLine
  }
}

extension ParsedDocument {
  /// Returns the range of a heading and the text of its section; `range` itself if it isn't that of
  /// a heading. O(blocks).
  fileprivate func section(at range: TextRange) -> TextRange {
    var level: Int?
    for block in blocks {
      guard case .heading(let other) = block.kind else { continue }
      if let level, other <= level {
        return TextRange(utf16: range.utf16.lowerBound..<block.text.utf16.lowerBound)
      }
      if level == nil, block.text == range { level = other }
    }
    return level == nil
      ? range : TextRange(utf16: range.utf16.lowerBound..<text.count)
  }
}
