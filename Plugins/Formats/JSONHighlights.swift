import FoundationEssentials
public import Interchange
import MarkdownParse
public import Model

/// Writes all properties of the highlights as JSON for other programs, one line for each highlight.
/// The format is stable and has a version; its schema is
/// `Documentation/schemas/exported-highlights.schema.json`.
public struct JSONHighlights: Exporter {
  /// The id, which selects the format: `diple export --to json`.
  public static let id = "json"
  /// The description that `diple strategies` prints.
  public static let summary = "JSON with all that is known of each highlight, for other programs"
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "a highlight with all properties, and one with only a quote", records: ExportSample.records,
      output: """
        {"schema":"diple.exported-highlights/1","renderVersion":\(ParsedDocument.renderVersion),"data":[
        {"color":"blue","created":"1970-01-01T00:00:00Z","document":{"author":"Reed, Ann","citation":null,"id":null,\
        "note":null,"path":"signs.md","title":"On signs"},"id":"urn:diple:1","label":"question","line":7,"link":null,\
        "location":"page 12","marked":null,"note":"=Why <this>?","origin":null,"prefix":"says: ",\
        "quote":"Look \\"here\\",\\n*now*","range":{"end":22,"start":6},"state":"exact","suffix":".",\
        "tags":["signs","two words"],"updated":"1970-01-01T00:01:00Z"},
        {"color":"yellow","created":"1970-01-01T00:00:00Z","document":{"author":null,"citation":null,"id":null,\
        "note":null,"path":"signs.md","title":"On signs"},"id":"urn:diple:2","label":null,"line":null,"link":null,\
        "location":null,"marked":null,"note":"","origin":null,"prefix":"","quote":"Clean.","range":null,"state":"exact",\
        "suffix":"","tags":[],"updated":"1970-01-01T00:00:00Z"}
        ]}

        """),
    ExportExample(
      "no highlights", records: [],
      output:
        "{\"schema\":\"diple.exported-highlights/1\",\"renderVersion\":\(ParsedDocument.renderVersion),\"data\":[\n]}\n"
    ),
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the records in their order.
  ///
  /// - Throws: `StrategyError` if a record can't be encoded as JSON.
  public func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    output.write(
      "{\"schema\":\"diple.exported-highlights/1\",\"renderVersion\":\(ParsedDocument.renderVersion),\"data\":[\n"
    )
    var isFirst = true
    for record in records {
      guard let data = try? encoder.encode(Entry(record: record)) else {
        throw StrategyError("\(record.id) cannot be written as JSON")
      }
      output.write((isFirst ? "" : ",\n") + String(decoding: data, as: UTF8.self))
      isFirst = false
    }
    output.write((isFirst ? "" : "\n") + "]}\n")
  }

  /// A record in which unknown properties are null instead of missing.
  private struct Entry: Encodable {
    var record: AnnotationRecord

    enum Key: String, CodingKey {
      case id, document, quote, marked, prefix, suffix, range, line, location, color, label, note,
        tags,
        state
      case created, updated, origin, link, path, title, author, citation, start, end, format, source
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      let urn = "urn:diple:"
      let id = record.id.hasPrefix(urn) && record.documentID != nil
      try container.encode(id ? String(record.id.dropFirst(urn.count)) : record.id, forKey: .id)
      var document = container.nestedContainer(keyedBy: Key.self, forKey: .document)
      try document.encode(record.documentID, forKey: .id)
      try document.encode(record.source, forKey: .path)
      try document.encode(record.title, forKey: .title)
      try document.encode(Self.nonEmpty(record.author), forKey: .author)
      try document.encode(Self.nonEmpty(record.citation), forKey: .citation)
      try document.encode(Self.nonEmpty(record.documentNote), forKey: .note)
      try container.encode(record.quote, forKey: .quote)
      try container.encode(record.marked, forKey: .marked)
      try container.encode(record.prefix, forKey: .prefix)
      try container.encode(record.suffix, forKey: .suffix)
      if let text = record.textRange, record.state != .orphaned {
        var range = container.nestedContainer(keyedBy: Key.self, forKey: .range)
        try range.encode(text.lowerBound, forKey: .start)
        try range.encode(text.upperBound, forKey: .end)
      } else {
        try container.encodeNil(forKey: .range)
      }
      try container.encode(record.state == .orphaned ? nil : record.line, forKey: .line)
      try container.encode(Self.nonEmpty(record.location), forKey: .location)
      try container.encode(record.color, forKey: .color)
      try container.encode(record.colorLabel, forKey: .label)
      try container.encode(record.note, forKey: .note)
      try container.encode(record.tags, forKey: .tags)
      try container.encode(record.state, forKey: .state)
      try container.encode(Self.nonEmpty(record.createdText), forKey: .created)
      try container.encode(Self.nonEmpty(record.updatedText), forKey: .updated)
      try container.encode(record.link, forKey: .link)
      guard let origin = record.origin else { return try container.encodeNil(forKey: .origin) }
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: .origin)
      try nested.encode(origin.format, forKey: .format)
      try nested.encode(origin.id, forKey: .id)
      try nested.encode(origin.source, forKey: .source)
      try nested.encode(origin.title, forKey: .title)
      try nested.encode(origin.author, forKey: .author)
      try nested.encode(origin.location, forKey: .location)
      try nested.encode(origin.color, forKey: .color)
    }

    private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
  }
}
