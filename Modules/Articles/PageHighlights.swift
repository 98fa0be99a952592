import MarkdownParse
package import Model

/// The highlights that Diple exported to a page: `mark` elements, and footnotes with their comments.
///
/// ```swift
/// var highlights = PageHighlights(of: &tree, in: body)
/// let reader = BlockReader(tree, notes: notes, links: links, pictures: pictures, highlights)
/// let found = highlights.found(in: MarkdownWriter.write(reader.blocks(of: body)))
/// ```
///
/// While the page is converted, characters for private use are at the ends of the highlights.
package struct PageHighlights: Sendable {
  /// A highlight in the text of a converted page.
  package struct Found: Hashable, Sendable {
    /// The range of the text, in UTF-16 units.
    package var range: Range<Int>
    package var quote: String
    package var color: HighlightColor
    /// The text of the footnote; empty if the highlight has none.
    package var comment: String
  }

  private var highlights: [(color: HighlightColor, comment: String)] = []
  /// The characters before and after the content of elements.
  private var marks: [Int: (before: String, after: String)] = [:]

  package init() {}

  /// Finds the highlights of a page, and drops their footnotes from it. O(nodes)
  package init(of tree: inout MarkupTree, in node: Int) {
    // The first and the last element of each highlight, by its number in the book.
    var numbers: [String: Int] = [:]
    var elements: [(first: Int, last: Int)] = []
    var references: [(number: String, node: Int)] = []
    for element in tree.descendants(of: node) {
      let name = tree.name(of: element)
      guard name == "mark" || name == "span", let number = tree.attribute("data-diple", of: element)
      else { continue }
      let classes = (tree.attribute("class", of: element) ?? "").split(separator: " ")
      if name == "span", classes.contains("diple-note") {
        references.append((number, element))
        continue
      }
      guard
        let color = HighlightColor.allCases.first(where: {
          classes.contains("diple-\($0.rawValue)"[...])
        })
      else { continue }
      if let index = numbers[number] {
        elements[index].last = element
      } else if elements.count < PassageMark.limit {
        numbers[number] = elements.count
        elements.append((element, element))
        highlights.append((color, ""))
      }
    }
    guard !elements.isEmpty else { return }
    let isOccupied = tree.descendants(of: node).contains {
      tree.nodes[$0].text.unicodeScalars.contains { PassageMark($0) != nil }
    }
    // The page itself uses the characters.
    if isOccupied {
      highlights = []
      return
    }
    for (index, element) in elements.enumerated() {
      marks[element.first, default: ("", "")].before.unicodeScalars.append(
        PassageMark.start(index).scalar)
      let after = marks[element.last]?.after ?? ""
      marks[element.last, default: ("", "")].after = "\(PassageMark.end(index).scalar)" + after
    }
    dropNotes(references, numbers, of: &tree)
  }

  private mutating func dropNotes(
    _ references: [(number: String, node: Int)], _ numbers: [String: Int],
    of tree: inout MarkupTree
  ) {
    guard !references.isEmpty else { return }
    var ids: [String: Int] = [:]
    for index in tree.nodes.indices {
      if let id = tree.attribute("id", of: index), ids[id] == nil { ids[id] = index }
    }
    for (number, node) in references {
      guard let index = numbers[number], let link = tree.first("a", in: node),
        let id = tree.attribute("href", of: link)?.pageAnchor, let note = ids[id],
        !tree.isDropped(note)
      else { continue }
      highlights[index].comment = Self.comment(note, in: tree)
      tree.drop(node)
      tree.drop(note)
      // A list without other notes, and the rule above it, are dropped, too.
      let list = tree.parent(of: note)
      guard tree.elements(in: list).isEmpty else { continue }
      let section = tree.parent(of: list)
      tree.drop(PageNotes.holdsNotes(section, in: tree) ? section : list)
    }
  }

  /// Returns the lines of a footnote without the link back to the text.
  private static func comment(_ note: Int, in tree: MarkupTree) -> String {
    var text = ""
    for node in tree.descendants(of: note) {
      switch tree.name(of: node) {
      case "":
        let isLink = tree.ancestors(of: node).prefix(2).contains { tree.name(of: $0) == "a" }
        if isLink { continue }
        var words = Substring(tree.rawText(of: node))
        if text.isEmpty || text.last == "\n" { words = words.drop(while: \.isNewline) }
        text += words.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
          .joined(separator: " ")
      case "br": text += "\n"
      default: continue
      }
    }
    return text
  }

  /// Returns the characters before and after the content of an element; nil for other elements.
  func marks(of node: Int) -> (before: String, after: String)? {
    marks.isEmpty ? nil : marks[node]
  }

  /// Returns the Markdown of the converted page without the characters, and the highlights in its
  /// rendered text; nil if the characters change how the Markdown is parsed. O(text)
  package func found(in markdown: String) -> (markdown: String, highlights: [Found])? {
    guard !highlights.isEmpty else { return (markdown, []) }
    let plain = String(
      String.UnicodeScalarView(markdown.unicodeScalars.filter { PassageMark($0) == nil }))
    var starts: [Int: Int] = [:]
    var ends: [Int: Int] = [:]
    var units: [UInt16] = []
    let marked = ParsedDocument(parsing: MarkdownSource(markdown)).text
    for scalar in String(units: marked.utf16).unicodeScalars {
      switch PassageMark(scalar) {
      case nil: units += UTF16.encode(scalar)!
      case .start(let index): starts[index] = units.count
      case .end(let index): ends[index] = units.count
      }
    }
    guard units == ParsedDocument(parsing: MarkdownSource(plain)).text.utf16 else { return nil }
    let found = highlights.enumerated().compactMap { index, highlight -> Found? in
      guard let start = starts[index], let end = ends[index], start < end else { return nil }
      return Found(
        range: start..<end, quote: String(units: units[start..<end]),
        color: highlight.color, comment: highlight.comment)
    }
    return (plain, found)
  }
}
