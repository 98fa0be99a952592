import FoundationEssentials
package import Model

/// A file of bibliographic sources, as reference managers read and write it.
///
/// ```swift
/// let bibliography = Bibliography(Array("@book{w, title = {Walden}}".utf8))
/// bibliography?.format                        // .bibtex
/// bibliography?.sources.first?.text(.title)   // "Walden"
/// ```
package struct Bibliography: Sendable {
  /// The formats of bibliographies.
  package enum Format: String, CaseIterable, Sendable, Codable {
    /// CSL-JSON, as Zotero and citeproc programs write it.
    case csl
    /// BibTeX and BibLaTeX.
    case bibtex
  }

  /// An entry that could not be read.
  package struct Problem: Hashable, Sendable {
    /// The line on which the entry begins, from 1; nil for CSL-JSON.
    package var line: Int?
    package var message: String
  }

  package var format: Format
  /// The sources, in file order.
  package var sources: [Source]
  /// The entries that could not be read.
  package var problems: [Problem]

  /// Parses a file; nil if it is in neither format. It may be in any encoding that `text(of:)`
  /// reads. Linear in its size.
  package init?(_ bytes: [UInt8]) {
    let text = Self.text(of: bytes)
    if let value = JSONValue(Array(text.utf8)) {
      // Some programs write an object that contains the list as `items`.
      let items = value["items"].list ?? value.values
      var problems: [Problem] = []
      let sources = items.enumerated().compactMap { index, item -> Source? in
        guard let source = Source(item: item), Self.isItem(item) else {
          problems.append(Problem(message: "item \(index + 1) is not a CSL-JSON item"))
          return nil
        }
        return source
      }
      // Other JSON has titles and types, too.
      guard items.contains(where: Self.isCertain) || items.isEmpty else { return nil }
      (format, self.sources, self.problems) = (.csl, sources, problems)
      return
    }
    guard let reader = BibTeXReader.read(text) else { return nil }
    (format, sources, problems) = (.bibtex, reader.sources, reader.problems)
  }

  /// Returns whether an item has a type or a title, as every CSL-JSON item does.
  private static func isItem(_ item: JSONValue) -> Bool {
    !item["type"].text.isEmpty || !item["title"].text.isEmpty
  }

  /// Returns whether an item has a type of CSL, or a date or names in the form of CSL.
  private static func isCertain(_ item: JSONValue) -> Bool {
    if Source.kinds.contains(item["type"].text) { return true }
    if item["issued"]["date-parts"].list != nil { return true }
    return item["author"].values.contains {
      !$0["family"].text.isEmpty || !$0["literal"].text.isEmpty
    }
  }

  /// Returns the text of a bibliography: UTF-8, UTF-16 with a byte order mark, or else
  /// windows-1252, which reference managers on Windows write.
  package static func text(of bytes: [UInt8]) -> String {
    if let isBig = [[0xFE, 0xFF]: true, [0xFF, 0xFE]: false][Array(bytes.prefix(2))] {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index -> UInt16 in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isBig ? first << 8 | second : second << 8 | first
      }
      return String(units: units)
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    if let text = String(validating: content, as: UTF8.self) { return text }
    var text = String.UnicodeScalarView()
    for byte in content {
      let scalar =
        (0x80..<0xA0).contains(byte) ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte)
      text.append(scalar)
    }
    return String(text)
  }

  /// The characters of windows-1252 from 0x80 to 0x9F. Five bytes have no character.
  private static let windows = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

  /// Returns the sources in a format. Each source has a unique citation key.
  package static func text(of sources: [Source], as format: Format) -> String {
    var usedKeys: Set<String> = []
    let named = sources.map { source -> (key: String, source: Source) in
      let wanted = source.key
      // The suffixes are the letters a … z and then numbers, because a list may be long.
      let others = (0...).lazy.map { number in
        wanted + (number < 26 ? String(UnicodeScalar(97 + UInt8(number))) : "\(number)")
      }
      let key = usedKeys.contains(wanted) ? others.first { !usedKeys.contains($0) }! : wanted
      usedKeys.insert(key)
      return (key, source)
    }
    switch format {
    case .bibtex:
      return named.map { BibTeXWriter.entry($1, key: $0) }.joined(separator: "\n")
    case .csl:
      let items = named.map { key, source -> String in
        guard case .object(var item) = source.item else { return "{}" }
        item["id"] = .text(key)
        item["type"] = item["type"] ?? .text(source.kind)
        guard let data = try? JSONEncoder.ordered().encode(JSONValue.object(item)) else {
          preconditionFailure("a CSL-JSON item cannot be encoded")
        }
        return "  " + String(decoding: data, as: UTF8.self)
      }
      return items.isEmpty ? "[]\n" : "[\n\(items.joined(separator: ",\n"))\n]\n"
    }
  }
}

extension Source {
  /// The CSL type of the work; if it is not set, the most likely type.
  package var kind: String {
    let type = text(.type)
    if !type.isEmpty { return type }
    if self[.isbn] != nil { return "book" }
    if self[.container] != nil, self[.doi] != nil || self[.issue] != nil {
      return "article-journal"
    }
    if self[.url] != nil { return "webpage" }
    return self[.publisher] == nil ? "document" : "book"
  }

  /// The citation key: the source's own, or one made of the first author's family name, the year
  /// and the first significant word of the title: `woolf1929room`.
  package var key: String {
    let citationKey = text(.citationKey)
    if !citationKey.isEmpty { return citationKey }
    let name = names(.author).first ?? names(.editor).first
    let words = text(.title).lowercased().split { !$0.isLetter && !$0.isNumber }
    let word = words.first { $0.count > 3 && !Self.smallWords.contains(String($0)) } ?? words.first
    let year = date(.issued)?.year.map(String.init) ?? ""
    let key = Self.plain(name?.family ?? "") + year + Self.plain(String(word ?? ""))
    return key.isEmpty ? "source" : key
  }

  private static let smallWords: Set<String> = ["with", "from", "that", "this", "about", "into"]

  /// Returns the ASCII letters and digits of a word, without accents, because such keys work in
  /// every program. Letters without an ASCII base are omitted.
  private static func plain(_ word: String) -> String {
    let scalars = LaTeXText.decomposed(word.lowercased()).unicodeScalars
    return String(
      String.UnicodeScalarView(
        scalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }))
  }
}
