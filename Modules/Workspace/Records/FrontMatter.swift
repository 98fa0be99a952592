import CYaml

/// Reads single values of a front matter, with libyaml's events.
enum FrontMatter {
  /// Deeper than anybody writes; libyaml's own time grows with the square of the depth.
  private static let deepest = 100

  /// The text of a top-level key of a YAML mapping, or nil where the text is no YAML, has no such
  /// key, or holds no text there (`null`, a list, a mapping). The first of two equal keys counts;
  /// an alias stands for the text that it names.
  ///
  /// Linear in the length of `yaml`.
  static func text(of key: String, in yaml: String) -> String? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return nil }
    defer { yaml_parser_delete(&parser) }
    var yaml = yaml
    return yaml.withUTF8 { bytes in
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var search = Search(key: key)
      while let event = next(&parser) {
        if search.take(event) { return search.found }
      }
      return nil
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

  /// A scalar, and whether it stands for nothing.
  private struct Text {
    var value: String
    var isNull: Bool
  }

  /// What was seen of the document: how deep, and between which key and its value.
  private struct Search {
    var key: String
    var depth = 0
    var isKey = true
    var isWanted = false
    var hasFound = false
    var found: String?
    var anchors: [String: Text] = [:]

    /// Takes one event; true when the answer is in `found`.
    mutating func take(_ event: Event) -> Bool {
      switch event {
      case .documentEnd: return true
      case .other: return false
      case .begin(let isMapping):
        if depth == 0, !isMapping { return true }
        depth += 1
        if depth == deepest {
          found = nil
          return true
        }
      case .end:
        depth -= 1
        if depth == 1 { takeNode(nil) }
      case .text(let text, let anchor):
        if let anchor { anchors[anchor] = text }
        if depth == 0 { return true }
        if depth == 1 { takeNode(text) }
      case .alias(let name):
        if depth == 1 { takeNode(anchors[name]) }
      }
      return false
    }

    /// Takes a key or a value of the outermost mapping; nil for one that is no text.
    private mutating func takeNode(_ text: Text?) {
      if isKey {
        isWanted = !hasFound && text?.value == key
      } else if isWanted {
        hasFound = true
        if let text, !text.isNull { found = text.value }
      }
      isKey.toggle()
    }
  }

  /// The next event, or nil after a mistake.
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
}
