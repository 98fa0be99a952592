import Rendering

/// Scanning of languages in which lines matter.
extension CodeScanner {
  /// Scans syntax that is only recognised at the start of a line. Returns false if there is none.
  mutating func scanLineStart() -> Bool {
    let start = place
    if traits.contains(.preprocessor), code[place] == 35 {
      place += 1
      skipBlanks()
      let word = place
      while place < end, code[place].isLetter { place += 1 }
      let isInclude = code[word..<place].starts(with: "include".utf16)
      add(start, .meta)
      skipBlanks()
      if isInclude, unit() == 60 {
        let name = place
        while place < end, code[place] != 62, code[place] != 10 { place += 1 }
        if unit() == 62 { place += 1 }
        add(name, .string)
      }
      isAtLineStart = false
      return true
    }
    if traits.contains(.sections), code[place] == 91 {
      let name = unit(1) == 91 ? unit(2) : unit(1)
      guard name.isLetter || name == 34 else { return false }
      while place < end, code[place] != 10, code[place] != 35 { place += 1 }
      add(start, .type)
      return true
    }
    guard traits.contains(.colonKeys) || traits.contains(.equalsKeys), scanLineKey() else {
      return false
    }
    isAtLineStart = false
    return true
  }

  /// Scans the key of `name: value` or `name = value`. Returns false, without consuming anything,
  /// for other lines.
  private mutating func scanLineKey() -> Bool {
    let begin = place
    while traits.contains(.colonKeys), unit() == 45 || unit() == 63, unit(1).isBlank {
      place += 1
      skipBlanks()
    }
    let start = place
    let first = unit()
    let isRecipe = traits.contains(.dollars) && start > 0 && code[start - 1] == 9
    guard first.isLetter || first.isDigit || [46, 47, 36, 60].contains(first), !isRecipe else {
      return place > begin
    }
    var index = place
    while index < end, code[index] != 10 {
      let unit = code[index]
      if unit == 35, index > 0, code[index - 1].isBlank { break }
      let next = index + 1 < end ? code[index + 1] : 10
      let isKey =
        unit == 61 && traits.contains(.equalsKeys)
        || unit == 58 && traits.contains(.colonKeys) && (next.isBlank || next == 10 || next == 61)
      if isKey {
        place = index
        while place > start, [32, 9, 43, 58, 63, 33].contains(code[place - 1]) { place -= 1 }
        add(start, .key)
        place = index + 1
        return true
      }
      index += 1
    }
    return place > begin
  }

  // MARK: - Diffs

  mutating func scanDiff() {
    while place < end {
      let start = place
      let first = code[place]
      let isFile =
        [43, 45].contains(first) && unit(1) == first && unit(2) == first && unit(3) == 32
      skipLine()
      switch first {
      case _ where isFile: add(start, .keyword)
      case 43, 62: add(start, .added)
      case 45, 60: add(start, .removed)
      case 64: add(start, .meta)
      case 32, 10, 92: break
      default: add(start, .keyword)
      }
      if place < end { place += 1 }
    }
  }

  // MARK: - Shell sessions

  /// The maximum length of a prompt in UTF-16 units.
  private static let longestPrompt = 80

  mutating func scanConsole(_ shell: CompiledLanguage) {
    while place < end {
      let start = place
      if let prompt = promptEnd() {
        place = prompt
        add(start, .meta)
        let command = place
        skipLine()
        var scanner = CodeScanner(shell, code, in: command..<place)
        scanner.scan()
        parts += scanner.parts
      } else {
        skipLine()
      }
      if place < end { place += 1 }
    }
  }

  /// Returns the end of a prompt at the start of a line, or nil for a line of output.
  private func promptEnd() -> Int? {
    var index = place
    while index < end, index - place < Self.longestPrompt, code[index] != 10 {
      let isSign = [36, 35, 37, 62].contains(code[index])
      let isLast = index + 1 >= end || code[index + 1] == 32 || code[index + 1] == 10
      if isSign, isLast {
        // A name before the prompt character has the form `user@host:~/folder`.
        let name = code[place..<index]
        let isName = name.isEmpty || name.contains(64) || name.allSatisfy { $0 == 62 }
        return isName ? min(end, index + 2) : nil
      }
      index += 1
    }
    return nil
  }

  // MARK: - Markdown

  mutating func scanMarkdown() {
    var fence: (sign: UInt16, count: Int)?
    while place < end {
      skipBlanks()
      let start = place
      let sign = unit()
      var count = 0
      while unit(count) == sign, sign != 0, sign != 10 { count += 1 }
      if [96, 126].contains(sign), count >= 3 {
        let isClose = fence.map { $0.sign == sign && count >= $0.count } ?? false
        if fence == nil { fence = (sign, count) } else if isClose { fence = nil }
        skipLine()
        add(start, .meta)
      } else if fence != nil {
        skipLine()
        add(start, .string)
      } else if sign == 35, count <= 6, [32, 10, 0].contains(unit(count)) {
        skipLine()
        add(start, .keyword)
      } else if sign == 62 {
        skipLine()
        add(start, .comment)
      } else {
        if [45, 42, 43].contains(sign), unit(1) == 32 {
          place += 1
          add(start, .keyword)
        }
        scanSpans()
      }
      if place < end { place += 1 }
    }
  }

  /// Scans code spans and link destinations up to the end of the line.
  private mutating func scanSpans() {
    var codeLimit = 0
    while place < end, code[place] != 10 {
      let start = place
      switch code[place] {
      case 92: place = min(end, place + 2)
      case 96 where place >= codeLimit:
        var index = place + 1
        while index < end, code[index] != 96, code[index] != 10 { index += 1 }
        if index < end, code[index] == 96 {
          place = index + 1
          add(start, .string)
        } else {
          codeLimit = index
          place += 1
        }
      case 93 where unit(1) == 40:
        place += 2
        let address = place
        while place < end, code[place] != 41, code[place] != 10 { place += 1 }
        add(address, .variable)
      default: place += 1
      }
    }
  }
}
