/// What a language looks like: a row of the table in `CodeLanguages`.
struct CodeLanguage: Sendable {
  /// The names after a fence, the usual one first.
  var names: [String]
  /// The words of the language, with blanks between them.
  var keywords = ""
  /// The names of types that come with it.
  var types = ""
  /// Words as fixed as a number.
  var constants = ""
  /// What begins a remark up to the end of the line.
  var lineComments: [String] = []
  /// What stands around remarks.
  var blockComments: [Block] = []
  /// What stands around texts; of two that begin alike the longer one comes first.
  var strings: [Text] = []
  /// What stands in names beside letters, digits and `_`.
  var inNames = ""
  /// What is special.
  var traits: Traits = []
  /// How it is read.
  var grammar = Grammar.code

  /// What stands around a remark.
  struct Block: Sendable {
    var open: String
    var close: String
    /// Whether remarks stand in remarks.
    var nests = false
  }

  /// What stands around a text.
  struct Text: Sendable {
    var open: String
    var close: String
    /// Whether a backslash makes the next unit a part of the text.
    var escapes = true
    /// Whether it goes on in the next line.
    var spansLines = false
    /// Whether `$name` in it is a variable.
    var hasVariables = false

    static func line(_ quote: String, escapes: Bool = true, variables: Bool = false) -> Text {
      Text(open: quote, close: quote, escapes: escapes, hasVariables: variables)
    }
    static func lines(_ quote: String, escapes: Bool = true, variables: Bool = false) -> Text {
      Text(
        open: quote, close: quote, escapes: escapes, spansLines: true, hasVariables: variables)
    }
  }

  /// How a language is read.
  enum Grammar: Sendable { case code, markup, markdown, diff, console }

  struct Traits: OptionSet, Sendable {
    var rawValue: UInt32

    /// Words are the same in capitals.
    static let ignoresCase = Traits(rawValue: 1 << 0)
    /// A name that begins with a capital is a type.
    static let capitalTypes = Traits(rawValue: 1 << 1)
    /// A name before `(` is a function.
    static let calls = Traits(rawValue: 1 << 2)
    /// The first name after `(` is a function.
    static let callsInside = Traits(rawValue: 1 << 3)
    /// `$name`, `${name}` and `$(name)` are variables.
    static let dollars = Traits(rawValue: 1 << 4)
    /// `@name` is something for the compiler, or a variable of an object.
    static let atNames = Traits(rawValue: 1 << 5)
    /// A line that begins with `#` is for the preprocessor.
    static let preprocessor = Traits(rawValue: 1 << 6)
    /// `<<END` begins a text up to a line with `END`.
    static let heredocs = Traits(rawValue: 1 << 7)
    /// `'a'` is a letter and `'a` a lifetime or a type.
    static let letters = Traits(rawValue: 1 << 8)
    /// `#"…"#`, with any number of signs.
    static let hashTexts = Traits(rawValue: 1 << 9)
    /// `r#"…"#`, with any number of signs.
    static let rawHashTexts = Traits(rawValue: 1 << 10)
    /// `R"x(…)x"`.
    static let rawDelimited = Traits(rawValue: 1 << 11)
    /// `[[…]]` and `[=[…]=]`; after `--` a remark.
    static let longBrackets = Traits(rawValue: 1 << 12)
    /// `:name` is a value.
    static let symbols = Traits(rawValue: 1 << 13)
    /// A line begins with a name before `:`, after dashes, as in YAML.
    static let colonKeys = Traits(rawValue: 1 << 14)
    /// A line begins with a name before `=`.
    static let equalsKeys = Traits(rawValue: 1 << 15)
    /// A text or name before `:` is a name, as in JSON.
    static let pairKeys = Traits(rawValue: 1 << 16)
    /// A line in `[…]` is a heading.
    static let sections = Traits(rawValue: 1 << 17)
    /// Words of the language are such only at the beginning of a line.
    static let lineKeywords = Traits(rawValue: 1 << 18)
    /// The first name of a command is a function.
    static let commands = Traits(rawValue: 1 << 19)
    /// A remark begins only after a blank.
    static let spacedComments = Traits(rawValue: 1 << 20)
    /// Selectors, properties and colours.
    static let styles = Traits(rawValue: 1 << 21)
    /// `\name` is a command.
    static let backslashes = Traits(rawValue: 1 << 22)
    /// `/…/` is a regular expression where an operand may stand.
    static let patterns = Traits(rawValue: 1 << 23)
    /// `-Name` is an option.
    static let options = Traits(rawValue: 1 << 24)
    /// `name!` is a macro.
    static let bangs = Traits(rawValue: 1 << 25)
  }
}
