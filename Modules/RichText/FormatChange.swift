import FoundationEssentials
import Model

/// What one act gives a passage: changes of its characters, and of all paragraphs that it touches.
package struct FormatChange: Hashable, Sendable {
  /// The changes of its characters, at most one of each kind.
  package var characters: [AttributeChange<CharacterAttribute>]
  /// The changes of its paragraphs, at most one of each kind.
  package var paragraphs: [AttributeChange<ParagraphAttribute>]

  /// Makes a change of its parts.
  package init(
    characters: [AttributeChange<CharacterAttribute>] = [],
    paragraphs: [AttributeChange<ParagraphAttribute>] = []
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }

  /// Whether it changes nothing.
  package var isEmpty: Bool { characters.isEmpty && paragraphs.isEmpty }

  /// Whether it only lets attributes be inherited.
  package var onlyClears: Bool {
    characters.allSatisfy { if case .clear = $0 { true } else { false } }
      && paragraphs.allSatisfy { if case .clear = $0 { true } else { false } }
  }

  /// Whether a change that comes later says all that this one says.
  package func isReplaced(by later: FormatChange) -> Bool {
    characters.allSatisfy { own in later.characters.contains { $0.kind == own.kind } }
      && paragraphs.allSatisfy { own in later.paragraphs.contains { $0.kind == own.kind } }
  }

  /// Whether both say something of one attribute.
  package func touches(_ other: FormatChange) -> Bool {
    characters.contains { own in other.characters.contains { $0.kind == own.kind } }
      || paragraphs.contains { own in other.paragraphs.contains { $0.kind == own.kind } }
  }

  /// What is wrong with the first value out of its limits; nil when none is.
  package func problem(within limits: FormatLimits) -> FormatValueError? {
    for case .set(let attribute) in characters {
      if let problem = attribute.problem(within: limits) { return problem }
    }
    for case .set(let attribute) in paragraphs {
      if let problem = attribute.problem(within: limits) { return problem }
    }
    return nil
  }

  /// Lets everything be inherited again, but for links, and lists of paragraphs.
  ///
  /// - Parameter withParagraphs: whether paragraphs are cleared as well.
  package static func clearing(withParagraphs: Bool) -> FormatChange {
    FormatChange(
      characters: CharacterAttribute.Kind.allCases.filter { $0 != .link }.map { .clear($0) },
      paragraphs: withParagraphs
        ? ParagraphAttribute.Kind.allCases.filter { $0 != .list }.map { .clear($0) } : [])
  }

  /// Gives a copied format in place of what was there, but for links, and lists of paragraphs.
  ///
  /// - Parameter withParagraphs: whether paragraphs get theirs as well.
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
  /// The change as JSON with sorted keys; null for what is inherited again. Equal changes give equal
  /// texts.
  package var json: String {
    var object: [String: JSONValue] = [:]
    if !characters.isEmpty { object["characters"] = Self.json(characters) }
    if !paragraphs.isEmpty { object["paragraphs"] = Self.json(paragraphs) }
    guard let data = try? JSONEncoder.ordered().encode(JSONValue.object(object)) else {
      preconditionFailure("a value of JSON is JSON")
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

  /// Reads what `json` gives. What only a newer version knows changes nothing.
  ///
  /// - Throws: `FormatValueError` for anything else, also for values that no file may hold.
  package init(json: String) throws(FormatValueError) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)),
      case .object(let object) = value
    else { throw FormatValueError("a format is not an object in JSON") }
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
      throw FormatValueError("changes of a format are not an object")
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
  /// Makes a change: of the characters of a range, and of the paragraphs that it touches. Values are
  /// those that the change was read or checked with. O(log runs + runs there and after it).
  package mutating func apply(_ change: FormatChange, to range: Range<Int>) {
    if !change.characters.isEmpty { characters.update(range) { $0.applying(change.characters) } }
    if !change.paragraphs.isEmpty {
      paragraphs.update(paragraphRange(around: range)) { $0.applying(change.paragraphs) }
    }
  }

  /// What gives an attribute to all of a range, or takes it from all of it, as changes of its parts in
  /// order: where what is inherited is as wished, nothing is set. O(runs in the range).
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
