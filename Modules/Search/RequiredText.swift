public import Model

extension RegularExpression {
  /// Returns the text that a document must contain for a pattern to match: the literal parts of the
  /// pattern. They are determined as in Russ Cox, “Regular Expression Matching with a Trigram
  /// Index”, 2012, but without sets of prefixes and suffixes. A pattern that isn't fully understood
  /// has no required text.
  public static func filter(for pattern: String) -> TextFilter {
    var reader = RequiredText(pattern)
    guard let filter = reader.read() else { return .everything }
    return filter.simplified
  }

  /// Returns a finder for text that every line with a match contains. Nil if matches can extend
  /// over lines, if fewer than two bytes are required, or if the pattern begins with a literal
  /// character.
  static func lineFinder(for pattern: String, ignoresCase: Bool) -> ByteFinder? {
    var reader = RequiredText(pattern)
    guard let filter = reader.read(), reader.staysInLine else { return nil }
    let parts: [TextFilter]
    switch filter.simplified {
    case .substring: parts = [filter.simplified]
    case .all(let all): parts = all
    default: return nil
    }
    var longest: [UInt8] = []
    for case .substring(let text) in parts {
      // If case is ignored, the finder knows only the two forms of ASCII letters. Leave out other
      // letters, and the two ASCII letters with a form outside ASCII (ſ and the Kelvin sign).
      let pieces =
        ignoresCase
        ? text.utf8.split { $0 >= 0x80 || "skSK".utf8.contains($0) }.map(Array.init)
        : [Array(text.utf8)]
      longest = (pieces + [longest]).max { $0.count < $1.count } ?? longest
    }
    // If a match begins with a literal character, PCRE2 is fast without a finder.
    guard longest.count > 1, reader.firstLiteral == nil else { return nil }
    return ByteFinder(longest, ignoresCase: ignoresCase)
  }
}

/// Parses a pattern from left to right to find its required text.
private struct RequiredText {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  /// Whether a match is always within one line: no part of the pattern can match a line feed, or
  /// depends on the end of the whole text.
  private(set) var staysInLine = true
  /// The character with which every match begins; nil if the pattern begins with anything else.
  private(set) var firstLiteral: Unicode.Scalar?

  init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  /// Returns the required text; nil if the pattern isn't understood.
  mutating func read() -> TextFilter? {
    guard let filter = alternatives(), index == scalars.count else { return nil }
    if scalars.contains("\n") { staysInLine = false }
    return filter
  }

  private mutating func alternatives() -> TextFilter? {
    depth += 1
    defer { depth -= 1 }
    guard depth < 100 else { return nil }
    var parts: [TextFilter] = []
    while true {
      guard let part = sequence() else { return nil }
      parts.append(part)
      guard next == "|" else { break }
      index += 1
    }
    return .any(parts)
  }

  private enum PatternAtom {
    /// A character that matches itself.
    case literal(Unicode.Scalar)
    /// A part with its own requirement, which ends the preceding run of literals.
    case other(TextFilter)
    /// A part without width, such as `^` or `\b`.
    case nothing
  }

  private mutating func sequence() -> TextFilter? {
    var parts: [TextFilter] = []
    var run = String.UnicodeScalarView()
    func finished(_ run: String.UnicodeScalarView) -> [TextFilter] {
      run.isEmpty ? [] : [.substring(String(run))]
    }
    while let scalar = next, scalar != "|", scalar != ")" {
      let isFirst = depth == 1 && index == 0
      guard let atom = atom(), let least = quantifier() else { return nil }
      if isFirst, case .literal(let literal) = atom, least ?? 1 > 0 { firstLiteral = literal }
      switch (atom, least) {
      case (.literal(let literal), nil): run.append(literal)
      case (.literal(let literal), .some(let count)):
        // A repeated character occurs at least `count` times, and the following part isn't adjacent
        // to it.
        if count > 0 { run.append(literal) }
        parts += finished(run)
        run = String.UnicodeScalarView()
        if count > 0 { run.append(literal) }
      case (.other(let filter), let count):
        parts += finished(run)
        run = String.UnicodeScalarView()
        if count ?? 1 > 0 { parts.append(filter) }
      case (.nothing, _): break
      }
    }
    return .all(parts + finished(run))
  }

  private mutating func atom() -> PatternAtom? {
    let scalar = scalars[index]
    index += 1
    switch scalar {
    case "\\": return escape()
    case "[": return skipClass() ? .other(.everything) : nil
    case "(": return group()
    case ".": return .other(.everything)
    case "^", "$": return .nothing
    // Since PCRE2 10.43, `{,5}` is a quantifier.
    case "{": return next == "," ? nil : .literal(scalar)
    case "*", "+", "?": return nil
    default: return .literal(scalar)
    }
  }

  private mutating func escape() -> PatternAtom? {
    guard let scalar = next else { return nil }
    index += 1
    switch scalar {
    case "b", "B", "A": return .nothing
    case "Z", "z", "G":
      staysInLine = false
      return .nothing
    case "d", "w", "h", "N", "S": return .other(.everything)
    case "D", "W", "s", "H", "v", "V", "R", "X":
      staysInLine = false
      return .other(.everything)
    case "n":
      staysInLine = false
      return .literal("\n")
    case "t": return .literal("\t")
    case "r": return .literal("\r")
    case "0"..."9", "a"..."z", "A"..."Z": return nil
    default: return .literal(scalar)
    }
  }

  private mutating func group() -> PatternAtom? {
    if next == "*" { return nil }
    if next == "?" {
      index += 1
      guard next == ":" else { return nil }
      index += 1
    }
    guard let inner = alternatives(), next == ")" else { return nil }
    index += 1
    return .other(inner)
  }

  private mutating func skipClass() -> Bool {
    if next == "^" {
      staysInLine = false
      index += 1
    }
    // A bracket directly after the opening one closes the class in some engines but not in PCRE2.
    // Such patterns are rejected to be safe.
    if next == "]" { return false }
    while let scalar = next {
      index += 1
      switch scalar {
      case "]": return true
      case "\\":
        guard let escaped = next, !"QE".unicodeScalars.contains(escaped) else { return false }
        if escaped.properties.isAlphabetic, escaped != "d", escaped != "w" { staysInLine = false }
        if ("0"..."9").contains(escaped) { staysInLine = false }
        index += 1
      case "[":
        if let inner = next, ":.=".unicodeScalars.contains(inner) { return false }
      // A range that starts with a control character may include the line feed.
      case "\0"..."\u{1F}": staysInLine = false
      default: break
      }
    }
    return false
  }

  /// Returns the minimum number of repetitions: `.some(nil)` if there is no quantifier, nil if it
  /// isn't understood.
  private mutating func quantifier() -> Int?? {
    var least: Int?
    switch next {
    case "*", "?": least = 0
    case "+": least = 1
    case "{":
      guard let (count, end) = braces() else { return .some(nil) }
      least = count
      index = end - 1
    default: return .some(nil)
    }
    index += 1
    if next == "?" || next == "+" { index += 1 }
    // A quantifier after a quantifier is an error, which the compiler reports.
    return .some(least)
  }

  /// Parses `{2}`, `{2,}` and `{2,5}`; nil for anything else in braces, which is literal text.
  private func braces() -> (count: Int, end: Int)? {
    var end = index + 1
    var digits = ""
    while end < scalars.count, ("0"..."9").contains(scalars[end]) {
      digits.unicodeScalars.append(scalars[end])
      end += 1
    }
    guard let count = Int(digits), end < scalars.count else { return nil }
    if scalars[end] == "," {
      end += 1
      while end < scalars.count, ("0"..."9").contains(scalars[end]) { end += 1 }
    }
    guard end < scalars.count, scalars[end] == "}" else { return nil }
    return (count, end + 1)
  }
}
