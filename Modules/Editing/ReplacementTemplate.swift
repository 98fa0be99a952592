import Model

/// What stands in place of a match: text, with the parts of the match where `$0`, `$1` … `$99`,
/// `${1}` or `${name}` stand. `$$` is a dollar sign.
///
/// As in Perl, `\U` and `\L` write what follows in capitals and in small letters up to `\E`, and `\u`
/// and `\l` the next character; `\n`, `\t` and `\\` are a line feed, a tabulator and a backslash. Any
/// other backslash stands for itself.
package struct ReplacementTemplate: Hashable, Sendable {
  private enum Part: Hashable {
    case text(String)
    case group(Int)
    /// What follows is in capitals, in small letters, or as it is.
    case letters(LetterCase?)
    /// The next character is.
    case letter(LetterCase)
  }

  fileprivate enum LetterCase: Hashable { case upper, lower }

  private let parts: [Part]

  /// Takes text in which nothing stands for something else.
  package init(literal text: String) { parts = [.text(text)] }

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - groups: how many groups the pattern has.
  ///   - names: the numbers of those that have a name.
  /// - Throws: `TemplateError` for a group that the pattern has not.
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

  /// Takes what names a group after a `$`; nil when nothing does.
  private static func groupName(_ rest: inout Substring, groups: Int) -> String? {
    if rest.first == "{", let end = rest.firstIndex(of: "}") {
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest[..<end].dropFirst())
    }
    let digits = rest.prefix(2).prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty else { return nil }
    // Two digits where there are so many groups, as everywhere.
    let name = Int(digits).map { $0 <= groups } == true ? digits : digits.prefix(1)
    rest = rest[name.endIndex...]
    return String(name)
  }

  /// What a backslash and a letter stand for; nil when for themselves.
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

  /// The text for one match.
  ///
  /// - Parameter group: gives what a group matched, 0 for the whole; nil for one that took no part,
  ///   which gives nothing.
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

/// A replacement that names a group which the pattern has not.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What it names.
  package var name: String
  /// How many groups there are.
  package var groups: Int
  /// The names that there are.
  package var names: [String]

  /// One line.
  package var description: String {
    let there = groups == 0 ? "none" : "\(groups)"
    let named = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    return "the replacement names the group '\(name)', and the pattern has \(there)\(named)"
  }
}
