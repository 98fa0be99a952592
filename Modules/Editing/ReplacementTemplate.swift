import Model

/// What stands in place of a match: text, with the parts of the match where `$0`, `$1` … `$99`,
/// `${1}` or `${name}` stand. `$$` is a dollar sign.
public struct ReplacementTemplate: Hashable, Sendable {
  private enum Part: Hashable {
    case text(String)
    case group(Int)
  }

  private let parts: [Part]

  /// Takes text in which nothing stands for something else.
  public init(literal text: String) { parts = [.text(text)] }

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - groups: how many groups the pattern has.
  ///   - names: the numbers of those that have a name.
  /// - Throws: `TemplateError` for a group that the pattern has not.
  public init(_ text: String, groups: Int, names: [String: Int] = [:]) throws(TemplateError) {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    func number(_ name: Substring) throws(TemplateError) -> Int {
      if let number = Int(name), (0...groups).contains(number) { return number }
      guard let number = names[String(name)] else {
        throw TemplateError(name: String(name), groups: groups, names: names.keys.sorted())
      }
      return number
    }
    while let character = rest.popFirst() {
      guard character == "$", let next = rest.first else {
        literal.append(character)
        continue
      }
      let group: Int
      if next == "$" {
        rest.removeFirst()
        literal.append("$")
        continue
      } else if next == "{", let end = rest.firstIndex(of: "}") {
        group = try number(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[rest.index(after: end)...]
      } else if next.isASCII, next.isNumber {
        // Two digits where there are so many groups, as everywhere.
        let two = rest.prefix(2)
        let digits =
          two.count == 2 && two.allSatisfy { $0.isASCII && $0.isNumber }
            && Int(two).map { $0 <= groups } == true ? two : rest.prefix(1)
        group = try number(digits)
        rest = rest[digits.endIndex...]
      } else {
        literal.append(character)
        continue
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.group(group))
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
    self.parts = parts
  }

  /// The text for one match.
  ///
  /// - Parameter group: gives what a group matched, 0 for the whole; nil for one that took no part,
  ///   which gives nothing.
  public func text(_ group: (Int) -> String?) -> String {
    if case .text(let text)? = parts.first, parts.count == 1 { return text }
    return parts.reduce(into: "") { result, part in
      switch part {
      case .text(let text): result += text
      case .group(let number): result += group(number) ?? ""
      }
    }
  }
}

/// A replacement that names a group which the pattern has not.
public struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What it names.
  public var name: String
  /// How many groups there are.
  public var groups: Int
  /// The names that there are.
  public var names: [String]

  /// One line.
  public var description: String {
    let there = groups == 0 ? "none" : "\(groups)"
    let named = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    return "the replacement names the group '\(name)', and the pattern has \(there)\(named)"
  }
}
