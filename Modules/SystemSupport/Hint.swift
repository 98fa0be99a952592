/// A suggestion to the user, in one line. Commands in it are written as the user's front-end
/// expects them: after `diple` in a shell, alone in the line editor and the reader.
///
/// `"\(command: "list") shows the ids"` puts a command in back quotes, `\(typed: "add", "FILE")`
/// does not, and `\(words: .spec(text))` writes words that are not a whole command.
///
///     let hint: Hint = "\(command: "list") shows the ids"
///     hint.text(in: .shell)       // `diple list` shows the ids
///     hint.text(in: .lineEditor)  // `list` shows the ids
package struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// One word of a command, quoted as the front-end requires.
  package enum Word: Hashable, Sendable, ExpressibleByStringLiteral {
    /// A word that is quoted if needed.
    case word(String)
    /// A SPEC, which contains its own quotation marks.
    case spec(String)

    package init(stringLiteral text: String) { self = .word(text) }
  }

  /// The front-end, which decides on quoting and on the leading `diple`.
  package enum Syntax: Hashable, Sendable {
    /// A POSIX shell.
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

  /// A hint without commands.
  package init(_ text: String) { parts = [.text(text)] }

  /// Returns the hint as the user would type its commands.
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

  /// The hint for a page in a browser, in which commands cannot be typed; nil if it contains one.
  package var textWithoutCommands: String? {
    for case .words(_, isCommand: true, _) in parts { return nil }
    return text(in: .shell)
  }

  /// Joins two hints with a semicolon.
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
    /// Appends a command in back quotes.
    package mutating func appendInterpolation(command words: Word...) {
      parts.append(.words(words, isCommand: true, isQuoted: true))
    }
    /// Appends a command of a list of words in back quotes.
    package mutating func appendInterpolation(command words: [Word]) {
      parts.append(.words(words, isCommand: true, isQuoted: true))
    }
    /// Appends a command without quotes, for the end of a line.
    package mutating func appendInterpolation(typed words: Word...) {
      parts.append(.words(words, isCommand: true, isQuoted: false))
    }
    /// Appends a command line in back quotes; no word of it may need quoting.
    package mutating func appendInterpolation(line: String) {
      let words = line.split(separator: " ").map { Word.word(String($0)) }
      parts.append(.words(words, isCommand: true, isQuoted: true))
    }
    /// Appends words that are part of a command.
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
