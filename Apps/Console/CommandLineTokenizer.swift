import SystemSupport

/// Splits a line of the REPL into words like a shell: blanks separate words, and quotation marks
/// and backslashes protect them.
///
/// Double quotation marks are part of the grammar of a SPEC. They are kept in the words of an
/// argument that accepts a SPEC: `mark "the fox"#2` selects the second `the fox`. There, marks within
/// a word and marks that are not closed are text, too: `mark don't forget`, `mark He said, "Go`.
package struct CommandLineTokenizer: Sendable {
  /// The error for a line with a missing quotation mark.
  package struct Unclosed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The opening quotation mark.
    package var mark: Character
    /// The error message, one line.
    package var description: String { "the quotation mark \(mark) is not closed" }
  }

  private let grammar: CommandGrammar

  /// Creates a tokenizer for command lines of a grammar.
  package init(_ grammar: CommandGrammar) { self.grammar = grammar }

  /// Splits a line. Throws ``Unclosed`` if a quotation mark is not closed.
  package func words(in line: String) throws(Unclosed) -> [String] {
    let characters = Array(line)
    var words: [String] = []
    var index = 0
    while true {
      while index < characters.count, characters[index].isWhitespace { index += 1 }
      guard index < characters.count else { return words }
      let rest = characters[index...].prefix { !$0.isWhitespace }
      let hasMarks = rest.contains { "\"“'".contains($0) }
      let isSpec = hasMarks && rest.first != "-" && grammar.place(after: words).keepsQuotes
      words.append(try Self.word(characters, &index, isSpec: isSpec))
    }
  }

  /// Returns whether a quote or a word such as `heading:"Intro"` begins at an index.
  private static func beginsQuote(_ characters: [Character], _ start: Int) -> Bool {
    if characters[start] == "\"" || characters[start] == "“" { return true }
    var index = start
    while index < characters.count, characters[index].isLetter { index += 1 }
    return index > start && index + 1 < characters.count && characters[index] == ":"
      && characters[index + 1] == "\""
  }

  private static func word(
    _ characters: [Character], _ index: inout Int, isSpec: Bool
  ) throws(Unclosed) -> String {
    let keepsQuotes = isSpec && beginsQuote(characters, index)
    var word = ""
    while index < characters.count, !characters[index].isWhitespace {
      let character = characters[index]
      index += 1
      switch character {
      case "\"", "“", "'":
        let isApostrophe = character == "'" && (keepsQuotes || word.last?.isLetter == true)
        let isText = isSpec && !keepsQuotes && !word.isEmpty
        let close: Character = character == "“" ? "”" : character
        let isOpen = isSpec && !characters[index...].contains(close)
        if isApostrophe || isText || isOpen || character == "“" && !keepsQuotes {
          word.append(character)
          continue
        }
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
