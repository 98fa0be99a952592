import FoundationEssentials
package import Model

/// A file of sources, as reference managers write and read it.
package struct Bibliography: Sendable {
  /// Its form.
  package enum Format: String, CaseIterable, Sendable, Codable {
    /// CSL-JSON, as Zotero and citeproc programs write it.
    case csl
    /// BibTeX and BibLaTeX.
    case bibtex
  }

  /// An entry that could not be read.
  package struct Problem: Hashable, Sendable {
    /// The line where it begins, from 1; nil where the form has none.
    package var line: Int?
    /// What is wrong with it.
    package var message: String
  }

  /// The form that it was in.
  package var format: Format
  /// The sources, in the order of the file.
  package var sources: [Source]
  /// What could not be read.
  package var problems: [Problem]

  /// Reads a file; nil for what is neither form. Linear in its size.
  package init?(_ bytes: [UInt8]) {
    if let value = JSONValue(bytes) {
      // Some programs put the list under a key.
      let items = value["items"].list ?? value.values
      var problems: [Problem] = []
      let sources = items.enumerated().compactMap { index, item -> Source? in
        guard let source = Source(item: item), Self.isItem(item) else {
          problems.append(Problem(message: "item \(index + 1) is no item of CSL-JSON"))
          return nil
        }
        return source
      }
      guard !sources.isEmpty || items.isEmpty else { return nil }
      (format, self.sources, self.problems) = (.csl, sources, problems)
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self),
      let reader = BibTeXReader.read(text)
    else { return nil }
    (format, sources, problems) = (.bibtex, reader.sources, reader.problems)
  }

  /// Whether it says what every item does.
  private static func isItem(_ item: JSONValue) -> Bool {
    !item["type"].text.isEmpty || !item["title"].text.isEmpty
  }

  /// Writes sources. Each gets a key by which texts can cite it; no two are alike.
  package static func text(of sources: [Source], as format: Format) -> String {
    var taken: Set<String> = []
    let named = sources.map { source -> (key: String, source: Source) in
      let wanted = source.key
      // After `z` comes a number: a list may be long.
      let others = (0...).lazy.map { number in
        wanted + (number < 26 ? String(UnicodeScalar(97 + UInt8(number))) : "\(number)")
      }
      let key = taken.contains(wanted) ? others.first { !taken.contains($0) }! : wanted
      taken.insert(key)
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
          preconditionFailure("an item is JSON")
        }
        return "  " + String(decoding: data, as: UTF8.self)
      }
      return items.isEmpty ? "[]\n" : "[\n\(items.joined(separator: ",\n"))\n]\n"
    }
  }
}

extension Source {
  /// The kind of work, in CSL's words; what is most likely where nothing says it.
  package var kind: String {
    let said = text(.type)
    if !said.isEmpty { return said }
    if self[.isbn] != nil { return "book" }
    if self[.container] != nil, self[.doi] != nil || self[.issue] != nil {
      return "article-journal"
    }
    if self[.url] != nil { return "webpage" }
    return self[.publisher] == nil ? "document" : "book"
  }

  /// The key by which it is cited: its own, or one of the first author's name, the year and the first
  /// word of the title that says something: `woolf1929room`.
  package var key: String {
    let own = text(.citationKey)
    if !own.isEmpty { return own }
    let name = names(.author).first ?? names(.editor).first
    let words = text(.title).lowercased().split { !$0.isLetter && !$0.isNumber }
    let word = words.first { $0.count > 3 && !Self.smallWords.contains(String($0)) } ?? words.first
    let year = date(.issued)?.year.map(String.init) ?? ""
    let key = Self.plain(name?.family ?? "") + year + Self.plain(String(word ?? ""))
    return key.isEmpty ? "source" : key
  }

  private static let smallWords: Set<String> = ["with", "from", "that", "this", "about", "into"]

  /// The letters of a word without their marks. Such keys work in every program; letters that have no
  /// plain form are left out.
  private static func plain(_ word: String) -> String {
    let scalars = LaTeXText.decomposed(word.lowercased()).unicodeScalars
    return String(
      String.UnicodeScalarView(
        scalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }))
  }
}
