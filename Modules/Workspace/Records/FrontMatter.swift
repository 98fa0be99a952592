import CYaml
import Model

/// The top-level keys of a document's front matter.
///
/// YAML is read from libyaml's events. Of TOML only strings, dates, numbers and single-line lists
/// of them are read.
///
/// ```swift
/// let matter = FrontMatter("---\ntitle: Walden\nauthor: [Thoreau]\n---")
/// matter["title"]       // "Walden"
/// matter["author"]      // nil: a list
/// matter.list("author") // ["Thoreau"]
/// ```
package struct FrontMatter {
  /// The value of a key.
  private struct Value {
    /// The text of a scalar, or the texts of a list's items. An item that is a mapping contributes
    /// its `name`.
    var texts: [String] = []
    var isList = false
  }

  private var values: [String: Value] = [:]

  /// The nesting depth at which reading stops. libyaml's running time grows with the square of the
  /// depth.
  private static let deepest = 100
  /// The maximum number of items that are read of one list.
  private static let most = 1_000

  /// Returns the text of a key in one line; nil if the key is missing or its value is empty,
  /// `null`, a list or a mapping.
  package subscript(key: String) -> String? {
    guard let value = values[key], !value.isList, let text = value.texts.first else { return nil }
    return text.isEmpty ? nil : text
  }

  /// Returns the non-empty texts of a key, each in one line: one for a scalar, one per item for a
  /// list.
  func list(_ key: String) -> [String] { values[key]?.texts.filter { !$0.isEmpty } ?? [] }

  /// Reads a front-matter block including its fences. Linear in the block's length.
  ///
  /// The result has no keys if the block is not valid YAML or is nested too deeply.
  init(_ block: String) {
    if block.drop(while: { $0 == "\u{FEFF}" }).hasPrefix("+++") {
      readTOML(block)
      return
    }
    var lines = block.split(whereSeparator: \.isNewline)[...]
    if lines.first?.hasSuffix("---") == true { lines.removeFirst() }
    if let last = lines.last, last.hasPrefix("---") || last.hasPrefix("...") { lines.removeLast() }
    readYAML(lines.joined(separator: "\n"))
  }

  /// Reads a YAML mapping. The first of two equal keys is used. An alias is replaced by the text of
  /// its anchor.
  private mutating func readYAML(_ yaml: String) {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return }
    defer { yaml_parser_delete(&parser) }
    var yaml = yaml
    values = yaml.withUTF8 { bytes in
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var reading = MappingReader()
      while let event = Self.next(&parser) {
        if reading.process(event) { return reading.isTooDeep ? [:] : reading.values }
      }
      return [:]
    }
  }

  private enum Event {
    case begin(isMapping: Bool)
    case end
    case text(Text, anchor: String?)
    case alias(String)
    case documentEnd
    case other
  }

  /// A scalar. `isNull` is true for a plain `null`, `~` or empty value.
  private struct Text {
    var value: String
    var isNull: Bool
  }

  /// The state of reading a mapping: the depth, and whether a key or its value is next.
  private struct MappingReader {
    private(set) var values: [String: Value] = [:]
    private var depth = 0
    /// The key whose value is next; nil if the next node is a key.
    private var key: String?
    /// Whether the texts of the current value are stored. They are not if its key repeats an
    /// earlier one.
    private var storesTexts = false
    private var hasKey = false
    /// Whether the current value is a list, and whether the list's current item is a mapping.
    private var isList = false
    private var isItem = false
    private var itemKey: String?
    private var anchors: [String: Text] = [:]

    /// Whether the nesting has reached the limit.
    var isTooDeep: Bool { depth >= FrontMatter.deepest }

    /// Processes one event. Returns true when reading is finished.
    mutating func process(_ event: Event) -> Bool {
      switch event {
      case .documentEnd: return true
      case .other: break
      case .begin(let isMapping):
        if depth == 0, !isMapping { return true }
        depth += 1
        if isTooDeep { return true }
        if depth == 2 {
          isList = !isMapping && hasKey
          if storesTexts, let key { values[key]?.isList = true }
        }
        if depth == 3 { (isItem, itemKey) = (isMapping && isList, nil) }
      case .end:
        depth -= 1
        if depth == 1 { endNode() }
        if depth <= 2 { isItem = false }
      case .text(let text, let anchor):
        if let anchor { anchors[anchor] = text }
        if depth == 0 { return true }
        processText(text)
      case .alias(let name): processText(anchors[name])
      }
      return false
    }

    private mutating func processText(_ text: Text?) {
      switch depth {
      case 1 where !hasKey:
        (hasKey, key) = (true, text?.value)
        storesTexts = key.map { values[$0] == nil } ?? false
        if storesTexts, let key { values[key] = Value() }
      case 1:
        if let text { add(text) }
        endNode()
      case 2 where isList: if let text { add(text) }
      case 3 where isItem:
        guard let name = itemKey else { return itemKey = text?.value ?? "" }
        itemKey = nil
        if name == "name", let text { add(text) }
      default: break
      }
    }

    private mutating func add(_ text: Text) {
      guard storesTexts, !text.isNull, let key, values[key]!.texts.count < FrontMatter.most else {
        return
      }
      values[key]!.texts.append(text.value.oneLine)
    }

    /// Ends a key or a value of the outermost mapping.
    private mutating func endNode() {
      if hasKey { (hasKey, key, isList) = (false, nil, false) } else { hasKey = true }
    }
  }

  /// Returns the next event; nil after a syntax error.
  private static func next(_ parser: inout yaml_parser_t) -> Event? {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
    defer { yaml_event_delete(&event) }
    switch event.type {
    case YAML_MAPPING_START_EVENT: return .begin(isMapping: true)
    case YAML_SEQUENCE_START_EVENT: return .begin(isMapping: false)
    case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: return .end
    case YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias(string(event.data.alias.anchor))
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let value = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      let isNull = isPlain && ["", "~", "null", "Null", "NULL"].contains(value)
      return .text(Text(value: value, isNull: isNull), anchor: scalar.anchor.map(string))
    default: return .other
    }
  }

  private static func string(_ characters: UnsafeMutablePointer<yaml_char_t>) -> String {
    String(cString: characters)
  }

  /// Reads the strings, dates and numbers of TOML's outermost table, and lists of them in one line.
  private mutating func readTOML(_ block: String) {
    for line in block.split(whereSeparator: \.isNewline).dropFirst() {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("[") { return }
      guard let sign = line.firstIndex(of: "=") else { continue }
      let key = line[..<sign].oneLine
      guard values[key] == nil else { continue }
      var rest = Substring(line[sign...].dropFirst().oneLine)
      var found: [String] = []
      let isList = rest.first == "["
      if isList { rest.removeFirst() }
      repeat {
        rest = rest.drop { $0 == " " || $0 == "," }
        guard let value = Self.tomlValue(&rest) else { break }
        found.append(value)
      } while isList && found.count < Self.most
      values[key] = Value(texts: found, isList: isList)
    }
  }

  /// Parses the string, date or number at the start of `text` and advances past it; nil if
  /// something else is there.
  private static func tomlValue(_ text: inout Substring) -> String? {
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      let word = text.prefix { $0 != "#" && $0 != " " && $0 != "," && $0 != "]" }
      text = text[word.endIndex...]
      return word.first?.isNumber == true ? String(word) : nil
    }
    text.removeFirst()
    var value = ""
    while let letter = text.popFirst(), letter != quote {
      // Titles need no other escape sequences than an escaped quote or backslash, so the character
      // after a backslash is used unchanged.
      value.append(quote == "\"" && letter == "\\" ? text.popFirst() ?? letter : letter)
    }
    return value
  }
}
