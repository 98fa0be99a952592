import FoundationEssentials
public import Interchange
import Model

/// Reads Web Annotations of any program: a single one, a list, a page or a collection. It reads
/// text quote selectors and text position selectors, and ignores all other properties.
public struct WebAnnotationReader: Importer {
  /// The id, which selects the format: `diple import --from w3c`.
  public static let id = "w3c"
  /// The name of the format in messages.
  public static let name = "W3C annotations"
  /// The description that `diple strategies` prints.
  public static let summary = "W3C Web Annotations (JSON-LD) with text quote and position selectors"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "one annotation", input: WebAnnotation.text, records: [WebAnnotation.sample]),
    ImportExample(
      "a page of another program, with a position and a note but no quote",
      input: """
        {"type": "AnnotationPage", "items": [
          {"type": "Annotation", "id": "x", "created": "1970-01-01T00:00:00.5+00:00",
           "bodyValue": "Why?",
           "target": {"source": "a.md", "selector": {
             "type": "RangeSelector",
             "refinedBy": {"type": "TextPositionSelector", "start": 3, "end": 7}}}}]}
        """,
      records: [
        AnnotationRecord(
          id: "x", quote: "", position: .codePoints(3..<7), source: "a.md", title: "a.md",
          color: .yellow, note: "Why?", created: Date(timeIntervalSince1970: 0),
          updated: Date(timeIntervalSince1970: 0))
      ]),
    ImportExample("something else", input: "{\"type\": \"Book\"}", records: nil),
    ImportExample("a text that is not JSON", input: "Highlights of a book", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Reads the records. An annotation of something other than a passage has neither a quote nor a
  /// position.
  ///
  /// - Throws: `ImportError` if the file isn't a Web Annotation or a list of them.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let document: AnnotationFile
    do { document = try JSONDecoder().decode(AnnotationFile.self, from: Data(source.bytes)) } catch
    {
      throw ImportError("not a Web Annotation or a list of them")
    }
    return ImportContent(records: document.annotations.flatMap(\.records))
  }
}

/// A value or a list of values.
private struct OneOrMany<Value: Decodable>: Decodable {
  var values: [Value]

  init(from decoder: any Decoder) throws {
    if let many = try? decoder.singleValueContainer().decode([Value].self) {
      values = many
    } else {
      values = [try decoder.singleValueContainer().decode(Value.self)]
    }
  }
}

/// A single annotation, a list, a page or a collection.
private struct AnnotationFile: Decodable {
  var annotations: [Annotation]

  private struct Container: Decodable {
    var items: [Annotation]?
    var first: Page?
    struct Page: Decodable { var items: [Annotation]? }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let page = try? container.decode(Container.self), let items = page.items ?? page.first?.items
    {
      annotations = items
    } else {
      annotations = try OneOrMany<Annotation>(from: decoder).values
    }
  }
}

private struct Annotation: Decodable {
  var id: String?
  var type: OneOrMany<String>
  var created: String?
  var modified: String?
  var bodyValue: String?
  var body: OneOrMany<Body>?
  var color: String?
  var target: OneOrMany<Target>

  enum CodingKeys: String, CodingKey {
    case color = "diple:color"
    case id, type, created, modified, bodyValue, body, target
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try container.decode(OneOrMany<String>.self, forKey: .type)
    guard type.values.contains("Annotation") else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "no annotation")
    }
    target = try container.decode(OneOrMany<Target>.self, forKey: .target)
    id = try? container.decode(String.self, forKey: .id)
    created = try? container.decode(String.self, forKey: .created)
    modified = try? container.decode(String.self, forKey: .modified)
    bodyValue = try? container.decode(String.self, forKey: .bodyValue)
    body = try? container.decode(OneOrMany<Body>.self, forKey: .body)
    color = try? container.decode(String.self, forKey: .color)
  }

  /// The records, one for each target of the annotation.
  var records: [AnnotationRecord] {
    let bodies = body?.values ?? []
    let notes = ([bodyValue] + bodies.map { $0.isTag ? nil : $0.value }).compactMap { $0 }
    let made = created.flatMap(Self.date) ?? modified.flatMap(Self.date)
    return target.values.map { target in
      let selectors = target.selectors
      let quote = selectors.compactMap(\.quote).first
      let position = selectors.compactMap(\.position).first
      return AnnotationRecord(
        id: id ?? "", quote: quote?.exact ?? "", prefix: quote?.prefix ?? "",
        suffix: quote?.suffix ?? "", position: position.map { .codePoints($0) },
        source: target.source, title: target.title ?? target.source,
        color: color.flatMap(HighlightColor.init(rawValue:)) ?? .yellow,
        note: notes.joined(separator: "\n\n"),
        tags: bodies.compactMap { $0.isTag ? $0.value : nil }, created: made,
        updated: modified.flatMap(Self.date) ?? made)
    }
  }

  /// Parses a time in ISO 8601, dropping fractions of a second; nil if it is invalid.
  private static func date(_ text: String) -> Date? {
    guard let dot = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
    let zone = text[dot...].dropFirst().drop(while: \.isNumber)
    return try? Date(text[..<dot] + (zone == "+00:00" ? "Z" : zone), strategy: .iso8601)
  }
}

private struct Body: Decodable {
  var purpose: String?
  var value: String?
  var isTag: Bool { purpose == "tagging" }

  enum CodingKeys: CodingKey { case purpose, value }

  init(from decoder: any Decoder) throws {
    // A body may consist of an address only, which is ignored.
    guard let container = try? decoder.container(keyedBy: CodingKeys.self) else { return }
    purpose = try? container.decode(String.self, forKey: .purpose)
    value = try? container.decode(String.self, forKey: .value)
  }
}

private struct Target: Decodable {
  var source: String
  var title: String?
  var selectors: [SelectorRecord]

  enum CodingKeys: CodingKey { case source, title, selector }

  init(from decoder: any Decoder) throws {
    if let address = try? decoder.singleValueContainer().decode(String.self) {
      (source, selectors) = (address, [])
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    source = (try? container.decode(String.self, forKey: .source)) ?? ""
    title = try? container.decode(String.self, forKey: .title)
    let selector = try? container.decode(OneOrMany<SelectorRecord>.self, forKey: .selector)
    selectors = (selector?.values ?? []).flatMap(\.all)
  }
}

/// A selector of any type, which may be refined by another selector.
private final class SelectorRecord: Decodable {
  var type: String?
  var exact: String?
  var prefix: String?
  var suffix: String?
  var start: Int?
  var end: Int?
  var refinedBy: SelectorRecord?

  var all: [SelectorRecord] { [self] + (refinedBy?.all ?? []) }

  var quote: (exact: String, prefix: String?, suffix: String?)? {
    guard type == "TextQuoteSelector", let exact, !exact.isEmpty else { return nil }
    return (exact, prefix, suffix)
  }

  var position: Range<Int>? {
    guard type == "TextPositionSelector", let start, let end, 0 <= start, start < end else {
      return nil
    }
    return start..<end
  }
}
