package import FoundationEssentials

extension HighlightCondition {
  /// An error in a filter.
  package struct Problem: Error, Hashable, Sendable {
    /// The number of the character at which the error is, from 1.
    package var column: Int
    /// A description of the error.
    package var reason: String
    /// A suggestion; nil if there is none.
    package var suggestion: String?
  }

  /// The meaning of words that depend on the library and the clock.
  package struct Names: Sendable {
    /// Returns the colours with a name or label; empty if there are none.
    package var colors: @Sendable (String) -> [HighlightColor]
    /// The names that `colors` knows, for the error.
    package var colorNames: [String]
    /// Returns the time that a text means, such as `2026-01-31`; nil if it is not a time.
    package var date: @Sendable (String) -> Date?

    package init(
      colors: @escaping @Sendable (String) -> [HighlightColor], colorNames: [String],
      date: @escaping @Sendable (String) -> Date?
    ) {
      (self.colors, self.colorNames, self.date) = (colors, colorNames, date)
    }
  }

  /// The maximum size of a filter in bytes.
  package static let longest = 64 << 10

  /// Parses a filter. Its words are separated by blanks, and a highlight must meet all of them:
  ///
  ///     color:green,blue  #todo  -tag:old  state:orphaned  doc:essay  since:2026-01-31
  ///     text:"two words"  quote:fox  note:why  has:note  -has:tag  fox
  ///
  /// Values with a comma between them are alternatives. A `-` before a word negates it. A word
  /// without a name is a text in the quote or the note.
  ///
  /// - Throws: ``Problem`` for the first error, also if the filter has no words.
  package static func parse(_ text: String, names: Names) throws(Problem) -> [HighlightCondition] {
    guard text.utf8.count <= longest else {
      throw Problem(column: 1, reason: "it is longer than \(longest >> 10) KiB")
    }
    var scanner = FilterScanner(text)
    var conditions: [HighlightCondition] = []
    while let word = try scanner.next() {
      conditions.append(
        HighlightCondition(try test(word, names), isNegated: word.isNegated))
    }
    if conditions.isEmpty { throw Problem(column: 1, reason: "it has no words") }
    return conditions
  }

  private enum Key: String, CaseIterable {
    case color, tag, state, doc, text, quote, note, since, has
  }

  private static func test(_ word: FilterScanner.Word, _ names: Names) throws(Problem) -> Test {
    let key = word.key ?? Key.text.rawValue
    func problem(_ reason: String, _ wrong: String? = nil, among known: [String] = []) -> Problem {
      let near = wrong.flatMap { Spelling.nearest(to: $0, among: known) }
      return Problem(
        column: word.column, reason: reason, suggestion: near.map { "did you mean '\($0)'?" })
    }
    guard let key = Key(rawValue: key) else {
      let known = Key.allCases.map(\.rawValue)
      var wrong = problem("there is no '\(key):'", key, among: known)
      wrong.suggestion =
        wrong.suggestion?.replacing("'?", with: ":'?")
        ?? "there are: \(known.map { $0 + ":" }.joined(separator: ", "))"
      throw wrong
    }
    let values = word.values
    if values.contains(where: \.isEmpty) {
      throw problem("'\(key.rawValue):' needs a value")
    }
    let needles = values.map { TextNeedle($0) }
    switch key {
    case .text: return .text(needles)
    case .quote: return .quote(needles)
    case .note: return .note(needles)
    case .doc: return .document(needles)
    case .tag:
      return .tag(Set(values.map { String($0.drop { $0 == "#" }) }))
    case .color:
      var colors: Set<HighlightColor> = []
      for value in values {
        let found = names.colors(value)
        if found.isEmpty {
          throw problem("no colour or label '\(value)'", value, among: names.colorNames)
            .suggesting(names.colorNames)
        }
        colors.formUnion(found)
      }
      return .color(colors)
    case .state:
      var states: Set<AnchorState> = []
      for value in values {
        guard let state = AnchorState(rawValue: value) else {
          let known = AnchorState.allCases.map(\.rawValue)
          throw problem("there is no state '\(value)'", value, among: known).suggesting(known)
        }
        states.insert(state)
      }
      return .state(states)
    case .has:
      var properties: Set<Property> = []
      for value in values {
        guard let property = Property(rawValue: value) else {
          let known = Property.allCases.map(\.rawValue)
          throw problem("there is no property '\(value)'", value, among: known).suggesting(known)
        }
        properties.insert(property)
      }
      return .has(properties)
    case .since:
      guard values.count == 1, let date = names.date(values[0]) else {
        let value = values.joined(separator: ",")
        var wrong = problem("'\(value)' is not a date or time")
        wrong.suggestion = "write 2026-01-31, 7d or 2026-01-31T12:00:00Z"
        throw wrong
      }
      return .since(date)
    }
  }
}

extension HighlightCondition.Problem {
  /// Returns the problem with the known words as its suggestion, unless it has one.
  fileprivate func suggesting(_ known: [String]) -> Self {
    var problem = self
    problem.suggestion = suggestion ?? "there are: \(known.joined(separator: ", "))"
    return problem
  }
}

/// Splits a filter into words.
private struct FilterScanner {
  struct Word {
    /// The number of its first character in the filter, from 1.
    var column: Int
    var isNegated = false
    /// The letters before the colon, or `tag` for a word that begins with `#`; nil without either.
    var key: String?
    /// The alternatives, without quotation marks.
    var values: [String] = []
  }

  private let characters: [Character]
  private var index = 0

  init(_ text: String) { characters = Array(text) }

  private var current: Character? { index < characters.count ? characters[index] : nil }

  /// Returns the next word; nil at the end. O(length of the word).
  ///
  /// - Throws: `Problem` if a quotation mark is not closed.
  mutating func next() throws(HighlightCondition.Problem) -> Word? {
    while current?.isWhitespace == true { index += 1 }
    guard current != nil else { return nil }
    var word = Word(column: index + 1)
    if current == "-", index + 1 < characters.count, !characters[index + 1].isWhitespace {
      word.isNegated = true
      index += 1
    }
    if current == "#" {
      word.key = "tag"
      index += 1
    } else {
      word.key = key()
    }
    // Without a name, a comma is part of the text.
    let divides = word.key != nil
    repeat {
      word.values.append(try value(divides))
      guard current == ",", divides else { break }
      index += 1
    } while true
    return word
  }

  /// Consumes the letters before a colon, and the colon; nil if the word has none.
  private mutating func key() -> String? {
    var end = index
    while end < characters.count, characters[end].isLetter { end += 1 }
    guard end > index, end < characters.count, characters[end] == ":" else { return nil }
    defer { index = end + 1 }
    return String(characters[index..<end])
  }

  private mutating func value(_ divides: Bool) throws(HighlightCondition.Problem) -> String {
    var value = ""
    while let character = current, !character.isWhitespace, !(divides && character == ",") {
      let closing: Character? = character == "\"" ? "\"" : character == "“" ? "”" : nil
      guard let closing else {
        value.append(character)
        index += 1
        continue
      }
      let start = index + 1
      index += 1
      while let inner = current, inner != closing {
        index += 1
        if inner == "\\", let next = current, next == closing || next == "\\" {
          value.append(next)
          index += 1
        } else {
          value.append(inner)
        }
      }
      guard current != nil else {
        throw HighlightCondition.Problem(
          column: start, reason: "the quotation mark \(character) is not closed")
      }
      index += 1
    }
    return value
  }
}
