package import Model

/// How a text names where a passage is from.
package struct Citation: Hashable, Sendable {
  /// The work.
  package var source: Source
  /// Where in it the passage stands, in the words of the program that knows: "page 12 · location 340".
  package var location: String

  /// Makes a citation.
  package init(_ source: Source, location: String = "") {
    (self.source, self.location) = (source, location)
  }

  /// Those who wrote it, as they are said: `Ann Lee and Bo Ek`; of more than three the first. Without
  /// authors those who edited it; empty where nobody is named.
  package var people: String {
    let authors = source.names(.author)
    let names = (authors.isEmpty ? source.names(.editor) : authors).map(\.direct)
    let isOpen = names.last == "others"
    let known = isOpen ? names.dropLast() : names[...]
    guard let first = known.first else { return "" }
    if isOpen || known.count > 3 { return "\(first) et al." }
    guard known.count > 1 else { return first }
    return known.dropLast().joined(separator: ", ") + " and " + known.last!
  }

  /// The page or the place, short: `p. 12`, `pp. 12-14`; empty where none is known.
  package var locator: String {
    let place = location.oneLine
    let first = place.split(separator: "·").first.map(\.oneLine) ?? ""
    guard first.lowercased().hasPrefix("page ") else { return place }
    let pages = first.dropFirst(5)
    return (pages.contains { $0 == "-" || $0 == "–" } ? "pp. " : "p. ") + pages
  }

  /// One line of plain text: the people, the title, what it stands in, publisher and year, the place in
  /// it, and for a page of the web its address. What is not known is left out.
  package var text: String {
    let title = source.text(.title)
    let container = source.text(.container)
    var parts = [people]
    parts.append(container.isEmpty || title.isEmpty ? title : "“\(title)”")
    parts.append(inContainer(container))
    let year = source.date(.issued).map { $0.year.map(String.init) ?? $0.words } ?? ""
    // In a journal the year stands behind volume and issue.
    let imprint = [isArticle ? "" : source.text(.publisher), year].filter { !$0.isEmpty }
      .joined(separator: ", ")
    if !imprint.isEmpty {
      if let last = parts.lastIndex(where: { !$0.isEmpty }) {
        parts[last] += " (\(imprint))"
      } else {
        parts.append(imprint)
      }
    }
    parts.append(locator)
    if source.kind.hasPrefix("webpage") || source.kind.hasPrefix("post")
      || parts.allSatisfy(\.isEmpty)
    {
      parts.append(source.text(.url))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// The citation as Pandoc's Markdown has it: `[@woolf1929room, p. 12]`.
  package var pandoc: String {
    let place = locator.isEmpty ? "" : ", \(locator)"
    let key = source.key
    let isPlain = key.utf8.allSatisfy {
      ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0)
        || ":.#$%&-+?<>~/_".utf8.contains($0)
    }
    return "[@\(isPlain ? key : "{\(key)}")\(place)]"
  }

  private var isArticle: Bool { source.kind.hasPrefix("article") }

  private func inContainer(_ container: String) -> String {
    guard !container.isEmpty else { return "" }
    let volume = source.text(.volume)
    let issue = source.text(.issue)
    let number = volume + (issue.isEmpty ? "" : volume.isEmpty ? "no. \(issue)" : "(\(issue))")
    return isArticle && !number.isEmpty ? "\(container) \(number)" : container
  }
}
