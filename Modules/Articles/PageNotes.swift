/// The footnotes of a page: the references in its text, and the elements that contain the notes.
package struct PageNotes: Sendable {
  /// The number of the note for each element with a reference.
  private var referenceNumbers: [Int: Int] = [:]
  /// The elements with the notes, in the order of their first references.
  package private(set) var notes: [Int] = []
  private var noteNumbers: [Int: Int] = [:]

  package init() {}

  /// Finds the notes of a page, and drops the links from the notes back to the text. O(nodes).
  ///
  /// - Parameters:
  ///   - nodes: the parts of the page whose references are read.
  ///   - anchor: returns the id in this page that a link refers to; nil for other links.
  package init(
    of tree: inout MarkupTree, in nodes: [Int], anchor: (String) -> String? = { $0.pageAnchor }
  ) {
    var ids: [String: Int] = [:]
    for index in tree.nodes.indices {
      for name in ["id", "name"] {
        if let id = tree.attribute(name, of: index), ids[id] == nil { ids[id] = index }
      }
    }
    guard !ids.isEmpty else { return }
    let links = nodes.flatMap { node in
      tree.descendants(of: node).filter { tree.name(of: $0) == "a" }
    }
    for link in links {
      guard let target = tree.attribute("href", of: link).flatMap(anchor), let found = ids[target],
        let note = Self.note(at: found, in: tree), Self.isReference(link, of: note, in: tree)
      else { continue }
      let number = noteNumbers[note] ?? notes.count + 1
      if noteNumbers[note] == nil {
        notes.append(note)
        noteNumbers[note] = number
      }
      referenceNumbers[Self.outermost(link, in: tree)] = number
    }
    for note in notes { Self.dropBackLinks(of: note, in: &tree) }
  }

  func isNote(_ node: Int) -> Bool { !noteNumbers.isEmpty && noteNumbers[node] != nil }

  func number(ofReferenceAt node: Int) -> Int? {
    referenceNumbers.isEmpty ? nil : referenceNumbers[node]
  }

  /// Returns the element that contains a note, for the target of a link; nil if the target is not
  /// in a note.
  private static func note(at target: Int, in tree: MarkupTree) -> Int? {
    // The target may be an empty element at the start of the note.
    for node in tree.ancestors(of: target).prefix(3) {
      let name = tree.name(of: node)
      guard ["li", "aside", "div", "p", "dd", "section"].contains(name) else { continue }
      let kind = kind(of: node, in: tree)
      if kind.hasPart("footnote") || kind.hasPart("endnote") || kind.hasPart("rearnote") {
        return node
      }
      let around = tree.ancestors(of: node).dropFirst().prefix(3).map {
        self.kind(of: $0, in: tree)
      }
      let isAmongNotes = around.contains { kind in
        ["footnote", "endnote", "rearnote", "references", "reflist"].contains { kind.hasPart($0) }
      }
      if name == "li", isAmongNotes { return node }
      if name == "p", isAmongNotes, node != target || kind.hasPart("note") { return node }
      if name == "li" { return nil }
    }
    return nil
  }

  private static func kind(of node: Int, in tree: MarkupTree) -> String {
    let words = ["type", "epub:type", "role"].compactMap { tree.attribute($0, of: node) }
    return (words + [tree.purpose(of: node)]).joined(separator: " ").lowercased()
  }

  /// Returns whether a link is a reference to a note, rather than a link back from a note or a link
  /// to a section.
  private static func isReference(_ link: Int, of note: Int, in tree: MarkupTree) -> Bool {
    guard !tree.ancestors(of: link).contains(note) else { return false }
    let kind = kind(of: link, in: tree)
    if kind.hasPart("backlink") || kind.hasPart("backref") { return false }
    let text = tree.beginning(of: link)
    guard text.count <= 6, !text.isEmpty || tree.first("img", in: link) != nil else { return false }
    if kind.hasPart("noteref") || kind.hasPart("footnote") || kind.hasPart("reference") {
      return true
    }
    let isRaised =
      tree.ancestors(of: link).prefix(3).contains { tree.name(of: $0) == "sup" }
      || tree.first("sup", in: link) != nil
    return isRaised || text.hasPrefix("[") || text.allSatisfy(\.isNumber)
      || ["*", "†", "‡", "**"].contains(text)
  }

  /// Returns the outermost element around a reference that contains nothing else except brackets.
  private static func outermost(_ link: Int, in tree: MarkupTree) -> Int {
    var result = link
    for node in tree.ancestors(of: link).dropFirst().prefix(2) {
      guard ["sup", "span"].contains(tree.name(of: node)),
        tree.beginning(of: node).filter({ !"[]()".contains($0) })
          == tree.beginning(of: link).filter({ !"[]()".contains($0) })
      else { break }
      result = node
    }
    return result
  }

  private static func dropBackLinks(of note: Int, in tree: inout MarkupTree) {
    let links = tree.descendants(of: note).filter { tree.name(of: $0) == "a" }
    for link in links {
      let kind = kind(of: link, in: tree)
      let text = tree.beginning(of: link)
      let isArrow = ["↩", "↩︎", "↑", "^", "⏎", "↵", "[back]"].contains(text)
      let isNumber = !text.isEmpty && text.allSatisfy { $0.isNumber || ".[]^↑".contains($0) }
      let leadsBack = tree.attribute("href", of: link)?.contains("#") == true
      if kind.hasPart("backlink") || kind.hasPart("backref") || isArrow || isNumber && leadsBack {
        tree.drop(link)
        // The element around the link may be empty now. Then drop it too.
        if let around = tree.ancestors(of: link).dropFirst().first(where: { _ in true }),
          around != note,
          tree.beginning(of: around).filter({ !"^.↑".contains($0) }).isEmpty
        {
          tree.drop(around)
        }
      }
    }
  }
}

extension String {
  /// The id that a link within a page refers to; nil for other links.
  package var pageAnchor: String? { hasPrefix("#") && count > 1 ? String(dropFirst()) : nil }
}

extension PageNotes {
  /// Returns whether an element's attributes identify it as a container of notes.
  static func holdsNotes(_ node: Int, in tree: MarkupTree) -> Bool {
    let words =
      (["type", "role"].compactMap { tree.attribute($0, of: node) } + [tree.purpose(of: node)])
      .joined(separator: " ").lowercased()
    return ["footnote", "endnote", "rearnote", "references", "reflist"].contains {
      words.hasPart($0)
    }
  }
}
