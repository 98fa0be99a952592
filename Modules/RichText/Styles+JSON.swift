package import Model

/// The character and paragraph sets as members of a JSON object, and its other members.
private struct SetsJSON {
  var characters: AttributeSet<CharacterAttribute>
  var paragraphs: AttributeSet<ParagraphAttribute>
  var other: [String: JSONValue]

  var object: [String: JSONValue] {
    var object = other
    if !characters.isEmpty { object["characters"] = characters.json }
    if !paragraphs.isEmpty { object["paragraphs"] = paragraphs.json }
    return object
  }

  init(
    _ characters: AttributeSet<CharacterAttribute>, _ paragraphs: AttributeSet<ParagraphAttribute>,
    _ other: [String: JSONValue]
  ) {
    (self.characters, self.paragraphs, self.other) = (characters, paragraphs, other)
  }

  init(_ json: JSONValue, at place: String) throws(AttributedTextError) {
    guard case .object(var object) = json else {
      throw AttributedTextError("\(place): expected an object")
    }
    do {
      let characters = object.removeValue(forKey: "characters") ?? .object([:])
      let paragraphs = object.removeValue(forKey: "paragraphs") ?? .object([:])
      self.init(try AttributeSet(json: characters), try AttributeSet(json: paragraphs), object)
    } catch {
      throw AttributedTextError("\(place): \(error)")
    }
  }
}

extension NamedStyle {
  /// The style as a member of `styles` in `Documentation/attributed-text.schema.json`.
  package var json: JSONValue {
    var object = SetsJSON(characters, paragraphs, other).object
    object["id"] = .text(id.name)
    object["title"] = .text(title)
    object["basedOn"] = basedOn.map { .text($0.name) }
    object["key"] = key.map { .text("\($0)") }
    return .object(object)
  }

  /// Decodes the JSON form. Unknown members are kept. Throws ``AttributedTextError`` if it is
  /// invalid.
  ///
  /// - Parameter place: the position to name in errors.
  package init(json: JSONValue, at place: String) throws(AttributedTextError) {
    let sets = try SetsJSON(json, at: place)
    var other = sets.other
    guard case .text(let id)? = other.removeValue(forKey: "id") else {
      throw AttributedTextError("\(place): expected an id")
    }
    guard case .text(let title)? = other.removeValue(forKey: "title") else {
      throw AttributedTextError("\(place): expected a title")
    }
    let base = other.removeValue(forKey: "basedOn")
    var key: Int?
    if case .text(let digit)? = other["key"], let number = Int(digit), 0...9 ~= number {
      key = number
      other.removeValue(forKey: "key")
    }
    self.init(
      id: StyleID(id), title: title, characters: sets.characters, paragraphs: sets.paragraphs)
    (self.other, self.key) = (other, key)
    switch base {
    case nil, .null?: break
    case .text(let base)?: basedOn = StyleID(base)
    default: throw AttributedTextError("\(place): basedOn is not the id of a style")
    }
  }
}

extension FormatDefaults {
  /// The defaults as `defaults` in `Documentation/attributed-text.schema.json`.
  package var json: JSONValue { .object(SetsJSON(characters, paragraphs, other).object) }

  /// Decodes the JSON form. Unknown members are kept. Throws ``AttributedTextError`` if it is
  /// invalid or contains a link or a style.
  package init(json: JSONValue) throws(AttributedTextError) {
    let sets = try SetsJSON(json, at: "defaults")
    if sets.characters[.link] != nil || sets.paragraphs[.style] != nil {
      throw AttributedTextError("defaults: only text can have a link or a style")
    }
    self.init(characters: sets.characters, paragraphs: sets.paragraphs)
    other = sets.other
  }
}
