import FoundationEssentials
import Model

extension Template {
  /// Renders records, which must be ordered by document. Only one document's records are in memory
  /// at a time, unless the template lists the documents more than once.
  ///
  /// - Throws: `Problem` if the template is for one document and there are several.
  public func render(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(Problem) {
    if isLine {
      var number = 0
      for record in records {
        number += 1
        writeLine(record, number: number, to: &output)
      }
      return
    }
    if isForOneDocument {
      var only: TemplateDocument?
      for document in TemplateDocuments(records) {
        guard only == nil else { throw tooMany }
        only = document
      }
      guard let only else { return }
      return Self.write(nodes, TemplatePlace(document: only), to: &output)
    }
    // The sequence can be iterated only once. If the template has several lists of documents, they
    // are stored.
    var documents: [TemplateDocument]?
    let lists = nodes.filter {
      if case .section(.documents, false, _, _) = $0 { true } else { false }
    }
    if lists.count > 1 { documents = Array(TemplateDocuments(records)) }
    for node in nodes {
      switch node {
      case .text(let text): output.write(text)
      case .section(.documents, false, let inner, _):
        if let documents {
          for document in documents {
            Self.write(inner, TemplatePlace(document: document), to: &output)
          }
        } else {
          for document in TemplateDocuments(records) {
            Self.write(inner, TemplatePlace(document: document), to: &output)
          }
        }
      default: break
      }
    }
  }

  /// Writes a record and a line feed by a template of `init(line:)`.
  ///
  /// - Parameter number: the number of the line, from 1.
  package func writeLine(
    _ record: AnnotationRecord, number: Int, to output: inout some TextOutputStream
  ) {
    let document = TemplateDocument(records: [record], isFirst: true, isLast: true)
    var place = TemplatePlace(document: document, highlight: 0)
    place.line = number
    Self.write(nodes, place, to: &output)
    output.write("\n")
  }

  var tooMany: Problem {
    Problem(
      line: 1,
      reason:
        "it is for one document: name a document, or put it in {{#documents}} … {{/documents}}")
  }

  static func text(of nodes: [Node], _ place: TemplatePlace) -> String {
    var text = ""
    write(nodes, place, to: &text)
    return text
  }

  static func write(
    _ nodes: [Node], _ place: TemplatePlace, to output: inout some TextOutputStream
  ) {
    for node in nodes {
      switch node {
      case .text(let text): output.write(text)
      case .value(let name, let filter): output.write(filter.apply(place.value(name)))
      case .section(let name, let isInverted, let inner, _):
        if let places = place.list(name) {
          if isInverted, places.isEmpty { write(inner, place, to: &output) }
          guard !isInverted else { continue }
          for place in places { write(inner, place, to: &output) }
        } else if place.value(name).isEmpty == isInverted {
          write(inner, place, to: &output)
        }
      }
    }
  }
}

/// A document with its highlights, as the template sees it.
struct TemplateDocument {
  var records: [AnnotationRecord]
  var isFirst: Bool
  var isLast: Bool
}

/// Groups consecutive records of the same document.
struct TemplateDocuments<Records: Sequence<AnnotationRecord>>: Sequence, IteratorProtocol {
  private var records: Records.Iterator
  private var ahead: AnnotationRecord?
  private var isFirst = true

  init(_ records: Records) {
    self.records = records.makeIterator()
    ahead = self.records.next()
  }

  mutating func next() -> TemplateDocument? {
    guard let first = ahead else { return nil }
    var group = [first]
    ahead = records.next()
    while let next = ahead, next.source == first.source {
      group.append(next)
      ahead = records.next()
    }
    defer { isFirst = false }
    return TemplateDocument(records: group, isFirst: isFirst, isLast: ahead == nil)
  }
}

/// The current document, highlight and tag while a template is rendered.
struct TemplatePlace {
  var document: TemplateDocument
  /// The index of the highlight in the document's records; nil outside of the list of highlights.
  var highlight: Int?
  /// The index of the tag in the highlight's tags; nil outside of the list of tags.
  var tag: Int?
  /// The number of the line, from 1; nil for templates that are not for lines.
  var line: Int?

  init(document: TemplateDocument, highlight: Int? = nil) {
    (self.document, self.highlight) = (document, highlight)
  }

  private var record: AnnotationRecord { document.records[highlight ?? 0] }

  /// Returns the elements of a list; nil if the name is not that of a list.
  func list(_ name: Template.Name) -> [TemplatePlace]? {
    switch name {
    case .highlights:
      return document.records.indices.map { TemplatePlace(document: document, highlight: $0) }
    case .tags:
      return record.tags.indices.map { index in
        var place = self
        place.tag = index
        return place
      }
    default: return nil
    }
  }

  /// Returns the value of a name; empty if it is unknown or the name is that of a list.
  func value(_ name: Template.Name) -> String {
    switch name {
    case .documents, .highlights, .tags: ""
    case .title: record.title
    case .author: record.author
    case .citation: record.citation
    case .path: record.source
    case .document: record.documentID ?? ""
    case .documentNote: record.documentNote
    case .id: record.shortID
    case .quote: record.quote
    case .marked: record.marked ?? ""
    case .note: record.note
    case .color: record.color.rawValue
    case .label: record.colorLabel ?? ""
    case .letter: String(record.color.letter)
    case .state: record.state.rawValue
    case .doubtful: record.state == .doubtful ? "doubtful" : ""
    case .orphaned: record.state == .orphaned ? "orphaned" : ""
    // The line of an orphan refers to an earlier text.
    case .line: record.state == .orphaned ? "" : record.line.map(String.init) ?? ""
    case .column: record.state == .orphaned ? "" : record.column.map(String.init) ?? ""
    case .place: record.placeText
    case .prefix: record.prefix
    case .suffix: record.suffix
    case .created: record.created?.formatted(.iso8601) ?? ""
    case .updated: record.updated?.formatted(.iso8601) ?? ""
    case .start: record.textRange.map { String($0.lowerBound) } ?? ""
    case .end: record.textRange.map { String($0.upperBound) } ?? ""
    case .link: record.link ?? ""
    case .facts: record.facts.joined(separator: " · ")
    case .number: record.number.map(String.init) ?? ""
    case .index: (line ?? highlight.map { $0 + 1 }).map(String.init) ?? ""
    case .name: tag.map { record.tags[$0] } ?? ""
    case .first: position.isFirst ? "first" : ""
    case .last: position.isLast ? "last" : ""
    }
  }

  private var position: (isFirst: Bool, isLast: Bool) {
    if let tag { return (tag == 0, tag == record.tags.count - 1) }
    if let highlight { return (highlight == 0, highlight == document.records.count - 1) }
    return (document.isFirst, document.isLast)
  }
}

extension AnnotationRecord {
  /// The id without the prefix of Diple's URNs.
  package var shortID: String {
    id.hasPrefix("urn:diple:") ? String(id.dropFirst("urn:diple:".count)) : id
  }

  /// The location in the words of the application, else the line; empty if neither is known.
  public var placeText: String {
    location.isEmpty ? state == .orphaned ? "" : line.map { "line \($0)" } ?? "" : location
  }

  /// The number of the page, or the first number of another location, else the line; nil if none of
  /// them is known.
  public var placeNumber: Int? {
    if location.isEmpty { return state == .orphaned ? nil : line }
    return location.split { !$0.isASCII || !$0.isNumber }.first.flatMap { Int($0) }
  }

  /// The address of the document or of the work whose text it is; empty if it has none.
  public var address: String {
    ([source] + [work["URL"].text]).first {
      $0.hasPrefix("https://") || $0.hasPrefix("http://")
    } ?? ""
  }

  /// The address of the document, or else its path.
  public var addressOrPath: String { address.isEmpty ? source : address }

  /// The colour with its name, the place, a doubtful or orphaned state, the link and the tags, each
  /// as Markdown.
  public var facts: [String] {
    var facts = [color.rawValue + (colorLabel.map { " (\($0.escapedForMarkdown))" } ?? "")]
    if !placeText.isEmpty { facts.append(placeText.oneLine.escapedForMarkdown) }
    if state == .doubtful || state == .orphaned { facts.append("\(state)") }
    if let link { facts.append("[Diple](<\(link)>)") }
    if !tags.isEmpty { facts.append(tags.map(Self.tag).joined(separator: " ")) }
    return facts
  }

  /// Returns a tag with its `#`. A tag of several words is in quotation marks, to distinguish it
  /// from a one-word tag followed by text.
  private static func tag(_ name: String) -> String {
    guard name.contains(where: { $0.isWhitespace || $0 == "\"" }) else {
      return "#" + name.escapedForMarkdown
    }
    return "#\"" + name.replacing("\"", with: "\\\"").escapedForMarkdown + "\""
  }
}
