import Rendering

/// Scanning of markup and style sheets.
extension CodeScanner {
  mutating func scanMarkup() {
    while place < end {
      let start = place
      switch code[place] {
      case 60 where matches([60, 33, 45, 45], at: place):
        place += 4
        skip(to: [45, 45, 62])
        add(start, .comment)
      case 60 where matches(Array("<![CDATA[".utf16), at: place):
        place += 9
        skip(to: [93, 93, 62])
        add(start, .string)
      case 60 where unit(1) == 33 || unit(1) == 63:
        while place < end, code[place] != 62 { place += 1 }
        place = min(end, place + 1)
        add(start, .meta)
      case 60 where unit(1).isLetter || unit(1) == 47: scanElement()
      case 38:
        // The longest name of a character reference has 31 letters.
        var length = 1
        while length < 33, unit(length).isLetter || unit(length).isDigit || unit(length) == 35 {
          length += 1
        }
        let isReference = length > 1 && unit(length) == 59
        place += isReference ? length + 1 : 1
        if isReference { add(start, .number) }
      default: place += 1
      }
    }
  }

  private mutating func skip(to close: [UInt16]) {
    while place < end, !(code[place] == close[0] && matches(close, at: place)) { place += 1 }
    place = min(end, place + close.count)
  }

  private mutating func scanElement() {
    var start = place
    let isClosing = unit(1) == 47
    place += isClosing ? 2 : 1
    let first = place
    while place < end, isMarkupName(code[place]) { place += 1 }
    let name = String(decoding: code[first..<min(place, first + 16)], as: UTF16.self).lowercased()
    add(start, .tag)
    while place < end, code[place] != 62, code[place] != 60 {
      start = place
      switch code[place] {
      case 34, 39:
        let quote = code[place]
        place += 1
        while place < end, code[place] != quote { place += 1 }
        place = min(end, place + 1)
        add(start, .string)
      case let unit where isMarkupName(unit):
        while place < end, isMarkupName(code[place]) { place += 1 }
        add(start, .key)
      default: place += 1
      }
    }
    guard unit() == 62 else { return }
    // The slash of `/>` belongs to the tag's end.
    let isEmpty = place > first && code[place - 1] == 47
    start = isEmpty ? place - 1 : place
    place += 1
    add(start, .tag)
    if !isClosing, !isEmpty, name == "script" || name == "style" {
      // The contents are in another language: skip them.
      while place < end, !(code[place] == 60 && unit(1) == 47) { place += 1 }
    }
  }

  private func isMarkupName(_ unit: UInt16) -> Bool {
    unit.isLetter || unit.isDigit || [45, 58, 46, 64].contains(unit)
  }

  // MARK: - Style sheets

  mutating func scanStyleName(_ start: Int, _ known: CodeKind?) {
    if start + 1 < place, code[start] == 45, code[start + 1] == 45 { return add(start, .variable) }
    if unit() == 40 { return add(start, .function) }
    if depth == 0 { return add(start, .tag) }
    var index = place
    while index < end, code[index].isBlank { index += 1 }
    if index < end, code[index] == 58 { return add(start, .key) }
    if let known { add(start, known) }
  }

  /// Scans `.name` and `#name` in a selector, or a colour such as `#fff`. Returns false for
  /// anything else.
  mutating func scanStyleSign(_ unit: UInt16) -> Bool {
    let start = place
    guard self.unit(1).isLetter || self.unit(1) == 45 || unit == 35 && self.unit(1).isDigit else {
      return false
    }
    place += 1
    while place < end, language.isInName(code[place]) { place += 1 }
    let isColor = unit == 35 && depth > 0
    add(start, isColor ? .number : .type)
    return true
  }
}
