package import FoundationEssentials
import Model

/// The error for bytes that can't be decoded as attributed text.
package struct AttributedTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and its position, one line without a full stop.
  package let description: String
  init(_ description: String) { self.description = description }
}

/// The JSON form of attributed text, defined in `Documentation/attributed-text.schema.json`. It
/// contains the text, tables of attribute sets, and runs as triples: start, end and the set's index
/// in the table.
private struct WrittenText: Codable {
  var text = ""
  var defaults: JSONValue?
  var styles: [JSONValue] = []
  var characterSets: [JSONValue] = []
  var paragraphSets: [JSONValue] = []
  var characters: [[Int]] = []
  var paragraphs: [[Int]] = []
  var other: [String: JSONValue] = [:]

  struct Key: CodingKey, Hashable {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  static let schema = "diple.attributed-text/1"

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let found = try container.decode(String.self, forKey: Key("schema"))
    guard found == Self.schema else {
      throw AttributedTextError("the schema is '\(found.oneLine.prefix(60))', not \(Self.schema)")
    }
    text = try container.decode(String.self, forKey: Key("text"))
    func list<Element: Decodable>(_ name: String) throws -> [Element] {
      try container.decodeIfPresent([Element].self, forKey: Key(name)) ?? []
    }
    defaults = try container.decodeIfPresent(JSONValue.self, forKey: Key("defaults"))
    styles = try list("styles")
    characterSets = try list("characterSets")
    paragraphSets = try list("paragraphSets")
    characters = try list("characters")
    paragraphs = try list("paragraphs")
    let known: Set = [
      "schema", "text", "defaults", "styles", "characterSets", "paragraphSets", "characters",
      "paragraphs",
    ]
    for key in container.allKeys where !known.contains(key.stringValue) {
      other[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (name, value) in other { try container.encode(value, forKey: Key(name)) }
    try container.encode(Self.schema, forKey: Key("schema"))
    try container.encode(text, forKey: Key("text"))
    try container.encodeIfPresent(defaults, forKey: Key("defaults"))
    try container.encode(styles, forKey: Key("styles"))
    try container.encode(characterSets, forKey: Key("characterSets"))
    try container.encode(paragraphSets, forKey: Key("paragraphSets"))
    try container.encode(characters, forKey: Key("characters"))
    try container.encode(paragraphs, forKey: Key("paragraphs"))
  }
}

extension AttributedText {
  /// The maximum size of JSON to decode, in bytes.
  package static let jsonLimit = 256 << 20

  /// Returns the text as JSON on one line with sorted keys, so that equal texts have equal bytes.
  /// An unpaired surrogate is encoded as U+FFFD. Throws an `EncodingError` if an unknown member
  /// contains a number that JSON can't express. O(text + runs).
  package func json() throws -> Data {
    var written = WrittenText()
    written.text = string
    written.other = other
    if defaults != FormatDefaults() { written.defaults = defaults.json }
    // Built-in styles are written only if they were changed.
    written.styles = styles.styles.filter { !StyleSheet.builtIn.contains($0) }.map(\.json)
    (written.characterSets, written.characters) = Self.table(of: characters)
    (written.paragraphSets, written.paragraphs) = Self.table(of: paragraphs)
    return try JSONEncoder.ordered().encode(written)
  }

  /// Returns the sets in the order of their first use, and the runs as triples.
  private static func table<Attribute>(of runs: FormatRuns<Attribute>) -> ([JSONValue], [[Int]]) {
    var places: [UInt32: Int] = [:]
    var sets: [JSONValue] = []
    let triples = runs.stored.map { run in
      let place = places[run.set] ?? sets.count
      if place == sets.count {
        places[run.set] = place
        sets.append(runs.sets[Int(run.set)].json)
      }
      return [Int(run.start), Int(run.end), place]
    }
    return (sets, triples)
  }

  /// Decodes the JSON form. Unknown keys, which a newer version may have written, are kept.
  /// O(bytes).
  ///
  /// - Throws: ``AttributedTextError`` if the bytes are invalid or more than `jsonLimit`, if runs
  ///   overlap or extend beyond the text, or if a value is out of its limits.
  package init(json bytes: [UInt8]) throws(AttributedTextError) {
    guard bytes.count <= Self.jsonLimit else {
      throw AttributedTextError(
        "too large: \(bytes.count.counted("byte")), at most \(Self.jsonLimit)")
    }
    let written: WrittenText
    do {
      written = try JSONDecoder().decode(WrittenText.self, from: Data(bytes))
    } catch let error as AttributedTextError {
      throw error
    } catch let error as DecodingError {
      throw AttributedTextError(error.inOneLine)
    } catch {
      throw AttributedTextError("not JSON: \("\(error)".oneLine.prefix(200))")
    }
    self.init(written.text)
    other = written.other
    if let defaults = written.defaults { self.defaults = try FormatDefaults(json: defaults) }
    var styles: [NamedStyle] = []
    for (index, json) in written.styles.enumerated() {
      guard index < StyleSheet.limit else {
        throw AttributedTextError("styles: more than \(StyleSheet.limit)")
      }
      styles.append(try NamedStyle(json: json, at: "styles[\(index)]"))
    }
    do {
      try self.styles.store(contentsOf: styles)
    } catch {
      throw AttributedTextError(error.description)
    }
    characters = try Self.runs(
      written.characters, written.characterSets, "character", units.count)
    paragraphs = try Self.runs(
      written.paragraphs, written.paragraphSets, "paragraph", units.count)
    settleParagraphs(0..<units.count)
  }

  private static func runs<Attribute>(
    _ triples: [[Int]], _ sets: [JSONValue], _ what: String, _ length: Int
  ) throws(AttributedTextError) -> FormatRuns<Attribute> {
    var read: [AttributeSet<Attribute>] = []
    for (index, json) in sets.enumerated() {
      do {
        read.append(try AttributeSet(json: json))
      } catch {
        throw AttributedTextError("\(what)Sets[\(index)]: \(error)")
      }
    }
    var runs = FormatRuns<Attribute>()
    for (index, triple) in triples.enumerated() {
      guard triple.count == 3, read.indices.contains(triple[2]) else {
        throw AttributedTextError(
          "\(what)s[\(index)]: expected a start, an end and the index of a set")
      }
      guard triple[0] >= runs.end, triple[0] < triple[1], triple[1] <= length else {
        throw AttributedTextError(
          "\(what)s[\(index)]: \(triple[0])–\(triple[1]) is empty, out of order or beyond the text")
      }
      runs.append(triple[0]..<triple[1], read[triple[2]])
    }
    return runs
  }
}

extension DecodingError {
  /// The problem and its key path, on one line.
  fileprivate var inOneLine: String {
    let (context, what): (Context, String) =
      switch self {
      case .typeMismatch(_, let context): (context, "not of the expected type")
      case .valueNotFound(_, let context): (context, "no value")
      case .keyNotFound(let key, let context): (context, "no '\(key.stringValue)'")
      case .dataCorrupted(let context): (context, "not valid JSON")
      @unknown default: (Context(codingPath: [], debugDescription: ""), "not valid")
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".").oneLine.prefix(80)
    return path.isEmpty ? what : "\(path): \(what)"
  }
}
