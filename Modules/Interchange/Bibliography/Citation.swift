package import Model

/// A reference to a passage of a work, as it is written in a text.
///
/// ```swift
/// var source = Source()
/// source[.title] = .text("Walden")
/// source.set(.author, typed: "Thoreau, Henry David")
/// Citation(source, location: "page 12").text  // "Henry David Thoreau, Walden, p. 12"
/// ```
package struct Citation: Hashable, Sendable {
  package var source: Source
  /// The location in the words of the application: "page 12 · location 340"; empty if unknown.
  package var location: String

  package init(_ source: Source, location: String = "") {
    (self.source, self.location) = (source, location)
  }

  /// The authors as they are cited: `Ann Lee and Bo Ek`. If there are more than three, the first
  /// and “et al.” Without authors, the editors; empty if neither are known.
  package var people: String {
    let authors = source.names(.author)
    let names = (authors.isEmpty ? source.names(.editor) : authors).map(\.direct)
    let isOpen = names.last == "others"
    let known = isOpen ? names.dropLast() : names[...]
    guard let first = known.first else { return "" }
    if isOpen || known.count > 3 { return "\(first) et al." }
    return known.listed
  }

  /// The page or location in short form: `p. 12`, `pp. 12-14`; empty if unknown.
  package var locator: String {
    let place = location.oneLine
    let first = place.split(separator: "·").first.map(\.oneLine) ?? ""
    guard first.lowercased().hasPrefix("page ") else { return place }
    let pages = first.dropFirst(5)
    return (pages.contains { $0 == "-" || $0 == "–" } ? "pp. " : "p. ") + pages
  }

  /// The citation as one line of plain text: authors, title, container, publisher and year, locator
  /// and, for web pages, the address. Unknown parts are omitted.
  package var text: String {
    let title = source.text(.title)
    let container = source.text(.container)
    var parts = [people]
    parts.append(container.isEmpty || title.isEmpty ? title : "“\(title)”")
    parts.append(inContainer(container))
    let year = source.date(.issued).map { $0.year.map(String.init) ?? $0.words } ?? ""
    // For an article, the year follows the volume and issue.
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

  /// The citation in Pandoc's Markdown: `[@woolf1929room, p. 12]`.
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
