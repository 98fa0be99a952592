import Rendering

extension CodeScanner {
  /// Scans a string up to its end, or up to the end of the line if it can't contain line ends.
  mutating func scanText(
    _ close: [UInt16], _ text: CodeLanguage.Text, from begin: Int, opening: Int
  ) {
    var start = begin
    place = begin + opening
    while place < end {
      let unit = code[place]
      if text.escapes, unit == 92 {
        place = min(end, place + 2)
      } else if unit == close[0], matches(close, at: place) {
        place += close.count
        endText(from: start)
        return
      } else if unit == 10, !text.spansLines {
        break
      } else if text.hasVariables, unit == 36, isVariable {
        add(start, .string)
        scanVariable()
        start = place
      } else {
        place += 1
      }
    }
    add(start, .string)
  }

  // MARK: - Variables

  /// Whether the dollar sign at the current position begins a variable.
  private var isVariable: Bool {
    let next = unit(1)
    return next.isLetter || next == 123 || next == 40 && traits.contains(.equalsKeys)
      || traits.contains(.commands) && (next.isDigit || [33, 35, 36, 42, 63, 64].contains(next))
  }

  private mutating func scanVariable() {
    let start = place
    place += 1
    switch unit() {
    case 123, 40:
      let close: UInt16 = unit() == 123 ? 125 : 41
      while place < end, code[place] != close, code[place] != 10 { place += 1 }
      if place < end, code[place] == close { place += 1 }
    case let next where next.isLetter:
      while place < end, code[place].isLetter || code[place].isDigit { place += 1 }
    default: place += 1
    }
    add(start, .variable)
  }

  // MARK: - Signs

  /// Scans syntax that begins with a punctuation mark. Returns false if the mark has no special
  /// meaning.
  mutating func scanSpecial(_ unit: UInt16) -> Bool {
    let start = place
    switch unit {
    case 36 where traits.contains(.dollars) && isVariable:
      scanVariable()
      expectsCommand = false
    case 64 where traits.contains(.atNames) && self.unit(1).isLetter:
      place += 1
      while place < end, code[place].isLetter || code[place].isDigit || code[place] == 45 {
        place += 1
      }
      add(start, traits.contains(.dollars) ? .variable : .meta)
    case 39 where traits.contains(.letters): scanLetter()
    case 35 where traits.contains(.hashTexts): return scanHashText(from: start)
    case 35 where traits.contains(.styles), 46 where traits.contains(.styles):
      return scanStyleSign(unit)
    case 91 where traits.contains(.longBrackets):
      guard scanLongBrackets() else { return false }
      add(start, .string)
    case 60 where traits.contains(.heredocs): return scanHeredoc()
    case 58 where traits.contains(.symbols):
      guard self.unit(1).isLetter, last != 58 || start > 0 && code[start - 1].isBlank else {
        return false
      }
      place += 1
      while place < end, language.isInName(code[place]) { place += 1 }
      add(start, .number)
    case 92 where traits.contains(.backslashes):
      place += 1
      if self.unit().isLetter {
        while place < end, code[place].isLetter { place += 1 }
      } else {
        place = min(end, place + 1)
      }
      add(start, .keyword)
    case 45 where traits.contains(.options):
      guard start == 0 || code[start - 1].isBlank, self.unit(1).isLetter || self.unit(1) == 45
      else { return false }
      while place < end, code[place].isLetter || code[place].isDigit || code[place] == 45 {
        place += 1
      }
      add(start, .key)
      expectsCommand = false
    case 47 where traits.contains(.patterns): return scanPattern()
    case 123, 125:
      depth = max(0, depth + (unit == 123 ? 1 : -1))
      expectsCommand = true
      return false
    case 124, 59, 38, 40, 96:
      expectsCommand = true
      return false
    default:
      if unit != 33 { expectsCommand = false }
      return false
    }
    return true
  }

  /// Scans a character literal such as `'a'` and `'\n'`, or a lifetime or type variable such as
  /// `'a`.
  private mutating func scanLetter() {
    let start = place
    var length = 2
    if unit(1) == 92 {
      // The longest literal is '\u{10FFFF}'.
      length = 3
      while length < 12, unit(length) != 39, unit(length) != 10 { length += 1 }
    } else if UTF16.isLeadSurrogate(unit(1)) {
      length = 3
    }
    if unit(1) != 39, unit(length) == 39 {
      place += length + 1
      add(start, .string)
      return
    }
    place += 1
    while place < end, code[place].isLetter || code[place].isDigit { place += 1 }
    if place > start + 1 { add(start, .type) }
  }

  /// Scans `#"…"#` and `#"""…"""#`, or a directive `#word`.
  private mutating func scanHashText(from start: Int) -> Bool {
    while unit() == 35 { place += 1 }
    let count = place - start
    if unit() == 34 {
      skipHashText(count)
      add(start, .string)
    } else if unit().isLetter {
      while place < end, code[place].isLetter || code[place].isDigit { place += 1 }
      add(start, .meta)
    }
    return true
  }

  /// Skips from the opening quote to the closing quote that is followed by `count` number signs.
  private mutating func skipHashText(_ count: Int) {
    let isLong = unit(1) == 34 && unit(2) == 34
    let close: [UInt16] = (isLong ? [34, 34, 34] : [34]) + Array(repeating: 35, count: count)
    place += isLong ? 3 : 1
    // Each run of number signs after a quote is counted only once, so that this is O(units) for any
    // `count`.
    while place < end, isLong || traits.contains(.rawHashTexts) || code[place] != 10 {
      guard code[place] == 34 else {
        place += 1
        continue
      }
      let quotes = place
      while unit() == 34 { place += 1 }
      let hasQuotes = place - quotes >= (isLong ? 3 : 1)
      let start = place
      while unit() == 35, place - start < count { place += 1 }
      if hasQuotes, place - start == count, close.count > 0 { return }
    }
  }

  /// Scans from `[=[` to `]=]`. Returns false, after consuming the equals signs, if there is no
  /// second bracket.
  mutating func scanLongBrackets() -> Bool {
    guard unit() == 91 else { return false }
    let start = place
    place += 1
    while unit() == 61 { place += 1 }
    let level = place - start - 1
    guard unit() == 91 else { return false }
    place += 1
    while place < end {
      guard code[place] == 93 else {
        place += 1
        continue
      }
      place += 1
      let equalsStart = place
      while unit() == 61 { place += 1 }
      if place - equalsStart == level, unit() == 93 {
        place += 1
        break
      }
    }
    return true
  }

  /// Scans `<<END` and stores the delimiter of the string that begins on the next line.
  private mutating func scanHeredoc() -> Bool {
    guard unit(1) == 60 else { return false }
    var ahead = unit(2) == 60 ? 3 : 2
    let isMarked = [45, 126].contains(unit(ahead)) || ahead == 3
    if [45, 126].contains(unit(ahead)) { ahead += 1 }
    let isQuoted = [34, 39].contains(unit(ahead))
    if isQuoted { ahead += 1 }
    var name: [UInt16] = []
    while name.count < 64, unit(ahead).isLetter || unit(ahead).isDigit && !name.isEmpty {
      name.append(unit(ahead))
      ahead += 1
    }
    // Except in commands, `a <<b` may be a shift.
    let isSure = isMarked || isQuoted || traits.contains(.commands) || name.first?.isCapital == true
    guard !name.isEmpty, isSure else { return false }
    let start = place
    place = min(end, place + ahead + (isQuoted ? 1 : 0))
    heredoc = name
    add(start, .string)
    return true
  }

  /// Scans a regular expression in the position of an operand.
  private mutating func scanPattern() -> Bool {
    let operators: [UInt16] = Array("(,=:[!&|?{};+-*%~^<>".utf16)
    guard place >= patternLimit, isAtLineStart || isAfterKeyword || operators.contains(last) else {
      return false
    }
    var index = place + 1
    var isInClass = false
    while index < end, code[index] != 10 {
      let unit = code[index]
      if unit == 92 {
        index += 1
      } else if unit == 91 {
        isInClass = true
      } else if unit == 93 {
        isInClass = false
      } else if unit == 47, !isInClass {
        let start = place
        place = index + 1
        while place < end, code[place].isSmall { place += 1 }
        add(start, .string)
        return true
      }
      index += 1
    }
    // No regular expression ends on this line, so don't search it again.
    patternLimit = min(index, end)
    return false
  }

  // MARK: - Prefixed strings

  /// Returns whether a name may be the prefix of a string.
  func isPrefix(_ start: Int) -> Bool {
    place - start <= 3 && [34, 39, 35].contains(unit())
  }

  private static let prefixes: Set<String> = [
    "r", "b", "f", "u", "br", "rb", "fr", "rf", "l", "u8", "lr", "ur", "u8r", "n", "e", "x", "c",
    "cr", "s", "raw",
  ]

  mutating func scanPrefixedText(from start: Int) -> Bool {
    let name = String(decoding: code[start..<place], as: UTF16.self).lowercased()
    guard Self.prefixes.contains(name) else { return false }
    if traits.contains(.rawHashTexts), name.contains("r") {
      let first = place
      while unit() == 35 { place += 1 }
      if unit() == 34 {
        skipHashText(place - first)
        add(start, .string)
        return true
      }
      return place > first
    }
    if traits.contains(.rawDelimited), name.hasSuffix("r"), unit() == 34 {
      return scanDelimited(from: start)
    }
    for starter in language.starters(at: unit()) where matches(starter.open, at: place) {
      guard case .text(let close, let text) = starter.kind, !traits.contains(.commands) else {
        continue
      }
      scanText(close, text, from: start, opening: place - start + starter.open.count)
      return true
    }
    return false
  }

  /// Scans `R"name(…)name"`.
  private mutating func scanDelimited(from start: Int) -> Bool {
    var name: [UInt16] = []
    var index = place + 1
    while index < end, name.count < 17, code[index] != 40 {
      name.append(code[index])
      index += 1
    }
    guard index < end, code[index] == 40, name.count < 17 else { return false }
    let close: [UInt16] = [41] + name + [34]
    place = index + 1
    while place < end, !(code[place] == 41 && matches(close, at: place)) { place += 1 }
    place = min(end, place + close.count)
    add(start, .string)
    return true
  }
}
