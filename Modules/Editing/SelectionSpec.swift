package import Model

/// A passage of a document as a user writes it. The syntax is the same in every front-end.
///
/// | form | passage |
/// |---|---|
/// | `word:12`, `words:12..19` | words of the rendered text, from 1 |
/// | `line:4`, `lines:4..7` | the rendered text of source lines, from 1 |
/// | `row:4`, `rows:4..7` | rows of the page at its current width, from 1 |
/// | `para:3`, `paras:3..5` | paragraphs, headings, code blocks and cells, from 1 |
/// | `heading:"Intro"` | the text of a heading |
/// | `section:"Intro"` | a heading and the text up to the next heading of its level |
/// | `"exact words"`, `"exact words"#2` | a quote; its second occurrence |
/// | `match:/re/`, `match:/re/#2` | the match of a regular expression; its second match |
/// | `"first words"…"last words"` | from one quote to the other; also with `...` or `..` |
/// | `"first"#2…"last"` | from the second occurrence of the first quote |
/// | `u16:120-164` | UTF-16 units of the rendered text, half-open |
/// | `hl:42` | the range of a highlight |
/// | `all` | the whole text |
///
/// Text in none of these forms is a quote, because a shell removes quotation marks. So are words
/// that only begin like another form, as in `"Good morning," she said`.
///
/// ```swift
/// let spec = try SelectionSpec(parsing: "\"exact words\"#2")
/// let range = try spec.resolve(in: document)
/// ```
package struct SelectionSpec: Hashable, Sendable, CustomStringConvertible {
  enum Form: Hashable, Sendable {
    case words(ClosedRange<Int>)
    case lines(ClosedRange<Int>)
    case rows(ClosedRange<Int>)
    case paragraphs(ClosedRange<Int>)
    case heading(String)
    case section(String)
    case quote(String, occurrence: Int?)
    case match(String, occurrence: Int?)
    case span(first: String, Int?, last: String)
    case units(Range<Int>)
    case highlight(String)
    case all
  }

  let form: Form
  /// The text that the selection was parsed from.
  package let description: String
  /// Whether a quote must begin and end at word boundaries.
  package var wholeWords = false
  /// Whether a quote that isn't found exactly may have another case, other punctuation and other
  /// accents. `difference(from:in:)` describes the difference.
  package var allowsOtherMarks = false
  /// Whether the first of several matches is selected, instead of none.
  package var takesFirst = false
  /// Why text that begins like another form is a quote; nil for all other texts.
  private(set) var problem: String?

  /// The rows of a page, from 1; nil if the selection doesn't depend on the page.
  package var rows: ClosedRange<Int>? { if case .rows(let rows) = form { rows } else { nil } }

  /// The id of a highlight as typed; nil if the selection is not that of a highlight.
  package var highlight: String? { if case .highlight(let id) = form { id } else { nil } }

  /// Whether the selection is more than unquoted words.
  package var namesItsKind: Bool {
    guard case .quote = form else { return true }
    return ["\"", "“"].contains(description.first { !$0.isWhitespace })
  }

  init(form: Form, description: String) { (self.form, self.description) = (form, description) }

  /// Parses a selection.
  ///
  /// - Throws: ``SelectionSyntaxError`` with the position and the cause, if the text is empty or
  ///   begins with a form that isn't valid.
  package init(parsing text: String) throws(SelectionSyntaxError) {
    description = text
    var parser = SpecParser(text)
    do { form = try parser.parse() } catch {
      // Words of the text may begin like a SPEC: “Good morning” she said; para:3 is a SPEC.
      guard let quote = parser.asQuote() else { throw error }
      form = quote
      problem = error.cause
    }
  }
}

/// Parses the grammar of `SelectionSpec`.
struct SpecParser {
  private let text: String
  private let characters: [Character]
  private var position = 0

  private static let keywords = [
    "word", "words", "line", "lines", "row", "rows", "para", "paras", "heading", "section", "match",
    "u16", "hl",
  ]

  init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  private func fail(_ cause: String, at place: Int? = nil) -> SelectionSyntaxError {
    SelectionSyntaxError(text, at: place ?? position, cause)
  }

  mutating func parse() throws(SelectionSyntaxError) -> SelectionSpec.Form {
    if characters.allSatisfy(\.isWhitespace) { throw fail("the selection is empty") }
    skipBlanks()
    if position > 0, Self.closing(characters[position]) == nil { position = 0 }
    if text == "all" { return .all }
    if Self.closing(characters[position]) != nil { return try quoted() }
    if let colon = text.firstIndex(of: ":") {
      let keyword = String(text[..<colon])
      let rest = text[text.index(after: colon)...]
      if Self.keywords.contains(keyword) {
        position = keyword.count + 1
        return try form(of: keyword)
      }
      let isWord = !keyword.isEmpty && keyword.allSatisfy { $0.isLetter || $0.isNumber }
      if isWord, rest.first?.isWhitespace == false,
        let near = Spelling.suggestion(
          for: keyword, among: Self.keywords, written: { "\($0):" })
      {
        throw fail("there is no '\(keyword):'; \(near)", at: 0)
      }
      // Plain words may contain a colon, but a number or quote after it is probably a mistyped
      // keyword.
      if isWord, rest.wholeMatch(of: #/[0-9]+((\.\.\.?|…|-)[0-9]+)?|["“].+/#) != nil {
        let kinds = Self.keywords.joined(separator: ", ")
        throw fail("there is no '\(keyword):'; the kinds are \(kinds), and \"words\"", at: 0)
      }
    }
    return .quote(text, occurrence: nil)
  }

  private mutating func form(of keyword: String) throws(SelectionSyntaxError) -> SelectionSpec.Form
  {
    switch keyword {
    case "word", "words": return .words(try numbers())
    case "line", "lines": return .lines(try numbers())
    case "row", "rows": return .rows(try numbers())
    case "para", "paras": return .paragraphs(try numbers())
    case "heading": return .heading(try name())
    case "section": return .section(try name())
    case "match": return try pattern()
    case "hl":
      let id = String(characters[position...])
      guard !id.isEmpty else { throw fail("a highlight's id is missing after 'hl:'") }
      return .highlight(id)
    default: return .units(try units())
    }
  }

  private mutating func number() throws(SelectionSyntaxError) -> Int {
    let start = position
    while position < characters.count, characters[position].isASCII, characters[position].isNumber {
      position += 1
    }
    guard let value = Int(String(characters[start..<position])) else {
      throw fail("a number is missing", at: start)
    }
    return value
  }

  private mutating func skip(_ text: String) -> Bool {
    let wanted = Array(text)
    guard characters[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  private mutating func skipBlanks() {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
  }

  private mutating func skipDots() -> Bool { skip("…") || skip("...") || skip("..") }

  private mutating func numbers() throws(SelectionSyntaxError) -> ClosedRange<Int> {
    let start = position
    let written = text.drop { $0 != ":" }.dropFirst()
    if written.first?.isWhitespace == true, written.trimmed.wholeMatch(of: #/[0-9.…-]+/#) != nil {
      throw fail("write \(text.prefix { $0 != ":" }):\(written.trimmed), without a blank")
    }
    let first = try number()
    guard first >= 1 else { throw fail("counting begins with 1", at: start) }
    var last = first
    if skipDots() || skip("-") { last = try number() }
    if position < characters.count, characters[position] == "," {
      let end = text.split { !$0.isNumber }.last ?? ""
      throw fail("a SPEC is one passage; a range is \(text.prefix { $0 != ":" }):\(first)..\(end)")
    }
    try expectEnd()
    guard last >= 1 else { throw fail("counting begins with 1") }
    guard first <= last else { throw fail(reversed("\(last)..\(first)"), at: start) }
    return first...last
  }

  private mutating func units() throws(SelectionSyntaxError) -> Range<Int> {
    let start = position
    let first = try number()
    guard skip("-") || skipDots() else { throw fail("'-' and the end are missing") }
    let last = try number()
    try expectEnd()
    guard first <= last else { throw fail(reversed("\(last)-\(first)"), at: start) }
    return first..<last
  }

  /// Returns the error text for a range whose end is before its start, with the same range in
  /// order.
  private func reversed(_ range: String) -> String {
    let keyword = text.prefix { $0 != ":" }
    return "the end is before the start; write \(keyword):\(range)"
  }

  private mutating func name() throws(SelectionSyntaxError) -> String {
    let name: String
    if position < characters.count, Self.closing(characters[position]) != nil {
      name = try quotation()
      try expectEnd()
    } else {
      name = String(characters[position...])
    }
    guard !name.allSatisfy(\.isWhitespace) else { throw fail("a heading's text is missing") }
    return name
  }

  /// Parses a pattern between slashes. A slash in the pattern is escaped with a backslash.
  private mutating func pattern() throws(SelectionSyntaxError) -> SelectionSpec.Form {
    let start = position
    guard skip("/") else { throw fail("put the pattern between slashes: match:/colou?r/") }
    var pattern = ""
    var isClosed = false
    while position < characters.count, !isClosed {
      let character = characters[position]
      position += 1
      if character == "/" {
        isClosed = true
      } else if character == "\\", position < characters.count {
        if characters[position] != "/" { pattern.append(character) }
        pattern.append(characters[position])
        position += 1
      } else {
        pattern.append(character)
      }
    }
    guard isClosed else { throw fail("the slash after the pattern is missing", at: start) }
    guard !pattern.isEmpty else { throw fail("there is no pattern between the slashes", at: start) }
    return .match(pattern, occurrence: try occurrence())
  }

  /// Parses `#` and a number at the end; nil at the end of the text.
  private mutating func occurrence() throws(SelectionSyntaxError) -> Int? {
    guard position < characters.count else { return nil }
    guard skip("#") else { throw fail("only '#' and a number can follow") }
    let ordinal = try ordinal()
    try expectEnd()
    return ordinal
  }

  /// Parses a number after `#`.
  private mutating func ordinal() throws(SelectionSyntaxError) -> Int {
    let place = position
    let ordinal = try number()
    guard ordinal >= 1 else { throw fail("counting begins with 1", at: place) }
    return ordinal
  }

  private func expectEnd() throws(SelectionSyntaxError) {
    if position < characters.count {
      throw fail("unexpected '\(String(characters[position...]))'")
    }
  }

  private static func closing(_ open: Character) -> Character? {
    switch open {
    case "\"": "\""
    case "“": "”"
    default: nil
    }
  }

  private mutating func quotation() throws(SelectionSyntaxError) -> String {
    let start = position
    guard let close = Self.closing(characters[position]) else { throw fail("a quote is missing") }
    position += 1
    var result = ""
    while position < characters.count {
      let character = characters[position]
      position += 1
      if character == close {
        guard !result.allSatisfy(\.isWhitespace) else {
          throw fail("there is nothing between the quotation marks", at: start)
        }
        return result
      }
      if character == "\\", position < characters.count,
        characters[position] == close || characters[position] == "\\"
      {
        result.append(characters[position])
        position += 1
      } else {
        result.append(character)
      }
    }
    throw fail("the quotation mark is not closed", at: start)
  }

  private mutating func quoted() throws(SelectionSyntaxError) -> SelectionSpec.Form {
    let first = try quotation()
    let end = position
    skipBlanks()
    if position == characters.count { return .quote(first, occurrence: nil) }
    let occurrence = skip("#") ? try ordinal() : nil
    if occurrence != nil {
      skipBlanks()
      if position == characters.count { return .quote(first, occurrence: occurrence) }
    }
    guard skipDots() else { throw fail("after a quote, only #2 or …\"words\" can follow") }
    guard position < characters.count else {
      position = end
      throw fail("after a quote, only #2 or …\"words\" can follow")
    }
    skipBlanks()
    guard position < characters.count else { throw fail("a quote is missing") }
    let last = try quotation()
    skipBlanks()
    // The number may also be at the end, as after one quote.
    let number = occurrence == nil && skip("#") ? try ordinal() : nil
    try expectEnd()
    return .span(first: first, occurrence ?? number, last: last)
  }
}

extension SpecParser {
  /// Returns the text as a quote if it may be one, although it begins like another form: if it has
  /// several words, or one with quotation marks and punctuation, as in `"Yes".`. The number of an
  /// occurrence may follow a quotation mark at the end.
  func asQuote() -> SelectionSpec.Form? {
    let hasWords = text.contains { $0.isLetter || $0.isNumber }
    let isDivided = text.trimmed.contains(where: \.isWhitespace)
    let isQuotation =
      NearPassage.inner(of: text.trimmed) != nil
      || text.wholeMatch(of: #/\s*["“][^"”]+["”][.,;:!?)\]]\s*/#) != nil
    guard hasWords, isDivided || isQuotation else { return nil }
    if let parts = text.wholeMatch(of: #/\s*(["“].*["”])#([1-9][0-9]*)\s*/#.dotMatchesNewlines()),
      let occurrence = Int(parts.2)
    {
      return .quote(String(parts.1), occurrence: occurrence)
    }
    return .quote(text, occurrence: nil)
  }
}

extension SelectionSpec {
  /// Creates the selection of a range of UTF-16 units, equivalent to `u16:120-164`.
  package init(units range: TextRange) {
    self.init(form: .units(range.utf16), description: range.description)
  }

  /// Creates the selection of a highlight's range, equivalent to `hl:42-…`.
  package init(highlight id: Highlight.ID) {
    self.init(form: .highlight(id.description), description: "hl:\(id)")
  }
}
