import FoundationEssentials
import Model

/// A change of the format of a range: of its characters, and of all paragraphs that it touches.
package struct FormatChange: Hashable, Sendable {
  /// The changes of character attributes, at most one of each kind.
  package var characters: [AttributeChange<CharacterAttribute>]
  /// The changes of paragraph attributes, at most one of each kind.
  package var paragraphs: [AttributeChange<ParagraphAttribute>]

  package init(
    characters: [AttributeChange<CharacterAttribute>] = [],
    paragraphs: [AttributeChange<ParagraphAttribute>] = []
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }

  /// Whether the change has no effect.
  package var isEmpty: Bool { characters.isEmpty && paragraphs.isEmpty }

  /// Whether the change only clears attributes.
  package var onlyClears: Bool {
    characters.allSatisfy { if case .clear = $0 { true } else { false } }
      && paragraphs.allSatisfy { if case .clear = $0 { true } else { false } }
  }

  /// Returns whether a later change of the same range overrides every attribute of this one.
  package func isReplaced(by later: FormatChange) -> Bool {
    characters.allSatisfy { attribute in later.characters.contains { $0.kind == attribute.kind } }
      && paragraphs.allSatisfy { attribute in
        later.paragraphs.contains { $0.kind == attribute.kind }
      }
  }

  /// Returns whether both changes affect a common attribute.
  package func touches(_ other: FormatChange) -> Bool {
    characters.contains { attribute in other.characters.contains { $0.kind == attribute.kind } }
      || paragraphs.contains { attribute in other.paragraphs.contains { $0.kind == attribute.kind }
      }
  }

  /// Returns the error for the first value out of its limits, or nil if all are valid.
  package func problem(within limits: FormatLimits) -> FormatValueError? {
    for case .set(let attribute) in characters {
      if let problem = attribute.problem(within: limits) { return problem }
    }
    for case .set(let attribute) in paragraphs {
      if let problem = attribute.problem(within: limits) { return problem }
    }
    return nil
  }

  /// Returns the change that clears all attributes except links and list items.
  ///
  /// - Parameter withParagraphs: whether to clear paragraph attributes too.
  package static func clearing(withParagraphs: Bool) -> FormatChange {
    FormatChange(
      characters: CharacterAttribute.Kind.allCases.filter { $0 != .link }.map { .clear($0) },
      paragraphs: withParagraphs
        ? ParagraphAttribute.Kind.allCases.filter { $0 != .list }.map { .clear($0) } : [])
  }

  /// Returns the change that replaces all attributes with a copied format, except links and list
  /// items.
  ///
  /// - Parameter withParagraphs: whether to apply the paragraph format too.
  package static func pasting(_ format: CopiedFormat, withParagraphs: Bool) -> FormatChange {
    var change = clearing(withParagraphs: withParagraphs)
    for (index, clear) in change.characters.enumerated() {
      if let value = format.characters[clear.kind] { change.characters[index] = .set(value) }
    }
    for (index, clear) in change.paragraphs.enumerated() {
      if let value = format.paragraphs[clear.kind] { change.paragraphs[index] = .set(value) }
    }
    return change
  }
}

extension FormatChange {
  /// The change as JSON with sorted keys, with null for cleared attributes. Equal changes have
  /// equal JSON.
  package var json: String {
    var object: [String: JSONValue] = [:]
    if !characters.isEmpty { object["characters"] = Self.json(characters) }
    if !paragraphs.isEmpty { object["paragraphs"] = Self.json(paragraphs) }
    guard let data = try? JSONEncoder.ordered().encode(JSONValue.object(object)) else {
      preconditionFailure("a JSON value cannot be encoded")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static func json<Attribute>(_ changes: [AttributeChange<Attribute>]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for change in changes {
      if case .set(let attribute) = change {
        object[attribute.kind.rawValue] = attribute.json
      } else {
        object[change.kind.rawValue] = .null
      }
    }
    return .object(object)
  }

  /// Decodes the JSON form. Unknown attributes, which a newer version may have written, are
  /// ignored.
  ///
  /// - Throws: ``FormatValueError`` if the JSON is invalid or a value exceeds the limits for files.
  package init(json: String) throws(FormatValueError) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)),
      case .object(let object) = value
    else { throw FormatValueError("the format is not a JSON object") }
    self.init(
      characters: try Self.changes(object["characters"]),
      paragraphs: try Self.changes(object["paragraphs"]))
    if let problem = problem(within: .files) { throw problem }
  }

  private static func changes<Attribute>(_ json: JSONValue?) throws(FormatValueError)
    -> [AttributeChange<Attribute>]
  {
    guard case .object(let object)? = json else {
      if json == nil { return [] }
      throw FormatValueError("the format's characters or paragraphs are not a JSON object")
    }
    var changes: [AttributeChange<Attribute>] = []
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      guard let kind = Attribute.Kind(rawValue: name) else { continue }
      changes.append(value == .null ? .clear(kind) : .set(try Attribute(kind, json: value)))
    }
    return changes
  }
}

extension AttributedText {
  /// Applies a change to the characters of a range and to the paragraphs that it touches. Values
  /// aren't checked again. O(log runs + runs in and after the range).
  package mutating func apply(_ change: FormatChange, to range: Range<Int>) {
    if !change.characters.isEmpty { characters.update(range) { $0.applying(change.characters) } }
    if !change.paragraphs.isEmpty {
      paragraphs.update(paragraphRange(around: range)) { $0.applying(change.paragraphs) }
    }
  }

  /// Returns the changes that set an attribute on all of a range, or remove it, in order. Parts of
  /// the range that inherit different values may need different changes: where the requested value
  /// is inherited, no value is set. O(runs in the range).
  package func changes(
    to attribute: CharacterAttribute, on turnsOn: Bool, in range: Range<Int>,
    _ context: FormatContext
  ) -> [(range: Range<Int>, change: FormatChange)] {
    var parts: [(range: Range<Int>, change: FormatChange)] = []
    for part in inherited(attribute.kind, in: range, context) {
      let isInherited = part.value == attribute
      let change: AttributeChange<CharacterAttribute> =
        if turnsOn {
          isInherited ? .clear(attribute.kind) : .set(attribute)
        } else if isInherited, let off = attribute.off {
          .set(off)
        } else {
          .clear(attribute.kind)
        }
      if let last = parts.last, last.change.characters == [change] {
        parts[parts.count - 1].range = last.range.lowerBound..<part.range.upperBound
      } else {
        parts.append((part.range, FormatChange(characters: [change])))
      }
    }
    return parts
  }
}
