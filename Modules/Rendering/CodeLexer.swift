public import Model

/// A way to tell the parts of code apart, for some languages.
public protocol CodeLexer: Strategy where Example == CodeExample {
  /// Whether it knows a language by a name that stands after a fence, in small letters.
  func knows(_ language: String) -> Bool
  /// The parts of some code that have a colour: in order, without overlaps, in units of `code`.
  /// Whatever the code is, O(units); no parts for a language that is not known.
  func parts(of code: [UInt16], in language: String) -> [CodePart]
}

/// What a part of code is.
public enum CodeKind: String, Hashable, Sendable, CaseIterable {
  /// A remark.
  case comment
  /// A text, a letter, a regular expression.
  case string
  /// A number, and what is as fixed: `true`, `null`.
  case number
  /// A word of the language.
  case keyword
  /// The name of a type.
  case type
  /// The name of a function or command.
  case function
  /// A variable that says so: `$HOME`.
  case variable
  /// The name of a value: `name:` in YAML.
  case key
  /// An element of markup.
  case tag
  /// What steers something else: `#include`, `@available`, a prompt.
  case meta
  /// A line that came.
  case added
  /// A line that went.
  case removed
}

/// A part of code that looks alike.
public struct CodePart: Hashable, Sendable {
  /// The first unit.
  public var start: Int32
  /// The unit after the last.
  public var end: Int32
  /// What it is.
  public var kind: CodeKind

  /// Makes a part of its parts.
  public init(_ range: Range<Int>, _ kind: CodeKind) {
    (start, end, self.kind) = (Int32(range.lowerBound), Int32(range.upperBound), kind)
  }
}

extension Registry where Element == any CodeLexer {
  /// Appends a lexer.
  package mutating func register<L: CodeLexer>(_ lexer: L) { register(lexer, as: L.self) }
}

/// An example of what a lexer finds.
public struct CodeExample: Sendable {
  /// The name after the fence.
  public var language: String
  /// The code.
  public var code: String
  /// The parts that must be found, each as its kind, a blank and its text.
  public var parts: [String]

  /// Makes an example of its parts.
  public init(_ language: String, _ code: String, _ parts: [String]) {
    (self.language, self.code, self.parts) = (language, code, parts)
  }
}
