import Foundation

/// Creates EPUB books and other zip archives, including damaged and hostile ones, with Python's
/// `zipfile`.
///
/// ```swift
/// let entries = BookMaker.entries(chapters: [("one.xhtml", "<p>Text</p>")])
/// try BookMaker.write(entries, to: folder + "/book.epub")
/// ```
public enum BookMaker {
  /// A file in an archive.
  public struct Entry: Encodable, Sendable {
    var name: String
    var text: String
    /// The number of times that the text is repeated in the file.
    var times: Int
    /// The fault of the file: `link`, `crc`, `encrypted` or `bytes` for Latin-1. Empty for none.
    var fault: String

    /// Returns whether the file has this name.
    public func hasName(_ name: String) -> Bool { self.name == name }

    /// The text without repetitions.
    public var content: String { text }

    /// Creates a file.
    public init(_ name: String, _ text: String, times: Int = 1, fault: String = "") {
      (self.name, self.text, self.times, self.fault) = (name, text, times, fault)
    }
  }

  /// Writes an archive. Throws `CocoaError` if Python fails, `Timeout` if it doesn't end.
  public static func write(_ entries: [Entry], to path: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let list = path + ".json"
    try JSONEncoder().encode(entries).write(to: URL(filePath: list))
    defer { try? FileManager.default.removeItem(atPath: list) }
    process.arguments = ["python3", "-W", "ignore", "-c", script, list, path]
    try process.run()
    guard try process.end() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Returns the files of a book in EPUB 2 or 3.
  ///
  /// - Parameters:
  ///   - chapters: The names of the chapters' files in the book's `text` folder, and their XHTML
  ///     bodies.
  ///   - isOld: Whether the book is in EPUB 2.
  ///   - metadata: Additional XML elements for the package's metadata.
  public static func entries(
    title: String = "The Book", chapters: [(name: String, body: String)], isOld: Bool = false,
    metadata: String = ""
  ) -> [Entry] {
    let ids = chapters.indices.map { "c\($0)" }
    let items = zip(ids, chapters).map {
      "<item id=\"\($0)\" href=\"text/\($1.name)\" media-type=\"application/xhtml+xml\"/>"
    }
    let navigation =
      isOld
      ? "<item id=\"ncx\" href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>"
      : "<item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>"
    let package = """
      <?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="\(isOld ? 2 : 3).0">
      <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>\(title)</dc:title>
      <dc:creator>Ada Lovelace</dc:creator><dc:language>en</dc:language>
      <dc:identifier>urn:isbn:9780306406157</dc:identifier><dc:date>1843</dc:date>
      <dc:publisher>Taylor</dc:publisher>\(metadata)</metadata>
      <manifest>\(items.joined())\(navigation)</manifest>
      <spine\(isOld ? " toc=\"ncx\"" : "")>\(ids.map { "<itemref idref=\"\($0)\"/>" }.joined())</spine></package>
      """
    let points = chapters.enumerated().map { index, chapter in
      isOld
        ? "<navPoint><navLabel><text>Part \(index + 1)</text></navLabel><content src=\"text/\(chapter.name)#x\"/></navPoint>"
        : "<li><a href=\"text/\(chapter.name)\">Part \(index + 1)</a></li>"
    }.joined()
    let contents =
      isOld
      ? Entry("OEBPS/toc.ncx", "<ncx><navMap>\(points)</navMap></ncx>")
      : Entry(
        "OEBPS/nav.xhtml",
        "<html xmlns:epub=\"x\"><body><nav epub:type=\"toc\"><ol>\(points)</ol></nav></body></html>"
      )
    return [
      Entry("mimetype", "application/epub+zip"),
      Entry(
        "META-INF/container.xml",
        "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>"),
      Entry("OEBPS/book.opf", package), contents,
    ]
      + chapters.map {
        Entry(
          "OEBPS/text/\($0.name)",
          "<?xml version=\"1.0\"?><html xmlns:epub=\"x\"><head><title/></head><body>\($0.body)</body></html>"
        )
      }
  }

  private static let script = #"""
    import json, struct, sys, zipfile
    entries = json.load(open(sys.argv[1]))
    with zipfile.ZipFile(sys.argv[2], "w") as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry["name"])
            info.compress_type = zipfile.ZIP_DEFLATED if entry["times"] > 1 else zipfile.ZIP_STORED
            mode = 0o120777 if entry["fault"] == "link" else 0o100644
            info.external_attr, info.create_system = mode << 16, 3
            data = entry["text"].encode("latin-1" if entry["fault"] == "bytes" else "utf-8")
            archive.writestr(info, data * entry["times"])
    data = bytearray(open(sys.argv[2], "rb").read())
    for entry in entries:
        name = entry["name"].encode()
        if entry["fault"] == "crc":
            text = entry["text"].encode()
            place = data.find(text)
            data[place + len(text) // 2] ^= 1
        if entry["fault"] == "encrypted":
            for sign, flags, start in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
                place = 0
                while (place := data.find(sign, place)) >= 0:
                    if data[place + start:place + start + len(name)] == name: data[place + flags] |= 1
                    place += 4
    open(sys.argv[2], "wb").write(data)
    """#
}
