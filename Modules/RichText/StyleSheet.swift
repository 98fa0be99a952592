package import Model

/// What names a style: lower-case letters, digits and hyphens, as `heading-1`.
package struct StyleID: Hashable, Sendable, Comparable {
  /// The name.
  package let name: String

  /// Takes a name; `problem` tells whether it is one.
  package init(_ name: String) { self.name = name }

  /// Makes an id of what people call a style: `Block Quote` is `block-quote`. Nil when no letter or
  /// digit is left. O(name).
  package init?(title: String) {
    let words = title.lowercased().unicodeScalars.split { !Self.isAllowed($0) || $0 == "-" }
    var name = words.map { String($0) }.joined(separator: "-")
    name.unicodeScalars.removeLast(max(0, name.unicodeScalars.count - 64))
    if name.isEmpty { return nil }
    self.name = name
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
  }

  /// What is wrong with the name; nil for 1 to 64 letters, digits and hyphens. O(name).
  package var problem: FormatValueError? {
    let scalars = name.unicodeScalars
    return (1...64).contains(scalars.count) && scalars.allSatisfy(Self.isAllowed)
      ? nil
      : FormatValueError("style id '\(name.prefix(80))' is not 1–64 letters, digits and hyphens")
  }

  /// Orders by name.
  package static func < (a: Self, b: Self) -> Bool { a.name < b.name }

  /// The style of what has no other one.
  package static let body = StyleID("body")
  /// The styles of headings, 1 to 3.
  package static func heading(_ level: Int) -> StyleID { StyleID("heading-\(level)") }
  /// The style of quoted paragraphs.
  package static let blockQuote = StyleID("block-quote")
  /// The style of code.
  package static let code = StyleID("code")
}

/// Attributes under a name. What uses the style follows when it changes.
package struct NamedStyle: Hashable, Sendable {
  /// What it is referred to by.
  package var id: StyleID
  /// What people call it: one line, 1 to 64 characters.
  package var title: String
  /// The style that it inherits from; nil for none.
  package var basedOn: StyleID?
  /// What it says of characters; never a link.
  package var characters: AttributeSet<CharacterAttribute>
  /// What it says of paragraphs; never a style.
  package var paragraphs: AttributeSet<ParagraphAttribute>
  /// What a newer version stored here; kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Makes a style of its parts.
  package init(
    id: StyleID, title: String, basedOn: StyleID? = nil,
    characters: AttributeSet<CharacterAttribute> = [],
    paragraphs: AttributeSet<ParagraphAttribute> = []
  ) {
    (self.id, self.title, self.basedOn) = (id, title, basedOn)
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}

/// Why a style cannot be stored or removed: one line.
package struct StyleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  package let description: String
  init(_ description: String) { self.description = description }
}

/// The styles of a text: the built-in ones, which can be changed and not removed, and own ones.
package struct StyleSheet: Hashable, Sendable {
  /// The styles, the built-in ones first, then in the order in which they were added.
  package private(set) var styles: [NamedStyle]

  /// The most styles of a sheet.
  package static let limit = 1_000

  /// The styles that every text has.
  package static let builtIn: [NamedStyle] = [
    NamedStyle(id: .body, title: "Body"),
    NamedStyle(
      id: .heading(1), title: "Heading 1", basedOn: .body, characters: [.bold(true), .size(40)],
      paragraphs: [
        .firstLineIndent(.points(0)), .spaceBefore(.points(18)), .spaceAfter(.points(9)),
      ]),
    NamedStyle(
      id: .heading(2), title: "Heading 2", basedOn: .body, characters: [.bold(true), .size(34)],
      paragraphs: [
        .firstLineIndent(.points(0)), .spaceBefore(.points(14)), .spaceAfter(.points(7)),
      ]),
    NamedStyle(
      id: .heading(3), title: "Heading 3", basedOn: .body, characters: [.bold(true), .size(28)],
      paragraphs: [
        .firstLineIndent(.points(0)), .spaceBefore(.points(12)), .spaceAfter(.points(6)),
      ]),
    NamedStyle(
      id: .blockQuote, title: "Block Quote", basedOn: .body, characters: [.italic(true)],
      paragraphs: [
        .firstLineIndent(.points(0)), .headIndent(.points(36)), .tailIndent(.points(-36)),
      ]),
    NamedStyle(
      id: .code, title: "Code", basedOn: .body, characters: [.family("Menlo"), .size(22)],
      paragraphs: [.alignment(.left), .firstLineIndent(.points(0)), .lineHeight(.multiple(240))]),
  ]

  /// Makes a sheet with the built-in styles.
  package init() { styles = Self.builtIn }

  /// The style with an id; nil when there is none. O(styles).
  package subscript(id: StyleID) -> NamedStyle? { styles.first { $0.id == id } }

  /// Whether a style is one that every text has.
  package static func isBuiltIn(_ id: StyleID) -> Bool { builtIn.contains { $0.id == id } }

  /// Adds a style, or replaces the one with its id. O(styles).
  ///
  /// - Throws: `StyleError` for values out of their limits, for a style that inherits from itself
  ///   or from one that is not there, and beyond `limit` styles. Nothing is changed then.
  package mutating func store(_ style: NamedStyle) throws(StyleError) {
    if let problem = problem(with: style) { throw problem }
    if let index = styles.firstIndex(where: { $0.id == style.id }) {
      styles[index] = style
    } else {
      styles.append(style)
    }
  }

  private func problem(with style: NamedStyle) -> StyleError? {
    let known = styles.contains { $0.id == style.id }
    if !known, styles.count >= Self.limit {
      return StyleError("a text can have at most \(Self.limit) styles")
    }
    if let problem = style.id.problem { return StyleError(problem.description) }
    if style.title.oneLine != style.title || !(1...64).contains(style.title.unicodeScalars.count) {
      return StyleError("the title of style '\(style.id.name)' is not one line of 1–64 letters")
    }
    let values =
      style.characters.values.lazy.compactMap { $0.problem(within: .files) }.first
      ?? style.paragraphs.values.lazy.compactMap { $0.problem(within: .files) }.first
    if let values { return StyleError("style '\(style.id.name)': \(values)") }
    if style.characters[.link] != nil {
      return StyleError("style '\(style.id.name)' has a link, which belongs to text alone")
    }
    if style.paragraphs[.style] != nil {
      return StyleError("style '\(style.id.name)' names a style as an attribute; use basedOn")
    }
    // Those that are stored have no cycle, so only the new style can be met again.
    var next = style.basedOn
    while let id = next {
      if id == style.id {
        return StyleError("style '\(style.id.name)' would inherit from itself")
      }
      guard let base = self[id] else {
        return StyleError("style '\(style.id.name)' inherits from unknown style '\(id.name)'")
      }
      next = base.basedOn
    }
    return nil
  }

  /// Adds styles that may stand in any order, each with what it inherits from among them or in the
  /// sheet. O(styles · depth).
  ///
  /// - Throws: `StyleError` as `store(_:)`; nothing is changed then.
  package mutating func store(contentsOf new: [NamedStyle]) throws(StyleError) {
    var copy = self
    // First without what they inherit from, so that none is unknown.
    for style in new {
      var bare = style
      bare.basedOn = nil
      try copy.store(bare)
    }
    for style in new { try copy.store(style) }
    self = copy
  }

  /// Removes an own style; those that inherit from it inherit from its base. Text that has it falls
  /// back to `body`. A built-in style has its own values again. O(styles).
  ///
  /// - Throws: `StyleError` for an unknown style, and for a built-in one that was not changed.
  package mutating func remove(_ id: StyleID) throws(StyleError) {
    guard let index = styles.firstIndex(where: { $0.id == id }) else {
      throw StyleError("no style '\(id.name)'")
    }
    if let original = Self.builtIn.first(where: { $0.id == id }) {
      if styles[index] == original {
        throw StyleError("style '\(id.name)' is built in and has its original values")
      }
      // Its base is the body or nothing, which cannot close a circle unless the body was based on it.
      try store(original)
      return
    }
    let base = styles.remove(at: index).basedOn
    for other in styles.indices where styles[other].basedOn == id { styles[other].basedOn = base }
  }

  /// What a style says with all that it inherits; that of `body` for an unknown one, and nothing where
  /// there is none. O(depth · styles).
  package func resolved(_ id: StyleID)
    -> (characters: AttributeSet<CharacterAttribute>, paragraphs: AttributeSet<ParagraphAttribute>)
  {
    var characters = AttributeSet<CharacterAttribute>()
    var paragraphs = AttributeSet<ParagraphAttribute>()
    var next: NamedStyle? = self[id] ?? self[.body]
    while let style = next {
      characters = characters.inheriting(style.characters)
      paragraphs = paragraphs.inheriting(style.paragraphs)
      next = style.basedOn.flatMap { self[$0] }
    }
    characters.other = [:]
    paragraphs.other = [:]
    return (characters, paragraphs)
  }
}
