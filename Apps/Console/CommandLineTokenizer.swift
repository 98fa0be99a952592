import SystemSupport

/// Divides a line of the line editor into words, as a shell would: blanks divide, quotation marks and
/// backslashes protect.
///
/// In a SPEC double quotation marks are part of its grammar, so a word of an argument that is declared
/// as one keeps them: `mark "the fox"#2` selects the second `the fox`.
package struct CommandLineTokenizer: Sendable {
  /// Why a line cannot be divided.
  package struct Unclosed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mark that opens.
    package var mark: Character
    /// One line.
    package var description: String { "the quotation mark \(mark) is not closed" }
  }

  private let grammar: CommandGrammar

  /// Divides lines of some commands.
  package init(_ grammar: CommandGrammar) { self.grammar = grammar }

  /// The words of a line.
  package func words(in line: String) throws(Unclosed) -> [String] {
    let characters = Array(line)
    var words: [String] = []
    var index = 0
    while true {
      while index < characters.count, characters[index].isWhitespace { index += 1 }
      guard index < characters.count else { return words }
      let keepsQuotes =
        Self.beginsQuote(characters, index)
        && grammar.place(after: words).keepsQuotes
      words.append(try Self.word(characters, &index, keepsQuotes: keepsQuotes))
    }
  }

  /// Whether a quote, or a word such as `heading:"Intro"`, begins here.
  private static func beginsQuote(_ characters: [Character], _ start: Int) -> Bool {
    if characters[start] == "\"" || characters[start] == "“" { return true }
    var index = start
    while index < characters.count, characters[index].isLetter { index += 1 }
    return index > start && index + 1 < characters.count && characters[index] == ":"
      && characters[index + 1] == "\""
  }

  private static func word(
    _ characters: [Character], _ index: inout Int, keepsQuotes: Bool
  ) throws(Unclosed) -> String {
    var word = ""
    while index < characters.count, !characters[index].isWhitespace {
      let character = characters[index]
      index += 1
      switch character {
      case "\"", "“", "'":
        if character == "'" && keepsQuotes || character == "“" && !keepsQuotes {
          word.append(character)
          continue
        }
        let close: Character = character == "“" ? "”" : character
        if keepsQuotes { word.append(character) }
        while index < characters.count, characters[index] != close {
          if characters[index] == "\\", character == "\"", index + 1 < characters.count,
            characters[index + 1] == close || characters[index + 1] == "\\"
          {
            if keepsQuotes { word.append("\\") }
            index += 1
          }
          word.append(characters[index])
          index += 1
        }
        guard index < characters.count else { throw Unclosed(mark: character) }
        if keepsQuotes { word.append(close) }
        index += 1
      case "\\" where index < characters.count && !keepsQuotes:
        word.append(characters[index])
        index += 1
      default: word.append(character)
      }
    }
    return word
  }
}
