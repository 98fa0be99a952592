package import Model

/// The identifier of a style: lower-case letters, digits and hyphens, such as `heading-1`.
package struct StyleID: Hashable, Sendable, Comparable {
  /// The identifier as text.
  package let name: String

  /// Creates an identifier without checking it; see `problem`.
  package init(_ name: String) { self.name = name }

  /// Creates an identifier from a style's title: `Block Quote` becomes `block-quote`. Returns nil
  /// if the title has no letter or digit. The result has at most 64 scalars. O(title).
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

  /// The error for an invalid identifier, or nil if it consists of 1 to 64 letters, digits and
  /// hyphens. O(name).
  package var problem: FormatValueError? {
    let scalars = name.unicodeScalars
    return (1...64).contains(scalars.count) && scalars.allSatisfy(Self.isAllowed)
      ? nil
      : FormatValueError("style id '\(name.prefix(80))' is not 1–64 letters, digits and hyphens")
  }

  /// Compares by name.
  package static func < (a: Self, b: Self) -> Bool { a.name < b.name }

  /// The style of paragraphs without another style.
  package static let body = StyleID("body")
  /// Returns the style of headings; built in for levels 1 to 3.
  package static func heading(_ level: Int) -> StyleID { StyleID("heading-\(level)") }
  /// The style of quoted paragraphs.
  package static let blockQuote = StyleID("block-quote")
  package static let code = StyleID("code")
}

/// A named set of attributes. Text with the style changes when the style does.
package struct NamedStyle: Hashable, Sendable {
  /// The identifier.
  package var id: StyleID
  /// The displayed name: one line, 1 to 64 scalars.
  package var title: String
  /// The style that this one inherits from, or nil.
  package var basedOn: StyleID?
  /// The character attributes, never a link.
  package var characters: AttributeSet<CharacterAttribute>
  /// The paragraph attributes, never a style.
  package var paragraphs: AttributeSet<ParagraphAttribute>
  /// The digit that applies the style in a palette, 0 to 9; nil for the usual one.
  package var key: Int?
  /// Unknown JSON members, which a newer version may have written. They are kept and written again.
  package var other: [String: JSONValue] = [:]

  package init(
    id: StyleID, title: String, basedOn: StyleID? = nil,
    characters: AttributeSet<CharacterAttribute> = [],
    paragraphs: AttributeSet<ParagraphAttribute> = []
  ) {
    (self.id, self.title, self.basedOn) = (id, title, basedOn)
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}

/// The reason why a style can't be stored or removed.
package struct StyleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message, one line without a full stop.
  package let description: String
  init(_ description: String) { self.description = description }
}

/// The styles of a text: built-in ones, which can be changed but not removed, and custom ones.
///
/// ```swift
/// var styles = StyleSheet()
/// try styles.store(NamedStyle(id: StyleID("poem"), title: "Poem", basedOn: .body))
/// styles[StyleID("poem")]?.title  // "Poem"
/// ```
package struct StyleSheet: Hashable, Sendable {
  /// The styles: first the built-in ones, then custom ones in the order in which they were added.
  package private(set) var styles: [NamedStyle]

  /// The maximum number of styles in a sheet.
  package static let limit = 1_000

  /// The original built-in styles.
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

  /// Creates a sheet with the built-in styles.
  package init() { styles = Self.builtIn }

  /// The style with an id, or nil if it doesn't exist. O(styles).
  package subscript(id: StyleID) -> NamedStyle? { styles.first { $0.id == id } }

  /// Returns whether an id is that of a built-in style.
  package static func isBuiltIn(_ id: StyleID) -> Bool { builtIn.contains { $0.id == id } }

  /// Returns the digit that applies a style: its own key, if no earlier style has the same; otherwise
  /// 0 to 5 for a built-in style, in their order, unless another style has that key. Nil if there is
  /// none. O(styles).
  package func key(of style: NamedStyle) -> Int? {
    if let key = style.key { return styles.first { $0.key == key }?.id == style.id ? key : nil }
    guard let place = Self.builtIn.firstIndex(where: { $0.id == style.id }),
      !styles.contains(where: { $0.key == place })
    else { return nil }
    return place
  }

  /// Returns the style that a digit applies; nil if there is none. O(styles²).
  package func style(key: Int) -> NamedStyle? { styles.first { self.key(of: $0) == key } }

  /// Adds a style, or replaces the style with its id. O(styles).
  ///
  /// - Throws: ``StyleError`` if a value is out of its limits, if the style would inherit from
  ///   itself or from an unknown style, or if the sheet already has `limit` styles. Nothing is
  ///   changed then.
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
      return StyleError("style '\(style.id.name)' contains a link; only text can have links")
    }
    if style.paragraphs[.style] != nil {
      return StyleError("style '\(style.id.name)' names a style as an attribute; use basedOn")
    }
    // The stored styles have no cycle, so only the new style can occur twice.
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

  /// Adds styles in any order. Each may inherit from another new style or from one in the sheet.
  /// O(styles · depth).
  ///
  /// - Throws: ``StyleError`` as `store(_:)` does. Nothing is changed then.
  package mutating func store(contentsOf new: [NamedStyle]) throws(StyleError) {
    var copy = self
    // First store them without their bases, so that every base is known.
    for style in new {
      var bare = style
      bare.basedOn = nil
      try copy.store(bare)
    }
    for style in new { try copy.store(style) }
    self = copy
  }

  /// Removes a custom style, or restores a built-in one. Styles that inherited from a removed style
  /// now inherit from its base. Text with a removed style falls back to `body`. O(styles).
  ///
  /// - Throws: ``StyleError`` if the style is unknown, or if it is built in and unchanged.
  package mutating func remove(_ id: StyleID) throws(StyleError) {
    guard let index = styles.firstIndex(where: { $0.id == id }) else {
      throw StyleError("no style '\(id.name)'")
    }
    if let original = Self.builtIn.first(where: { $0.id == id }) {
      if styles[index] == original {
        throw StyleError("style '\(id.name)' is built in and has its original values")
      }
      // The original style is based on the body or on nothing, so this fails only if the body
      // inherits from the style now.
      try store(original)
      return
    }
    let base = styles.remove(at: index).basedOn
    for other in styles.indices where styles[other].basedOn == id { styles[other].basedOn = base }
  }

  /// Returns the attributes of a style including those that it inherits. Returns those of `body`
  /// for an unknown style. O(depth · styles).
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
