/// The name of a person or an organization, divided into the parts that bibliographies use.
///
/// ```swift
/// let name = PersonName(typed: "Ludwig van Beethoven")
/// name.particle  // "van"
/// name.inverted  // "van Beethoven, Ludwig"
/// ```
package struct PersonName: Hashable, Sendable {
  /// The family name, or the whole of an undivided name.
  package var family: String
  /// The given names; empty if there are none.
  package var given: String
  /// The words before the family name that belong to it, such as `van` or `de la`.
  package var particle: String
  /// The suffix, such as `Jr.`.
  package var suffix: String
  /// Whether the name is undivided, like the name of an organization.
  package var isLiteral: Bool
  /// The other properties of the name in CSL-JSON, which are kept unchanged.
  private var rest: [String: JSONValue] = [:]

  package init(family: String, given: String = "", particle: String = "", suffix: String = "") {
    (self.family, self.given, self.particle, self.suffix) = (family, given, particle, suffix)
    isLiteral = false
  }

  /// Creates an undivided name.
  package init(literal: String) {
    (family, given, particle, suffix) = (literal, "", "", "")
    isLiteral = true
  }

  /// Parses a name in CSL-JSON; nil if it is empty.
  init?(_ value: JSONValue) {
    if case .text(let text) = value {
      guard !text.isEmpty else { return nil }
      self = PersonName(typed: text)
      return
    }
    guard case .object(let object) = value else { return nil }
    let literal = value["literal"].text
    if !literal.isEmpty {
      self.init(literal: literal)
    } else {
      let dropping = value["dropping-particle"].text
      self.init(
        family: value["family"].text, given: value["given"].text,
        particle: value["non-dropping-particle"].text, suffix: value["suffix"].text)
      if particle.isEmpty, !dropping.isEmpty {
        particle = dropping
        rest["dropping-particle"] = .text(dropping)
      }
      if family.isEmpty {
        guard !given.isEmpty else { return nil }
        (family, given) = (given, "")
      }
    }
    for (key, value) in object where !Self.known.contains(key) { rest[key] = value }
  }

  private static let known: Set<String> = [
    "literal", "family", "given", "non-dropping-particle", "dropping-particle", "suffix",
  ]

  /// The name in the form of CSL-JSON.
  var value: JSONValue {
    var object = rest
    if isLiteral {
      object["literal"] = .text(family)
    } else {
      object["family"] = .text(family)
      if !given.isEmpty { object["given"] = .text(given) }
      if !particle.isEmpty, object["dropping-particle"] == nil {
        object["non-dropping-particle"] = .text(particle)
      }
      if !suffix.isEmpty { object["suffix"] = .text(suffix) }
    }
    return .object(object)
  }

  /// Parses a name as it is usually typed and as BibTeX writes it: `Given von Family`,
  /// `von Family, Given`, `von Family, Jr., Given`, or `{An Organization}`.
  ///
  /// The rules are those of BibTeX (Patashnik, "BibTeXing", 1988, section 4): lower-case words
  /// before the last word are the particle. A single word is an undivided name. So is a name in a
  /// script without letter case, such as 毛泽东, because its parts cannot be recognized.
  package init(typed text: String) {
    let text = text.oneLine
    if text.hasPrefix("{"), text.hasSuffix("}"), text.count > 2 {
      self.init(literal: String(text.dropFirst().dropLast()).oneLine)
      return
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map(\.oneLine)
    if parts.count > 1 {
      let (particle, family) = Self.divided(Self.words(parts[0]))
      self.init(
        family: family, given: parts[parts.count > 2 ? 2 : 1], particle: particle,
        suffix: parts.count > 2 ? parts[1] : "")
      if self.family.isEmpty { self = PersonName(literal: text) }
      return
    }
    let words = Self.words(text)
    guard words.count > 1, words.contains(where: { $0.contains(where: \.isCased) }) else {
      self.init(literal: text)
      return
    }
    if let first = words.dropLast().firstIndex(where: Self.isParticle), first > 0 {
      let (particle, family) = Self.divided(Array(words[first...]))
      self.init(
        family: family, given: words[..<first].joined(separator: " "), particle: particle)
    } else if Self.isParticle(words[0]) {
      let (particle, family) = Self.divided(words)
      self.init(family: family, particle: particle)
    } else {
      self.init(family: words.last!, given: words.dropLast().joined(separator: " "))
    }
  }

  /// Parses a list of names separated by `;` or ` and `. An ` and ` within braces doesn't separate
  /// names. Commas separate names that each have at least two words, such as `Ann Lee, Bo Reid`.
  package static func list(_ text: String) -> [PersonName] {
    text.split(separator: ";").flatMap { part in
      var names: [String] = []
      var depth = 0
      var words: [Substring] = []
      for word in part.split(separator: " ") {
        if depth == 0, word.lowercased() == "and" {
          names.append(words.joined(separator: " "))
          words = []
          continue
        }
        depth += word.reduce(0) { $0 + ($1 == "{" ? 1 : $1 == "}" ? -1 : 0) }
        words.append(word)
      }
      names.append(words.joined(separator: " "))
      return names.map(\.oneLine).filter { !$0.isEmpty }.flatMap(dividedAtCommas)
    }
  }

  /// Returns the names in a text: several in natural order, one with a suffix after it, or one as
  /// `init(typed:)` parses it.
  private static func dividedAtCommas(_ text: String) -> [PersonName] {
    let parts = text.split(separator: ",").map(\.oneLine)
    guard parts.count > 1, !text.contains("{") else { return [PersonName(typed: text)] }
    if parts.count == 2, suffixes.contains(parts[1]), words(parts[0]).count > 1 {
      var name = PersonName(typed: parts[0])
      name.suffix = parts[1]
      return [name]
    }
    let areNames = parts.allSatisfy { part in
      let words = words(part)
      return words.count > 1 && !isParticle(words[0])
    }
    return areNames ? parts.map(PersonName.init(typed:)) : [PersonName(typed: text)]
  }

  private static let suffixes: Set<String> = ["Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV"]

  /// The name in natural order: `Ludwig van Beethoven`, `Martin Luther King, Jr.`.
  package var direct: String {
    let name = [given, particle, family].filter { !$0.isEmpty }.joined(separator: " ")
    return suffix.isEmpty ? name : "\(name), \(suffix)"
  }

  /// The name in the order of bibliographies: `van Beethoven, Ludwig`. `init(typed:)` parses it as
  /// the same name.
  package var inverted: String {
    if isLiteral {
      let reread = PersonName(typed: family)
      return reread.isLiteral && reread.family == family ? family : "{\(family)}"
    }
    let last = [particle, family].filter { !$0.isEmpty }.joined(separator: " ")
    return [last, suffix, given].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// Separates the particle from a family name. The last word always belongs to the family name.
  private static func divided(_ words: [String]) -> (particle: String, family: String) {
    let start = words.dropLast().prefix(while: isParticle).count
    return (
      words[..<start].joined(separator: " "), words[start...].joined(separator: " ")
    )
  }

  private static func isParticle(_ word: String) -> Bool {
    word.first { $0.isLetter }?.isLowercase ?? false
  }

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}

extension Character {
  fileprivate var isCased: Bool { isUppercase || isLowercase }
}
