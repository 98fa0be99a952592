import Articles
import Model
import RichMarkdown
import RichText
import RichTextFormats
import SystemSupport

/// Reads the documents of a project one by one.
struct ProjectReader {
  private let options: ScrivenerProject.Options
  private var folder: ProjectFolder
  private let binder: Binder
  private let styles: ProjectStyles
  let title: String
  private(set) var items: [ScrivenerProject.Item] = []
  /// The number of things that were not converted, by kind.
  private(set) var losses: [String: Int] = [:]
  private var files: [String: String] = [:]

  init(_ path: String, _ options: ScrivenerProject.Options) throws(UserError) {
    self.options = options
    folder = try ProjectFolder(path)
    let name = try folder.structureFile()
    guard let bytes = try folder.content(of: [name]) else {
      throw UserError(.notFound, "cannot read \(path)/\(name)")
    }
    binder = try Binder(bytes, "\(path)/\(name)")
    styles = ProjectStyles(try folder.content(of: ["Files", "styles.xml"]))
    title = String(name.dropLast(".scrivx".count))
  }

  mutating func read() throws(UserError) {
    let names = FileNames(binder.items)
    for (index, item) in binder.items.enumerated() { files[item.id] = names.paths[index] }
    for (index, entry) in binder.items.enumerated() {
      if entry.isInTrash, !options.includesTrash { continue }
      if options.onlyCompiled, !entry.isIncludedInCompile { continue }
      guard entry.type.hasSuffix("Folder") || entry.type == "Text" || entry.type.isEmpty else {
        losses["skipped in the binder, type \(entry.type)", default: 0] += 1
        continue
      }
      var item = ScrivenerProject.Item(
        id: entry.id, title: entry.title, level: entry.level, folders: names.folders[index],
        file: names.paths[index], isIncludedInCompile: entry.isIncludedInCompile)
      (item.label, item.status) = (entry.label, entry.status)
      try readText(&item)
      item.synopsis = try content(entry.id, "synopsis.txt", "_synopsis.txt").map {
        String(decoding: $0, as: UTF8.self)
      }
      if let notes = try content(entry.id, "notes.rtf", "_notes.rtf"),
        var document = try? RTFReader.read(notes)
      {
        document.removeUnsafeLinks()
        document.recognizeLists()
        var plain = options.conversion
        plain.imagePrefix = nil
        let text = MarkdownConversion(document, plain).markdown
        item.notes = text.isEmpty ? nil : text
      }
      items.append(item)
    }
    if folder.refused > 0 { losses["links and special files that were not read"] = folder.refused }
  }

  /// Reads a file of a document. Since version 3 it is in the document's folder; before, its name
  /// contained the document's number.
  private mutating func content(_ id: String, _ name: String, _ oldEnding: String) throws(UserError)
    -> [UInt8]?
  {
    if let bytes = try folder.content(of: ["Files", "Data", id, name]) { return bytes }
    return try folder.content(of: ["Files", "Docs", id + oldEnding])
  }

  private mutating func readText(_ item: inout ScrivenerProject.Item) throws(UserError) {
    var attachments: [String]?
    var bytes = try content(item.id, "content.rtf", ".rtf")
    if bytes == nil {
      for path in [
        ["Files", "Data", item.id, "content.rtfd"], ["Files", "Docs", item.id + ".rtfd"],
      ] {
        guard let found = try folder.content(of: path + ["TXT.rtf"]) else { continue }
        (bytes, attachments) = (found, path)
        break
      }
    }
    guard let bytes, !bytes.isEmpty else { return }
    var document: RichDocument
    do { document = try RTFReader.read(bytes) } catch {
      losses["documents that are not RTF", default: 0] += 1
      return
    }
    for index in document.images.indices {
      guard let file = document.images[index].file, let attachments else { continue }
      document.images[index].bytes = try folder.content(of: attachments + [file]) ?? []
      let ending = file.split(separator: ".").last.map { $0.lowercased() } ?? ""
      document.images[index].format =
        ending == "png" ? .png : ending == "jpg" || ending == "jpeg" ? .jpeg : .other
    }
    let linked = LinkedComments(try content(item.id, "content.comments", ".comments"))
    let comments = linked.apply(to: &document)
    styles.apply(try content(item.id, "content.styles", ".styles"), to: &document)
    document.recognizeLists()
    link(&document, from: item.file)
    document.removeUnsafeLinks()
    var conversionOptions = options.conversion
    // Pictures are beside the file and start with the document's id.
    if conversionOptions.imagePrefix != nil { conversionOptions.imagePrefix = item.id + "-" }
    let conversion = MarkdownConversion(document, conversionOptions)
    for loss in document.losses {
      let name = String(loss.split(separator: ":").first ?? "")
      losses[name, default: 0] += 1
    }
    for loss in conversion.losses { losses[loss.kind.rawValue, default: 0] += loss.count }
    item.conversion = conversion.markdown.isEmpty ? nil : conversion
    var found = conversion.highlights.map {
      ScrivenerProject.Comment(
        range: $0.range, text: $0.note, color: $0.color == .yellow ? nil : $0.color.onPaper)
    }
    for (range, comment) in comments {
      guard let shown = conversion.renderedRange(of: range) else {
        losses["comments without a passage", default: 0] += 1
        continue
      }
      found.append(
        ScrivenerProject.Comment(range: shown, text: comment.text.string, color: comment.color))
    }
    item.comments = found.sorted { $0.range.utf16.lowerBound < $1.range.utf16.lowerBound }
  }

  /// Converts links to other documents of the project to links to their files. Removes links to
  /// unknown documents.
  private func link(_ document: inout RichDocument, from file: String) {
    let scheme = "scrivlnk://"
    let links = document.text.characters.runs.compactMap { range, set -> (Range<Int>, String)? in
      guard case .link(let address)? = set[.link], address.lowercased().hasPrefix(scheme) else {
        return nil
      }
      return (range.utf16, String(address.dropFirst(scheme.utf8.count)))
    }
    for (range, id) in links {
      guard let target = files[id] ?? files[id.uppercased()] else {
        try? document.text.change(range, [.clear(.link)], limits: .files)
        continue
      }
      let up = String(repeating: "../", count: file.split(separator: "/").count - 1)
      try? document.text.change(range, [.set(.link(up + target))], limits: .files)
    }
  }
}

/// File names for the items of a binder, numbered so that they sort like the binder.
struct FileNames {
  private(set) var paths: [String] = []
  private(set) var folders: [[String]] = []

  init(_ items: [Binder.Item]) {
    var counts: [Int: Int] = [:]
    for item in items { counts[item.parent, default: 0] += 1 }
    var numbers: [Int: Int] = [:]
    var places: [String] = []
    for item in items {
      let number = numbers[item.parent, default: 0] + 1
      numbers[item.parent] = number
      let width = max(2, String(counts[item.parent] ?? 0).count)
      let digits = String(number)
      let padding = String(repeating: "0", count: max(0, width - digits.count))
      let name = "\(padding)\(digits) \(Self.safe(item.title))"
      let place = item.parent < 0 ? name : places[item.parent] + "/" + name
      // Paths are limited to 800 bytes; a longer one is placed beside its parent.
      let fits = place.utf8.count <= 800
      places.append(fits || item.parent < 0 ? place : places[item.parent] + " \(paths.count)")
      paths.append(places[places.count - 1] + ".md")
      folders.append(
        item.parent < 0 ? [] : folders[item.parent] + [items[item.parent].title])
    }
  }

  /// Converts a title to a part of a file name of at most 80 bytes, without characters that have a
  /// meaning in paths, in shell patterns or on other systems. `Untitled` if no character is left.
  static func safe(_ title: String) -> String {
    var result = ""
    for scalar in title.unicodeScalars {
      let isRefused =
        scalar.properties.generalCategory == .control
        || scalar.properties.generalCategory == .format
        || "/\\:*?\"<>|".unicodeScalars.contains(scalar) || scalar == "\u{2028}"
        || scalar == "\u{2029}" || scalar == "\u{FFFD}"
      let next = isRefused ? " " : String(scalar)
      if next == " ", result.isEmpty || result.last == " " { continue }
      if result.utf8.count + next.utf8.count > 80 { break }
      result += next
    }
    while result.last == " " || result.last == "." { result.removeLast() }
    return result.isEmpty ? "Untitled" : result
  }
}
