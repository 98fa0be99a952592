import Model

/// The replacement text for a match. `$0`, `$1` … `$99`, `${1}` and `${name}` insert a group of the
/// match; `$$` is a dollar sign.
///
/// As in Perl, `\U` and `\L` convert the following text to upper or lower case up to `\E`; `\u` and
/// `\l` convert the next character. `\n`, `\t` and `\\` are a line feed, a tab and a backslash. Any
/// other backslash is literal.
///
/// ```swift
/// let template = try ReplacementTemplate(#"\u$1!"#, groups: 1)
/// template.text { $0 == 1 ? "fox" : "a fox" }  // "Fox!"
/// ```
package struct ReplacementTemplate: Hashable, Sendable {
  private enum Part: Hashable {
    case text(String)
    case group(Int)
    /// Converts the following text to upper or lower case. Nil ends the conversion.
    case letters(LetterCase?)
    /// Converts the next character.
    case letter(LetterCase)
  }

  fileprivate enum LetterCase: Hashable { case upper, lower }

  private let parts: [Part]

  /// Creates a template from literal text: `$` and backslashes have no special meaning.
  package init(literal text: String) { parts = [.text(text)] }

  /// Parses a template.
  ///
  /// - Parameters:
  ///   - groups: the number of groups in the pattern.
  ///   - names: the numbers of the named groups.
  /// - Throws: ``TemplateError`` if the text refers to a group that isn't in the pattern.
  package init(_ text: String, groups: Int, names: [String: Int] = [:]) throws(TemplateError) {
    var parts: [Part] = []
    var literal = ""
    func append(_ part: Part) {
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(part)
    }
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "$":
        if rest.first == "$" {
          literal.append(rest.removeFirst())
        } else if let name = Self.groupName(&rest, groups: groups) {
          guard
            let number = Int(name).flatMap({ (0...groups).contains($0) ? $0 : nil }) ?? names[name]
          else { throw TemplateError(name: name, groups: groups, names: names.keys.sorted()) }
          append(.group(number))
        } else {
          literal.append(character)
        }
      case "\\":
        guard let part = rest.first.flatMap(Self.escape) else {
          literal.append(character)
          continue
        }
        rest.removeFirst()
        if case .text(let text) = part { literal += text } else { append(part) }
      default: literal.append(character)
      }
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
    self.parts = parts
  }

  /// Consumes a group's name after a `$`. Returns nil if no name follows.
  private static func groupName(_ rest: inout Substring, groups: Int) -> String? {
    if rest.first == "{", let end = rest.firstIndex(of: "}") {
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest[..<end].dropFirst())
    }
    let digits = rest.prefix(2).prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty else { return nil }
    // Read two digits only if the pattern has that many groups, as other tools do.
    let name = Int(digits).map { $0 <= groups } == true ? digits : digits.prefix(1)
    rest = rest[name.endIndex...]
    return String(name)
  }

  /// Returns the meaning of an escaped letter, or nil if the backslash is literal.
  private static func escape(_ letter: Character) -> Part? {
    switch letter {
    case "U": .letters(.upper)
    case "L": .letters(.lower)
    case "E": .letters(nil)
    case "u": .letter(.upper)
    case "l": .letter(.lower)
    case "n": .text("\n")
    case "t": .text("\t")
    case "\\": .text("\\")
    default: nil
    }
  }

  /// Returns the replacement for one match.
  ///
  /// - Parameter group: returns the text that a group matched; group 0 is the whole match. Nil if
  ///   the group did not take part in the match. Such a group inserts nothing.
  public func text(_ group: (Int) -> String?) -> String {
    if case .text(let text)? = parts.first, parts.count == 1 { return text }
    var result = ""
    var all: LetterCase?
    var next: LetterCase?
    for part in parts {
      switch part {
      case .letters(let letters): all = letters
      case .letter(let letter): next = letter
      case .text(let text): Self.append(text, &next, all, to: &result)
      case .group(let number): Self.append(group(number) ?? "", &next, all, to: &result)
      }
    }
    return result
  }

  private static func append(
    _ text: String, _ next: inout LetterCase?, _ all: LetterCase?, to result: inout String
  ) {
    var text = text[...]
    if let letter = next, let first = text.popFirst() {
      next = nil
      result += String(first).written(in: letter)
    }
    result += String(text).written(in: all)
  }
}

extension String {
  fileprivate func written(in letters: ReplacementTemplate.LetterCase?) -> String {
    switch letters {
    case .upper: uppercased()
    case .lower: lowercased()
    case nil: self
    }
  }
}

/// The error for a replacement that refers to a group that isn't in the pattern.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name or number in the replacement.
  package var name: String
  /// The number of groups in the pattern.
  package var groups: Int
  /// The names of the pattern's groups, sorted.
  package var names: [String]

  /// The error message, one line without a full stop.
  package var description: String {
    let there = groups == 0 ? "none" : "\(groups)"
    let named = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    return "the replacement names the group '\(name)', and the pattern has \(there)\(named)"
  }
}
