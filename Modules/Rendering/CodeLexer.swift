public import Model

/// A lexer that finds the parts of code in some languages, for syntax highlighting.
public protocol CodeLexer: Strategy where Example == CodeExample {
  /// Whether the lexer supports a language, given as the lower-case name after a fence.
  func knows(_ language: String) -> Bool
  /// Returns the coloured parts of some code, in order and without overlaps, as offsets in `code`.
  /// Empty if the language isn't supported. Must be O(units) for any code.
  func parts(of code: [UInt16], in language: String) -> [CodePart]
}

/// The kind of a part of code, which determines its colour.
public enum CodeKind: String, Hashable, Sendable, CaseIterable {
  case comment
  /// A string, a character or a regular expression.
  case string
  /// A number, or a constant such as `true` or `null`.
  case number
  /// A keyword of the language.
  case keyword
  /// The name of a type.
  case type
  /// The name of a function or command.
  case function
  /// A variable with a sigil, such as `$HOME`.
  case variable
  /// The name of a value, such as `name:` in YAML.
  case key
  /// An element of markup.
  case tag
  /// A directive, an attribute or a prompt: `#include`, `@available`, `$`.
  case meta
  /// An added line in a diff.
  case added
  /// A removed line in a diff.
  case removed
}

/// A range of code with one colour.
public struct CodePart: Hashable, Sendable {
  /// The offset of the first UTF-16 unit.
  public var start: Int32
  /// The offset after the last UTF-16 unit.
  public var end: Int32
  /// The kind of the part.
  public var kind: CodeKind

  /// Creates a part from a range of UTF-16 units.
  public init(_ range: Range<Int>, _ kind: CodeKind) {
    (start, end, self.kind) = (Int32(range.lowerBound), Int32(range.upperBound), kind)
  }
}

extension Registry where Element == any CodeLexer {
  /// Appends a lexer. Traps if its id is already registered.
  package mutating func register<L: CodeLexer>(_ lexer: L) { register(lexer, as: L.self) }
}

/// A test case for a lexer.
public struct CodeExample: Sendable {
  /// The name of the language after the fence.
  public var language: String
  /// The code without its fences.
  public var code: String
  /// The expected parts, each as its kind, a space and its text.
  public var parts: [String]

  /// Creates a test case. `parts` must list all parts in order.
  public init(_ language: String, _ code: String, _ parts: [String]) {
    (self.language, self.code, self.parts) = (language, code, parts)
  }
}
