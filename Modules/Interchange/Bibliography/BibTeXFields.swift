import Model

/// The mapping between the entry types and fields of BibTeX and BibLaTeX and the types and
/// variables of CSL.
enum BibTeXFields {
  /// BibTeX's abbreviations of the months.
  static let monthNames = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The CSL type of each entry type. Of several entry types with the same CSL type, the first is
  /// written.
  static let kinds: [(entry: String, kind: String)] = [
    ("article", "article-journal"), ("article", "article-magazine"),
    ("article", "article-newspaper"), ("book", "book"), ("incollection", "chapter"),
    ("inbook", "chapter"), ("inproceedings", "paper-conference"),
    ("conference", "paper-conference"), ("phdthesis", "thesis"), ("mastersthesis", "thesis"),
    ("thesis", "thesis"), ("techreport", "report"), ("report", "report"), ("manual", "report"),
    ("unpublished", "manuscript"), ("booklet", "pamphlet"), ("online", "webpage"),
    ("online", "post-weblog"), ("online", "post"), ("electronic", "webpage"), ("www", "webpage"),
    ("software", "software"), ("dataset", "dataset"), ("patent", "patent"),
    ("proceedings", "book"), ("collection", "book"), ("mvbook", "book"), ("misc", "document"),
  ]

  /// The variables whose texts are copied. Of several fields for the same variable, the first is
  /// written.
  static let texts: [(field: String, variable: Source.Variable)] = [
    ("publisher", .publisher), ("institution", .publisher), ("school", .publisher),
    ("organization", .publisher), ("address", .publisherPlace), ("location", .publisherPlace),
    ("series", .collection), ("edition", .edition), ("volume", .volume),
    ("chapter", .chapter), ("url", .url), ("doi", .doi), ("isbn", .isbn), ("issn", .issn),
    ("language", .language), ("langid", .language), ("abstract", .abstract),
    ("keywords", .keyword), ("note", .note),
  ]

  /// The variables whose values are names.
  static let names: [(field: String, variable: Source.Variable)] = [
    ("author", .author), ("editor", .editor), ("translator", .translator),
  ]

  /// The variable that contains the fields for which CSL has no variable.
  static let custom = Source.Variable(rawValue: "custom")!

  /// Converts an entry to a source. Field names must be in lower case.
  static func source(_ kind: String, key: String, _ fields: [String: String]) -> Source {
    var source = Source()
    var rest = fields
    func take(_ name: String) -> String? {
      rest.removeValue(forKey: name).flatMap { $0.oneLine.isEmpty ? nil : $0.oneLine }
    }
    source[.type] = .text(kinds.first { $0.entry == kind }?.kind ?? "document")
    if !key.isEmpty { source[.citationKey] = .text(key) }
    for (field, variable) in names {
      guard let value = take(field) else { continue }
      source.set(variable, to: people(value))
    }
    func take(_ name: String, withSubtitle subtitle: String) -> String? {
      guard let title = take(name).map({ LaTeXText.plain($0) }) else { return nil }
      guard let rest = take(subtitle).map({ LaTeXText.plain($0) }) else { return title }
      return title + (title.last.map { "?!:".contains($0) } == true ? " " : ": ") + rest
    }
    let hasSubtitle = fields["subtitle"]?.oneLine.isEmpty == false
    let short = take("shorttitle") ?? (hasSubtitle ? fields["title"]?.oneLine : nil)
    if let short { source[.shortTitle] = .text(LaTeXText.plain(short)) }
    if let title = take("title", withSubtitle: "subtitle") { source[.title] = .text(title) }
    // For a web page, `organization` is the site that contains it.
    let isOnline = source.kind == "webpage" || source.kind == "document"
    if isOnline, let value = take("organization") {
      source[.container] = .text(LaTeXText.plain(value))
    }
    for (field, subtitle) in [
      ("journal", "journalsubtitle"), ("journaltitle", "journalsubtitle"),
      ("booktitle", "booksubtitle"), ("maintitle", "mainsubtitle"), ("eventtitle", ""),
    ] {
      guard source[.container] == nil, let value = take(field, withSubtitle: subtitle) else {
        continue
      }
      source[.container] = .text(value)
    }
    source[.issued] = date(take("date"), take("year"), take("month"), take("day"))
    source[.accessed] = date(take("urldate"), nil, nil, nil)
    if let pages = take("pages") {
      source[.page] = .text(pages.replacing("--", with: "–").replacing("–", with: "-"))
    }
    if let number = take("number") {
      source[kind == "article" ? .issue : Source.Variable(rawValue: "number")!] =
        .text(LaTeXText.plain(number))
    }
    for (field, variable) in texts where source[variable] == nil {
      guard let value = take(field) else { continue }
      // Addresses are not LaTeX text, but some programs escape characters that are special in
      // LaTeX.
      let isName = variable == .url || variable == .doi
      let text = isName ? unescaped(value) : LaTeXText.plain(value)
      source[variable] = .text(variable == .doi ? Source.bareDOI(text) : text)
    }
    let kept = rest.filter { !$0.value.oneLine.isEmpty }.mapValues { JSONValue.text($0.oneLine) }
    if !kept.isEmpty { source[custom] = .object(["bibtex": .object(kept)]) }
    return source
  }

  /// Returns the names in a value. They are separated by ` and ` outside of braces.
  private static func people(_ value: String) -> [PersonName] {
    var names: [String] = [""]
    var depth = 0
    for word in value.split(separator: " ") {
      if depth == 0, word.lowercased() == "and" {
        names.append("")
        continue
      }
      depth += word.reduce(0) { $0 + ($1 == "{" ? 1 : $1 == "}" ? -1 : 0) }
      names[names.count - 1] += names[names.count - 1].isEmpty ? "\(word)" : " \(word)"
    }
    return names.filter { !$0.isEmpty }.map { name in
      // A name that is completely in braces is not split into parts.
      isGroup(name)
        ? PersonName(literal: LaTeXText.plain(name)) : PersonName(typed: LaTeXText.plain(name))
    }
  }

  /// Returns whether a text is a single group in braces. An accent command such as `{\'e}` is not
  /// one.
  private static func isGroup(_ text: String) -> Bool {
    guard text.hasPrefix("{"), text.hasSuffix("}"), !text.hasPrefix("{\\") else { return false }
    var depth = 0
    for (index, letter) in text.enumerated() {
      depth += letter == "{" ? 1 : letter == "}" ? -1 : 0
      if depth == 0, index < text.count - 1 { return false }
    }
    return true
  }

  private static func date(_ whole: String?, _ year: String?, _ month: String?, _ day: String?)
    -> JSONValue?
  {
    var typed = Source()
    if let whole {
      typed.set(.issued, typed: LaTeXText.plain(whole))
    } else if let year {
      let name = LaTeXText.plain(month ?? "").lowercased()
      let number = Int(name) ?? monthNames.firstIndex { name.hasPrefix($0) }.map { $0 + 1 }
      let parts = [year, number.map { "\($0)" }, number == nil ? nil : day].compactMap(\.self)
      typed.set(.issued, typed: LaTeXText.plain(parts.joined(separator: "-")))
    }
    return typed[.issued]
  }

  /// Returns an address without `\url{…}` and without the backslashes that escape special
  /// characters.
  private static func unescaped(_ text: String) -> String {
    var text = text
    for (from, to) in [
      ("\\url", ""), ("{", ""), ("}", ""), ("\\_", "_"), ("\\&", "&"), ("\\%", "%"), ("\\#", "#"),
      ("\\~", "~"), ("\\textasciitilde", "~"), ("\\$", "$"),
    ] {
      text = text.replacing(from, with: to)
    }
    return text
  }
}
