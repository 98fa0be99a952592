/// The output of a template for a file that is kept up to date: regions that are rewritten on each
/// export, and the text around them, which is written only once.
package struct ManagedContent: Sendable {
  /// The text before the first region. The user may edit it afterwards.
  package var before = ""
  /// The regions with their keys, in order.
  package var regions: [(key: String, content: String)] = []
  /// The text after the last region.
  package var after = ""
}

extension Template {
  /// The parts of a template from which regions are made.
  private struct Parts {
    var before: [Node] = []
    /// The parts before, in and after the list of highlights, for each document.
    var head: [Node] = []
    var highlight: [Node] = []
    var foot: [Node] = []
    var after: [Node] = []
  }

  /// Splits a template into the parts of its regions: one for each highlight, and for each document
  /// one before and one after its highlights.
  ///
  /// - Throws: `Problem` if a list is missing, nested in another section, or occurs more than once.
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
          throw Problem(
            line: line,
            reason:
              "{{#\(list)}} may occur only once in a template for a file that is kept up to date")
        }
        found = (index, inner)
      } else if let line = Self.line(of: list, in: inner) ?? (name == list ? line : nil) {
        throw Problem(
          line: line,
          reason:
            "{{#\(list)}} must not be inside another section, because the file is kept up to date")
      }
    }
    guard let found else {
      throw Problem(
        line: 1, reason: "a template for a file that is kept up to date needs {{#\(list)}}")
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

  /// Renders records, which must be ordered by document, as regions: `doc:ID` before a document's
  /// highlights, `hl:ID` for each highlight, and `end:ID` after them. A template for one document
  /// has no `doc:ID`; the text before its list is in `before`.
  ///
  /// - Throws: `Problem` if the template cannot be split into regions, or if it is for one document
  ///   and there are several.
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
        let templatePlace = TemplatePlace(document: document, highlight: index)
        content.regions.append(
          ("hl:\(document.records[index].shortID)", Self.text(of: parts.highlight, templatePlace)))
      }
      content.regions.append(("end:\(id)", Self.text(of: parts.foot, place)))
    }
    if !isForOneDocument {
      // A template for several documents has only text outside the list of documents.
      for case .text(let text) in parts.before { content.before += text }
      for case .text(let text) in parts.after { content.after += text }
    }
    return content
  }

  /// Checks that a template can be split into regions.
  ///
  /// - Throws: `Problem` if it cannot.
  package func requireRegions() throws(Problem) { _ = try parts() }
}
