package import FoundationEssentials

extension HighlightCondition {
  /// An error in a filter.
  package struct Problem: Error, Hashable, Sendable {
    /// The number of the character at which the error is, from 1.
    package var column: Int
    /// A description of the error.
    package var reason: String
    /// A suggestion, or nil.
    package var suggestion: String?
  }

  /// The meaning of words that depend on the library and the clock.
  package struct Names: Sendable {
    /// Returns the colours with a name or label; empty for an unknown one.
    package var colors: @Sendable (String) -> [HighlightColor]
    /// The names that `colors` knows, for the error.
    package var colorNames: [String]
    /// Parses a time such as `2026-01-31`; nil for other texts.
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
    /// Returns the problem of an unknown name, with the nearest known one or all of them.
    func unknown(_ reason: String, _ name: String, _ known: [String], end: String = "") -> Problem {
      Problem(
        column: word.column, reason: reason,
        suggestion: Spelling.suggestion(for: name, among: known, written: { $0 + end })
          ?? "there are: \(known.map { $0 + end }.joined(separator: ", "))")
    }
    /// Returns the values as cases of an enumeration.
    func members<Member: RawRepresentable<String> & CaseIterable & Hashable>(
      _ noun: String
    ) throws(Problem) -> Set<Member> {
      var members: Set<Member> = []
      for value in word.values {
        guard let member = Member(rawValue: value) else {
          throw unknown(
            "there is no \(noun) '\(value)'", value, Member.allCases.map(\.rawValue))
        }
        members.insert(member)
      }
      return members
    }
    guard let key = Key(rawValue: key) else {
      throw unknown("there is no '\(key):'", key, Key.allCases.map(\.rawValue), end: ":")
    }
    let values = word.values
    if values.contains(where: \.isEmpty) {
      throw Problem(column: word.column, reason: "'\(key.rawValue):' needs a value")
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
          throw unknown("no colour or label '\(value)'", value, names.colorNames)
        }
        colors.formUnion(found)
      }
      return .color(colors)
    case .state: return .state(try members("state"))
    case .has: return .has(try members("property"))
    case .since:
      guard values.count == 1, let date = names.date(values[0]) else {
        throw Problem(
          column: word.column,
          reason: "'\(values.joined(separator: ","))' is not a date or time",
          suggestion: "write 2026-01-31, 7d or 2026-01-31T12:00:00Z")
      }
      return .since(date)
    }
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
