import FoundationEssentials

/// The metadata of a web page. Unknown values are empty.
package struct PageMetadata: Hashable, Sendable {
  package var title = ""
  package var authors: [String] = []
  /// The date of publication in RFC 3339 format, or only its year, month or day.
  package var date = ""
  package var site = ""
  package var publisher = ""
  package var language = ""
  /// The address that the page states as its own; nil if it states none or an invalid one.
  package var canonical: WebAddress?

  package init() {}

  /// Reads the metadata of a page, in this order: JSON-LD, OpenGraph, Dublin Core, other `<meta>`
  /// elements, and elements of the text.
  ///
  /// - Parameter address: the address from which the page was fetched; nil for a file.
  package init(of tree: MarkupTree, at address: WebAddress?) {
    var found = Found(tree)
    title = Self.best(
      [
        found.linked.title, found.meta["og:title"], found.meta["dc.title"],
        found.meta["dcterms.title"],
        found.meta["citation_title"], found.meta["twitter:title"], found.title(of: tree),
      ])
    site = Self.best([found.meta["og:site_name"], found.linked.publisher])
    publisher = Self.best(
      [found.meta["dc.publisher"], found.meta["citation_publisher"], found.linked.publisher])
    authors = Self.authors(
      [found.linked.authors, found.metaAuthors, found.authors(in: tree)].first { !$0.isEmpty } ?? []
    )
    date = Self.best(
      [
        found.linked.date, found.meta["article:published_time"],
        found.meta["citation_publication_date"],
        found.meta["citation_date"], found.meta["dc.date"], found.meta["dcterms.created"],
        found.meta["dc.date.issued"], found.meta["date"], found.meta["parsely-pub-date"],
        found.time(in: tree),
      ].map { $0.flatMap(Self.date) })
    let locale = Self.best(
      [
        tree.first("html").flatMap { tree.attribute("lang", of: $0) },
        found.meta["og:locale"], found.meta["dc.language"], found.linked.language,
      ])
    let code = locale.prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    language = String(code.replacing("_", with: "-"))
    canonical = found.canonical(against: address)
    title = Self.withoutSite(title, site)
  }

  private static func best(_ values: [String?]) -> String {
    for case let value? in values {
      let line = String(MarkupTree.cleaned(value).inOneLine.prefix(300))
      if !line.isEmpty { return line }
    }
    return ""
  }

  /// Returns a title without the name of the site at its end.
  private static func withoutSite(_ title: String, _ site: String) -> String {
    for sign in [" | ", " - ", " – ", " — ", " :: ", " » ", " · "] where !site.isEmpty {
      let end = sign + site
      if title.lowercased().hasSuffix(end.lowercased()), title.count > end.count {
        return String(title.dropLast(end.count))
      }
    }
    return title
  }

  private static func authors(_ names: [String]) -> [String] {
    var result: [String] = []
    for name in names {
      var name = String(MarkupTree.cleaned(name).inOneLine.prefix(200))
      for start in ["by ", "von ", "par "] where name.lowercased().hasPrefix(start) {
        name = String(name.dropFirst(start.count))
      }
      name = withoutDate(name)
      // Some pages state an address as the author, or only the word before a name.
      guard !name.isEmpty, !name.contains("://"),
        !["by", "von", "par"].contains(name.lowercased()), !result.contains(name), result.count < 50
      else {
        continue
      }
      result.append(name)
    }
    return result
  }

  /// Returns a name without a date after it: `Dan Goodin` for `Dan Goodin - Apr 16, 2015 8:02 pm`.
  private static func withoutDate(_ name: String) -> String {
    for sign in [" - ", " – ", " — ", " | ", " · ", " • ", ", ", " on "] {
      guard let range = name.firstRange(of: sign) else { continue }
      let words = name[range.upperBound...].split(separator: " ")
      let isDate = [1, 3].contains { date(words.prefix($0).joined(separator: " ")) != nil }
      if isDate, words.count <= 8 { return String(name[..<range.lowerBound]) }
    }
    return name
  }

  /// Converts a date to RFC 3339 format, complete or only its leading parts; nil if it is not a
  /// date.
  ///
  /// ```swift
  /// PageMetadata.date("March 5, 2021")  // "2021-03-05"
  /// ```
  package static func date(_ text: String) -> String? {
    var text = text.inOneLine
    if text.count >= 8, text.prefix(4).allSatisfy(\.isNumber) {
      text = text.replacing("/", with: "-")
    }
    let pattern =
      #/^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/#
    guard let match = text.prefix(40).wholeMatch(of: pattern) else { return written(text) }
    var result = String(match.1)
    // Some pages state the year 1 if they do not know the date.
    guard result >= "1000" else { return nil }
    guard let month = match.2.flatMap({ Int($0) }) else { return result }
    guard (1...12).contains(month) else { return nil }
    result += (month < 10 ? "-0" : "-") + String(month)
    guard let day = match.3.flatMap({ Int($0) }) else { return result }
    guard (1...31).contains(day) else { return nil }
    result += (day < 10 ? "-0" : "-") + String(day)
    guard let time = match.4, let zone = match.6 else { return result }
    let offset =
      zone == "Z" || zone.contains(":") ? String(zone) : zone.prefix(3) + ":" + zone.suffix(2)
    return result + "T\(time):\(match.5 ?? "00")" + offset
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// Converts a date with an English month: `March 5, 2021`, `5 Mar 2021`; nil if it is not a date.
  private static func written(_ text: String) -> String? {
    let words = text.prefix(40).lowercased().split { !$0.isLetter && !$0.isNumber }
    guard (2...6).contains(words.count),
      let month = words.lazy.compactMap({ word in
        months.firstIndex { word.count >= 3 && $0.hasPrefix(word) }
      }).first,
      let year = words.first(where: { $0.count == 4 && $0.allSatisfy(\.isNumber) })
    else { return nil }
    let day = words.lazy.filter { $0.count <= 2 }.compactMap { Int($0) }.first
    let result = "\(year)-" + (month < 9 ? "0" : "") + "\(month + 1)"
    guard let day, (1...31).contains(day) else { return result }
    return result + (day < 10 ? "-0" : "-") + "\(day)"
  }

  /// The metadata in the head of a page and in marked elements.
  private struct Found {
    var meta: [String: String] = [:]
    var metaAuthors: [String] = []
    var linked = LinkedData()
    var canonicalLink: String?

    init(_ tree: MarkupTree) {
      for node in tree.descendants(of: MarkupTree.root) {
        switch tree.name(of: node) {
        case "meta":
          let name = tree.attribute("property", of: node) ?? tree.attribute("name", of: node)
          guard let name = name?.lowercased(), let content = tree.attribute("content", of: node),
            meta.count < 500
          else { continue }
          if [
            "author", "dc.creator", "dcterms.creator", "citation_author", "article:author",
            "parsely-author", "sailthru.author",
          ].contains(name) {
            metaAuthors.append(content)
          }
          if meta[name] == nil { meta[name] = content }
        case "link":
          if tree.attribute("rel", of: node)?.lowercased() == "canonical", canonicalLink == nil {
            canonicalLink = tree.attribute("href", of: node)
          }
        case "script":
          if tree.attribute("type", of: node)?.lowercased() == "application/ld+json" {
            linked.read(tree.rawText(of: node))
          }
        default: continue
        }
      }
    }

    func canonical(against address: WebAddress?) -> WebAddress? {
      for text in [canonicalLink, meta["og:url"], linked.address] {
        guard let text,
          let found = WebAddress.resolved(text, against: address).flatMap({ WebAddress($0) }),
          !found.hasCredentials
        else { continue }
        return found.withoutFragment
      }
      return nil
    }

    mutating func title(of tree: MarkupTree) -> String? {
      let title = tree.first("title").map { tree.text(of: $0) } ?? ""
      let headings = tree.descendants(of: MarkupTree.root).filter { tree.name(of: $0) == "h1" }
      let heading = headings.count == 1 ? tree.text(of: headings[0]) : ""
      // The `title` element often contains the name of the site too.
      if !heading.isEmpty, title.isEmpty || title.contains(heading) { return heading }
      if !title.isEmpty { return title }
      return headings.first.map { tree.text(of: $0) }
    }

    func authors(in tree: MarkupTree) -> [String] {
      let names = tree.descendants(of: MarkupTree.root).lazy.filter { node in
        tree.attribute("rel", of: node) == "author"
          || tree.attribute("itemprop", of: node)?.contains("author") == true
          || ["byline", "author", "p-author"].contains {
            (tree.attribute("class", of: node) ?? "").split(separator: " ").contains(Substring($0))
          }
      }
      let written = names.lazy.map { tree.beginning(of: $0) }
      return written.first { !PageMetadata.authors([$0]).isEmpty }.map { [$0] } ?? []
    }

    func time(in tree: MarkupTree) -> String? {
      tree.descendants(of: MarkupTree.root).lazy.filter { tree.name(of: $0) == "time" }
        .compactMap { tree.attribute("datetime", of: $0) ?? tree.beginning(of: $0) }
        .first { PageMetadata.date($0) != nil }
    }
  }
}
