import Rendering

/// Scans code from start to end in one pass.
///
/// Backtracking is limited to a bounded number of units, or to once for each line, so that scanning
/// any text is O(units).
struct CodeScanner {
  let language: CompiledLanguage
  let traits: CodeLanguage.Traits
  let code: [UInt16]
  /// The end of the range to scan.
  let end: Int
  var place: Int
  var parts: [CodePart] = []
  /// Whether the current line contains only white space so far.
  var isAtLineStart = true
  /// Whether a command can begin here.
  var expectsCommand = true
  /// The last unit that isn't white space, or 0 at the start.
  var last: UInt16 = 0
  /// Whether the last word was a keyword.
  var isAfterKeyword = false
  /// Whether the last word was a keyword that is followed by a function's name.
  var isAfterDefinition = false
  /// The delimiter of the string that begins on the next line; empty if there is none.
  var heredoc: [UInt16] = []
  /// The offset before which no regular expression ends.
  var patternLimit = 0
  /// The number of open braces.
  var depth = 0

  init(_ language: CompiledLanguage, _ code: [UInt16], in range: Range<Int>? = nil) {
    self.language = language
    traits = language.row.traits
    self.code = code
    (place, end) = (range?.lowerBound ?? 0, range?.upperBound ?? code.count)
  }

  /// Returns the unit at an offset from the current position, or 0 beyond the end.
  func unit(_ offset: Int = 0) -> UInt16 { place + offset < end ? code[place + offset] : 0 }

  mutating func add(_ start: Int, _ kind: CodeKind) {
    guard start < place else { return }
    // Merge adjacent parts of the same kind.
    if let last = parts.last, last.kind == kind, Int(last.end) == start {
      parts[parts.count - 1].end = Int32(place)
    } else {
      parts.append(CodePart(start..<place, kind))
    }
  }

  /// Returns whether the code contains some units at a place.
  func matches(_ units: [UInt16], at place: Int) -> Bool {
    guard place + units.count <= end else { return false }
    for index in units.indices where code[place + index] != units[index] { return false }
    return true
  }

  mutating func skipLine() {
    while place < end, code[place] != 10 { place += 1 }
  }

  mutating func skipBlanks() {
    while place < end, code[place].isBlank { place += 1 }
  }

  // MARK: - Code

  mutating func scan() {
    while place < end {
      let unit = code[place]
      if unit == 10 {
        place += 1
        beginLine()
        continue
      }
      if unit.isBlank {
        place += 1
        continue
      }
      if isAtLineStart, scanLineStart() { continue }
      let start = place
      if language.mayStart(unit), scanStarter() {
      } else if unit.isDigit {
        scanNumber()
        add(start, .number)
      } else if unit.isLetter {
        scanName()
      } else if !scanSpecial(unit), place == start {
        place += 1
      }
      isAtLineStart = false
      last = code[place - 1]
    }
  }

  private mutating func beginLine() {
    (isAtLineStart, expectsCommand) = (true, true)
    guard !heredoc.isEmpty else { return }
    let start = place
    while place < end {
      skipBlanks()
      let isEnd = matches(heredoc, at: place)
      if isEnd { place += heredoc.count }
      let isWhole = isEnd && (place >= end || !language.isInName(code[place]))
      if isWhole { break }
      skipLine()
      if place < end { place += 1 }
    }
    heredoc = []
    isAtLineStart = false
    add(start, .string)
  }

  /// Scans a comment or a string that begins here. Returns false if none does.
  private mutating func scanStarter() -> Bool {
    for starter in language.starters(at: code[place]) where matches(starter.open, at: place) {
      let start = place
      switch starter.kind {
      case .lineComment:
        if traits.contains(.spacedComments), start > 0, !code[start - 1].isBlank,
          code[start - 1] != 10
        {
          continue
        }
        place += starter.open.count
        if traits.contains(.longBrackets), scanLongBrackets() {
        } else {
          skipLine()
        }
        add(start, .comment)
      case .blockComment(let close, let nests):
        place += starter.open.count
        skipBlock(starter.open, close, nests)
        add(start, .comment)
      case .text(let close, let text):
        if starter.open == [39], traits.contains(.letters) { continue }
        scanText(close, text, from: start, opening: starter.open.count)
        expectsCommand = false
        isAfterKeyword = false
      }
      return true
    }
    return false
  }

  private mutating func skipBlock(_ open: [UInt16], _ close: [UInt16], _ nests: Bool) {
    var depth = 1
    while place < end {
      if code[place] == close[0], matches(close, at: place) {
        place += close.count
        depth -= 1
        if depth == 0 { return }
      } else if nests, code[place] == open[0], matches(open, at: place) {
        place += open.count
        depth += 1
      } else {
        place += 1
      }
    }
  }

  // MARK: - Words and numbers

  private mutating func scanNumber() {
    let isHex = code[place] == 48 && [120, 88].contains(unit(1))
    while place < end {
      let unit = code[place]
      let isSign = [43, 45].contains(unit)
      if isSign {
        guard !isHex, [101, 69].contains(code[place - 1]), self.unit(1).isDigit else { return }
      } else if unit == 46 {
        guard self.unit(1).isDigit else { return }
      } else if unit == 37, traits.contains(.styles) {
        place += 1
        return
      } else if !unit.isDigit && !unit.isLetter {
        return
      }
      place += 1
    }
  }

  private mutating func scanName() {
    let start = place
    while place < end, language.isInName(code[place]) { place += 1 }
    // Punctuation at the end of a sentence isn't part of the word.
    while place > start + 1, [45, 46].contains(code[place - 1]) { place -= 1 }
    if isPrefix(start), scanPrefixedText(from: start) { return }
    let isMember = start > 0 && code[start - 1] == 46 && traits.contains(.calls)
    let isFirst = isAtLineStart || !traits.contains(.lineKeywords)
    let known = isMember || !isFirst ? nil : language.kind(of: code[start..<place])
    let isDefined = isAfterDefinition && traits.contains(.calls)
    isAfterKeyword = known == .keyword
    isAfterDefinition = isAfterKeyword && isOne(of: Self.definitions, start)
    if traits.contains(.pairKeys), isBeforeColon(isText: false) {
      return add(start, .key)
    }
    if traits.contains(.styles) { return scanStyleName(start, known) }
    if let known {
      // A command follows `then`, but not `for`.
      expectsCommand =
        traits.contains(.commands) && known == .keyword && !isOne(of: Self.naming, start)
      return add(start, known)
    }
    if traits.contains(.commands) {
      if expectsCommand, unit() == 61 { return add(start, .variable) }
      if expectsCommand { add(start, .function) }
      expectsCommand = false
      return
    }
    let isMacro = traits.contains(.bangs) && unit() == 33 && unit(1) != 61
    let isCall =
      isDefined || traits.contains(.calls) && unit() == 40
      || traits.contains(.callsInside) && start > 0 && code[start - 1] == 40
    if traits.contains(.capitalTypes), code[start].isCapital {
      add(start, place - start > 1 && isConstant(start) ? .number : .type)
    } else if isCall || isMacro {
      add(start, .function)
    }
  }

  private static let definitions = ["func", "fn", "fun", "def", "function", "defp", "sub", "proc"]
  /// The keywords that are followed by a name instead of a command.
  private static let naming = [
    "for", "in", "case", "function", "select", "export", "local", "declare", "readonly",
  ]

  private func isOne(of words: [String], _ start: Int) -> Bool {
    let word = code[start..<place]
    return words.contains { word.elementsEqual($0.utf16) }
  }

  private func isConstant(_ start: Int) -> Bool {
    code[start..<place].allSatisfy { $0.isCapital || $0.isDigit || $0 == 95 }
  }

  /// Returns whether `:` follows. After a name, white space must follow the `:`.
  private func isBeforeColon(isText: Bool) -> Bool {
    var index = place
    while index < end, code[index].isBlank { index += 1 }
    guard index < end, code[index] == 58 else { return false }
    return isText || index + 1 >= end || code[index + 1].isBlank || code[index + 1] == 10
  }

  /// Adds a string, which may be a key.
  mutating func endText(from start: Int) {
    add(start, traits.contains(.pairKeys) && isBeforeColon(isText: true) ? .key : .string)
  }
}
