/// A suggestion to the user, in one line. What the user can do is a ``Remedy``, which each
/// front-end words in its own way.
///
/// ```swift
/// let hint: Hint = "\(action: "sync.leave") ends that first"
/// hint.text(in: .shell)       // `diple sync leave` ends that first
/// hint.text(in: .lineEditor)  // `sync leave` ends that first
/// hint.text(in: .plain)       // `sync.leave` ends that first
/// ```
///
/// `\(unquoted: "document.add", …)` writes no back quotes, for the end of a line.
/// `\(words: .spec(text))` writes words that are not a whole command.
package struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// One word of a command, quoted as the front-end requires.
  package enum Word: Hashable, Sendable, ExpressibleByStringLiteral {
    /// A word that is quoted if needed.
    case word(String)
    /// A SPEC, which contains its own quotation marks.
    case spec(String)

    package init(stringLiteral text: String) { self = .word(text) }
  }

  /// The words of a front-end.
  package struct Syntax: Sendable {
    /// Whether commands are typed in a POSIX shell, after `diple`; otherwise in the line editor, or
    /// the reader after `:`.
    let isShell: Bool
    /// Returns the words between `diple` and a command of a shell, such as `--library DIR`.
    package var globalWords: @Sendable ([Word]) -> [Word] = { _ in [] }
    /// Returns the words of a remedy's command; nil if there is none.
    let command: @Sendable (Remedy) -> [Word]?

    package init(isShell: Bool, command: @escaping @Sendable (Remedy) -> [Word]?) {
      (self.isShell, self.command) = (isShell, command)
    }

    /// The names of actions and settings, for programs and for modules that know no front-end.
    package static let plain = Syntax(isShell: true) { _ in nil }
  }

  fileprivate enum Part: Hashable, Sendable {
    case text(String)
    case words([Word], isCommand: Bool, isQuoted: Bool)
    case remedy(Remedy, isQuoted: Bool)
  }

  private var parts: [Part]

  package init(stringLiteral text: String) { parts = [.text(text)] }
  package init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
  }

  /// A hint without commands.
  package init(_ text: String) { parts = [.text(text)] }

  /// Returns the hint in the words of a front-end.
  package func text(in syntax: Syntax) -> String {
    worded(in: syntax).parts.map { part in
      switch part {
      case .text(let text): return text
      case .remedy(let remedy, let isQuoted): return isQuoted ? "`\(remedy.name)`" : remedy.name
      case .words(let words, let isCommand, let isQuoted):
        var typed = words.map { $0.text(in: syntax) }
        if isCommand, syntax.isShell {
          typed = ["diple"] + syntax.globalWords(words).map { $0.text(in: syntax) } + typed
        }
        let line = typed.joined(separator: " ")
        return isQuoted ? "`\(line)`" : line
      }
    }.joined()
  }

  /// Returns the hint with the commands of a front-end instead of remedies. A remedy without a
  /// command stays.
  package func worded(in syntax: Syntax) -> Hint {
    var hint = self
    hint.parts = parts.map { part in
      guard case .remedy(let remedy, let isQuoted) = part, let words = syntax.command(remedy) else {
        return part
      }
      return .words(words, isCommand: true, isQuoted: isQuoted)
    }
    return hint
  }

  /// The hint for a page in a browser, in which commands cannot be typed; nil if it contains one.
  package var textWithoutCommands: String? {
    for part in parts {
      switch part {
      case .words(_, isCommand: true, _), .remedy: return nil
      case .words, .text: continue
      }
    }
    return text(in: .plain)
  }

  /// The remedy that the hint suggests; nil if there is none, or several.
  package var remedy: Remedy? {
    let remedies = parts.compactMap { if case .remedy(let remedy, _) = $0 { remedy } else { nil } }
    return remedies.count == 1 ? remedies[0] : nil
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
    /// Appends an action, by its name and the members of its request that matter.
    package mutating func appendInterpolation(
      action name: String, _ members: [String: Remedy.Member] = [:]
    ) {
      parts.append(.remedy(.action(name, members), isQuoted: true))
    }
    /// Appends an action without back quotes, for the end of a line.
    package mutating func appendInterpolation(
      unquoted name: String, _ members: [String: Remedy.Member] = [:]
    ) {
      parts.append(.remedy(.action(name, members), isQuoted: false))
    }
    /// Appends a tool of the user's machine.
    package mutating func appendInterpolation(tool: Remedy.Tool, isQuoted: Bool = true) {
      parts.append(.remedy(.tool(tool), isQuoted: isQuoted))
    }
    /// Appends the words of a command, in the quotation marks of the front-end. Only front-ends
    /// know commands.
    package mutating func append(command words: [Word], isQuoted: Bool) {
      parts.append(.words(words, isCommand: true, isQuoted: isQuoted))
    }
    /// Appends words that are part of a command.
    package mutating func appendInterpolation(words: Word...) {
      parts.append(.words(words, isCommand: false, isQuoted: false))
    }
  }
}

extension Hint.Word {
  fileprivate func text(in syntax: Hint.Syntax) -> String {
    switch self {
    case .word(let text): syntax.isShell ? text.shellQuoted : text.lineEditorQuoted
    case .spec(let text): syntax.isShell ? text.shellQuoted : text
    }
  }
}
