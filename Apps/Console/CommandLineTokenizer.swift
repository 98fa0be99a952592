import DaemonKit
import SystemSupport

/// Divides a line of the REPL into words, as a shell would: blanks divide, quotation marks and
/// backslashes protect.
///
/// For the commands that take a SPEC, double quotation marks are part of the SPEC's grammar, so a
/// word that begins with one keeps them: `mark "the fox"#2` selects the second `the fox`.
package enum CommandLineTokenizer {
  /// Why a line cannot be divided.
  package struct Unclosed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mark that opens.
    package var mark: Character
    /// One line.
    package var description: String { "the quotation mark \(mark) is not closed" }
  }

  private static let specCommands: Set<String> = [
    "mark", "select", "extend", "adjust", "copy", "menu",
  ]

  /// The words of a line.
  package static func words(in line: String) throws(Unclosed) -> [String] {
    let characters = Array(line)
    var words: [String] = []
    var index = 0
    while true {
      while index < characters.count, characters[index].isWhitespace { index += 1 }
      guard index < characters.count else { return words }
      let isOptionValue = words.last?.hasPrefix("-") == true && words.last != "-"
      let keepsQuotes =
        takesSpec(words) && !isOptionValue
        && (characters[index] == "\"" || characters[index] == "“" || isQualified(characters, index))
      words.append(try word(characters, &index, keepsQuotes: keepsQuotes))
    }
  }

  private static func takesSpec(_ words: [String]) -> Bool {
    specCommands.contains(words.first ?? "") || words.dropFirst().first == "reattach"
  }

  /// Whether a word such as `heading:"Intro"` begins here.
  private static func isQualified(_ characters: [Character], _ start: Int) -> Bool {
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
