/// The lexical syntax of a language: an entry of the table in `CodeLanguages`.
struct CodeLanguage: Sendable {
  /// The names in a fence's info string, the usual one first, in lower case.
  var names: [String]
  /// The keywords, separated by spaces.
  var keywords = ""
  /// The names of predefined types, separated by spaces.
  var types = ""
  /// The predefined constants, separated by spaces.
  var constants = ""
  /// The delimiters that begin a comment up to the end of the line.
  var lineComments: [String] = []
  /// The delimiters of block comments.
  var blockComments: [Block] = []
  /// The delimiters of strings. If one begins with another, the longer one is first.
  var strings: [Text] = []
  /// The characters allowed in names, in addition to letters, digits and `_`.
  var inNames = ""
  /// The special rules of the language.
  var traits: Traits = []
  /// The scanner for the language.
  var grammar = Grammar.code

  /// The delimiters of a block comment.
  struct Block: Sendable {
    var open: String
    var close: String
    /// Whether comments nest.
    var nests = false
  }

  /// The delimiters of a string.
  struct Text: Sendable {
    var open: String
    var close: String
    /// Whether a backslash escapes the next character.
    var escapes = true
    /// Whether the string can contain line ends.
    var spansLines = false
    /// Whether `$name` in the string is a variable.
    var hasVariables = false

    static func line(_ quote: String, escapes: Bool = true, variables: Bool = false) -> Text {
      Text(open: quote, close: quote, escapes: escapes, hasVariables: variables)
    }
    static func lines(_ quote: String, escapes: Bool = true, variables: Bool = false) -> Text {
      Text(
        open: quote, close: quote, escapes: escapes, spansLines: true, hasVariables: variables)
    }
  }

  /// The kind of scanner.
  enum Grammar: Sendable { case code, markup, markdown, diff, console }

  struct Traits: OptionSet, Sendable {
    var rawValue: UInt32

    /// Keywords are case-insensitive.
    static let ignoresCase = Traits(rawValue: 1 << 0)
    /// A name that begins with a capital is a type.
    static let capitalTypes = Traits(rawValue: 1 << 1)
    /// A name before `(` is a function.
    static let calls = Traits(rawValue: 1 << 2)
    /// The first name after `(` is a function.
    static let callsInside = Traits(rawValue: 1 << 3)
    /// `$name`, `${name}` and `$(name)` are variables.
    static let dollars = Traits(rawValue: 1 << 4)
    /// `@name` is an attribute or an instance variable.
    static let atNames = Traits(rawValue: 1 << 5)
    /// A line that begins with `#` is a preprocessor directive.
    static let preprocessor = Traits(rawValue: 1 << 6)
    /// `<<END` begins a string that ends with a line `END`.
    static let heredocs = Traits(rawValue: 1 << 7)
    /// `'a'` is a character literal and `'a` a lifetime or a type variable.
    static let letters = Traits(rawValue: 1 << 8)
    /// `#"…"#` is a string, with any number of `#`.
    static let hashTexts = Traits(rawValue: 1 << 9)
    /// `r#"…"#` is a string, with any number of `#`.
    static let rawHashTexts = Traits(rawValue: 1 << 10)
    /// `R"x(…)x"` is a string.
    static let rawDelimited = Traits(rawValue: 1 << 11)
    /// `[[…]]` and `[=[…]=]` are strings; after `--`, comments.
    static let longBrackets = Traits(rawValue: 1 << 12)
    /// `:name` is a constant.
    static let symbols = Traits(rawValue: 1 << 13)
    /// A line can begin with a key before `:`, after dashes, as in YAML.
    static let colonKeys = Traits(rawValue: 1 << 14)
    /// A line can begin with a key before `=`.
    static let equalsKeys = Traits(rawValue: 1 << 15)
    /// A string or name before `:` is a key, as in JSON.
    static let pairKeys = Traits(rawValue: 1 << 16)
    /// A line in `[…]` is a section heading.
    static let sections = Traits(rawValue: 1 << 17)
    /// Keywords are only recognised at the start of a line.
    static let lineKeywords = Traits(rawValue: 1 << 18)
    /// The first word of a command is a function.
    static let commands = Traits(rawValue: 1 << 19)
    /// A comment begins only after white space.
    static let spacedComments = Traits(rawValue: 1 << 20)
    /// The language has selectors, properties and colours.
    static let styles = Traits(rawValue: 1 << 21)
    /// `\name` is a command.
    static let backslashes = Traits(rawValue: 1 << 22)
    /// `/…/` is a regular expression in the position of an operand.
    static let patterns = Traits(rawValue: 1 << 23)
    /// `-Name` is an option.
    static let options = Traits(rawValue: 1 << 24)
    /// `name!` is a macro.
    static let bangs = Traits(rawValue: 1 << 25)
  }
}
