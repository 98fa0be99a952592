/// What a person can do, in one line. Commands in it are written as they are typed: in a shell after
/// `diple`, in the line editor and the reader alone.
///
/// `"\(command: "list") shows the ids"` puts the command in back quotes; `\(typed: "add", "FILE")`
/// leaves them out, and `\(words: .spec(text))` is words that are no command by themselves.
package struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// One word that is typed, quoted as its front-end asks for.
  package enum Word: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Any word.
    case word(String)
    /// A SPEC, whose quotation marks are part of it.
    case spec(String)

    package init(stringLiteral text: String) { self = .word(text) }
  }

  /// By whose rules a line is typed: how words are quoted, and whether `diple` stands before them.
  package enum Syntax: Hashable, Sendable {
    /// Those of a shell.
    case shell
    /// The line editor, and the reader after `:`.
    case lineEditor
  }

  fileprivate enum Part: Hashable, Sendable {
    case text(String)
    case words([Word], isCommand: Bool, isQuoted: Bool)
  }

  private var parts: [Part]

  package init(stringLiteral text: String) { parts = [.text(text)] }
  package init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
  }

  /// A text without commands.
  package init(_ text: String) { parts = [.text(text)] }

  /// As it is typed.
  package func text(in syntax: Syntax) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .words(let words, let isCommand, let isQuoted):
        var typed = words.map { $0.text(in: syntax) }
        if isCommand, syntax == .shell { typed.insert("diple", at: 0) }
        let line = typed.joined(separator: " ")
        return isQuoted ? "`\(line)`" : line
      }
    }.joined()
  }

  /// This and then another.
  package func followed(by other: Hint) -> Hint {
    var both = self
    both.parts += [.text("; ")] + other.parts
    return both
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []
    package init(literalCapacity: Int, interpolationCount: Int) {}
    package mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      parts.append(.text(value.description))
    }
    package mutating func appendInterpolation(_ hint: Hint) { parts += hint.parts }
    /// A command with its words, in back quotes.
    package mutating func appendInterpolation(command words: Word...) {
      parts.append(.words(words, isCommand: true, isQuoted: true))
    }
    /// A command with its words, for the end of a line.
    package mutating func appendInterpolation(typed words: Word...) {
      parts.append(.words(words, isCommand: true, isQuoted: false))
    }
    /// A command line without anything that must be quoted, in back quotes.
    package mutating func appendInterpolation(line: String) {
      let words = line.split(separator: " ").map { Word.word(String($0)) }
      parts.append(.words(words, isCommand: true, isQuoted: true))
    }
    /// Words that stand in a command.
    package mutating func appendInterpolation(words: Word...) {
      parts.append(.words(words, isCommand: false, isQuoted: false))
    }
  }
}

extension Hint.Word {
  fileprivate func text(in syntax: Hint.Syntax) -> String {
    switch (self, syntax) {
    case (.word(let text), .shell), (.spec(let text), .shell): text.shellQuoted
    case (.word(let text), .lineEditor): text.lineEditorQuoted
    case (.spec(let text), .lineEditor): text
    }
  }
}
