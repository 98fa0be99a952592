import Model
import SystemSupport

/// Patterns of files and folders to skip in a scan, in the syntax of gitignore(5). They are read
/// from `.gitignore` files and from the library's own list. The last matching pattern decides.
///
/// The patterns only affect the search for documents. A document that the user added is never
/// ignored.
///
/// ```swift
/// var rules = IgnoreRules()
/// rules.add("drafts/\n!keep.md", below: "/home/ann/notes")
/// rules.ignore("/home/ann/notes/drafts", isFolder: true)  // true
/// ```
package struct IgnoreRules: Sendable {
  private struct Rule {
    /// The folder to which the pattern is relative.
    var base: String
    /// The UTF-8 of the pattern, with `/` between components.
    var pattern: [UInt8]
    var isNegated: Bool
    /// Whether the pattern matches folders only.
    var isForFolders: Bool
    /// Whether the pattern matches the whole path below the base, and not only the file name.
    var isAnchored: Bool
  }

  private var rules: [Rule] = []

  /// Creates an empty list of rules, which ignores nothing.
  package init() {}

  /// Adds the lines of a pattern file. They apply below the folder `base`.
  package mutating func add(_ text: String, below base: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      var pattern = Array(line.utf8)
      while pattern.last == UInt8(ascii: " "), pattern.dropLast().last != UInt8(ascii: "\\") {
        pattern.removeLast()
      }
      guard let first = pattern.first, first != UInt8(ascii: "#") else { continue }
      let isNegated = first == UInt8(ascii: "!")
      if isNegated { pattern.removeFirst() }
      let isForFolders = pattern.last == UInt8(ascii: "/")
      if isForFolders { pattern.removeLast() }
      let isAnchored = pattern.contains(UInt8(ascii: "/"))
      if pattern.first == UInt8(ascii: "/") { pattern.removeFirst() }
      guard !pattern.isEmpty else { continue }
      rules.append(
        Rule(
          base: base, pattern: pattern, isNegated: isNegated, isForFolders: isForFolders,
          isAnchored: isAnchored))
    }
  }

  /// Whether the file or folder at an absolute path is ignored, provided that the folders that
  /// contain it are not. O(rules × length of the path).
  package func ignore(_ path: String, isFolder: Bool) -> Bool {
    let bytes = Array(path.utf8)
    let name = bytes[((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
    for rule in rules.reversed() where isFolder || !rule.isForFolders {
      guard path.isBelow(rule.base) else { continue }
      let skipped = rule.base == "/" ? 1 : rule.base.utf8.count + 1
      let subject = rule.isAnchored ? bytes[skipped...] : name
      if Wildcard.matches(rule.pattern[...], subject) { return !rule.isNegated }
    }
    return false
  }
}

/// Matches shell patterns as git does: `*`, `?` and `[…]` match within a component of a path; the
/// component `**` matches any number of components.
private enum Wildcard {
  typealias Bytes = ArraySlice<UInt8>

  /// Whether the pattern matches the whole path. O(components of both), unless there is more than
  /// one `**`.
  static func matches(_ pattern: Bytes, _ path: Bytes) -> Bool {
    let slash = UInt8(ascii: "/")
    return matches(pattern.split(separator: slash)[...], path.split(separator: slash)[...])
  }

  private static func matches(_ pattern: ArraySlice<Bytes>, _ path: ArraySlice<Bytes>) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    let rest = pattern.dropFirst()
    if first.elementsEqual("**".utf8) {
      // A final `**` matches everything inside the folder, but not the folder itself.
      if rest.isEmpty { return !path.isEmpty }
      return (path.startIndex...path.endIndex).contains { matches(rest, path[$0...]) }
    }
    guard let name = path.first else { return false }
    return matchesName(first, name) && matches(rest, path.dropFirst())
  }

  /// Whether the pattern matches one component. O(pattern × name).
  private static func matchesName(_ whole: Bytes, _ wholeName: Bytes) -> Bool {
    var (pattern, name) = (whole, wholeName)
    // Where to continue if the pattern after the last `*` does not match.
    var retry: (pattern: Bytes, name: Bytes)?
    while true {
      if pattern.first == UInt8(ascii: "*") {
        pattern = pattern.dropFirst()
        retry = (pattern, name)
      } else if pattern.isEmpty && name.isEmpty {
        return true
      } else if let byte = name.first, let rest = afterMatch(of: byte, pattern) {
        pattern = rest
        name = name.dropFirst()
      } else {
        guard let last = retry, !last.name.isEmpty else { return false }
        retry = (last.pattern, last.name.dropFirst())
        (pattern, name) = (last.pattern, last.name.dropFirst())
      }
    }
  }

  /// Returns the pattern after its first element if that element matches the byte; otherwise nil.
  private static func afterMatch(of byte: UInt8, _ pattern: Bytes) -> Bytes? {
    let rest = pattern.dropFirst()
    switch pattern.first {
    case UInt8(ascii: "?"): return rest
    case UInt8(ascii: "\\"): return rest.first == byte ? rest.dropFirst() : nil
    case UInt8(ascii: "["): return afterSet(rest, with: byte)
    default: return pattern.first == byte ? rest : nil
    }
  }

  /// Returns the pattern after a set such as `a-z]` if the set contains the byte; nil if it does
  /// not, or if the set is not closed.
  private static func afterSet(_ set: Bytes, with byte: UInt8) -> Bytes? {
    var rest = set
    let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
    if isNegated { rest = rest.dropFirst() }
    var (isFound, isFirst) = (false, true)
    while let low = rest.popFirst() {
      if low == UInt8(ascii: "]") && !isFirst { return isFound != isNegated ? rest : nil }
      isFirst = false
      var high = low
      if rest.first == UInt8(ascii: "-"), let end = rest.dropFirst().first,
        end != UInt8(ascii: "]")
      {
        high = end
        rest = rest.dropFirst(2)
      }
      if low <= byte && byte <= high { isFound = true }
    }
    return nil
  }
}
