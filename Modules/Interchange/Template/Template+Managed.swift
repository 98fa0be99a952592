/// What a template makes of some highlights for a file that is kept up to date: the regions, and what is
/// written around them once.
package struct ManagedContent: Sendable {
  /// What the template says before the first list; a person may change it afterwards.
  package var before = ""
  /// The regions by their keys, in order.
  package var regions: [(key: String, content: String)] = []
  /// What the template says behind the last list.
  package var after = ""
}

extension Template {
  /// The parts of a template whose regions are known apart.
  private struct Parts {
    var before: [Node] = []
    /// For each document; around the highlights.
    var head: [Node] = []
    var highlight: [Node] = []
    var foot: [Node] = []
    var after: [Node] = []
  }

  /// Divides a template into its regions: one for each highlight, and for a document what it says before
  /// and behind its highlights.
  ///
  /// - Throws: `Problem` for a template whose lists stand within something else, or more than once.
  private func parts() throws(Problem) -> Parts {
    var parts = Parts()
    if isForOneDocument {
      (parts.before, parts.highlight, parts.after) = try Self.divided(nodes, at: .highlights)
    } else {
      let inner: [Node]
      (parts.before, inner, parts.after) = try Self.divided(nodes, at: .documents)
      (parts.head, parts.highlight, parts.foot) = try Self.divided(inner, at: .highlights)
    }
    return parts
  }

  private static func divided(_ nodes: [Node], at list: Name) throws(Problem) -> (
    [Node], [Node], [Node]
  ) {
    var found: (index: Int, inner: [Node])?
    for (index, node) in nodes.enumerated() {
      guard case .section(let name, _, let inner, let line) = node else { continue }
      if name == list, case .section(_, false, _, _) = node {
        if found != nil {
          throw Problem(line: line, reason: "a file that is kept up to date has {{#\(list)}} once")
        }
        found = (index, inner)
      } else if let line = Self.line(of: list, in: inner) ?? (name == list ? line : nil) {
        throw Problem(
          line: line,
          reason: "in a file that is kept up to date {{#\(list)}} stands in no other section")
      }
    }
    guard let found else {
      throw Problem(line: 1, reason: "a file that is kept up to date needs {{#\(list)}}")
    }
    return (Array(nodes[..<found.index]), found.inner, Array(nodes[(found.index + 1)...]))
  }

  private static func line(of list: Name, in nodes: [Node]) -> Int? {
    for case .section(let name, _, let inner, let line) in nodes {
      if name == list { return line }
      if let line = Self.line(of: list, in: inner) { return line }
    }
    return nil
  }

  /// Writes the records, which come ordered by document, as regions: `doc:ID` before a document's
  /// highlights, `hl:ID` for each, and `end:ID` behind them.
  ///
  /// - Throws: `Problem` for a template that has no regions, or that is for one document when there are
  ///   more.
  package func managed(_ records: some Sequence<AnnotationRecord>) throws(Problem) -> ManagedContent
  {
    let parts = try parts()
    var content = ManagedContent()
    var count = 0
    for document in TemplateDocuments(records) {
      count += 1
      if isForOneDocument, count > 1 { throw tooMany }
      let place = TemplatePlace(document: document)
      let id = document.records[0].documentID ?? ""
      if isForOneDocument {
        content.before = Self.text(of: parts.before, place)
        content.after = Self.text(of: parts.after, place)
      } else {
        content.regions.append(("doc:\(id)", Self.text(of: parts.head, place)))
      }
      for index in document.records.indices {
        let own = TemplatePlace(document: document, highlight: index)
        content.regions.append(
          ("hl:\(document.records[index].shortID)", Self.text(of: parts.highlight, own)))
      }
      content.regions.append(("end:\(id)", Self.text(of: parts.foot, place)))
    }
    if !isForOneDocument {
      // Outside of the list there is nothing but text.
      for case .text(let text) in parts.before { content.before += text }
      for case .text(let text) in parts.after { content.after += text }
    }
    return content
  }

  /// Whether a template has regions.
  ///
  /// - Throws: `Problem` where it has none.
  package func requireRegions() throws(Problem) { _ = try parts() }
}
