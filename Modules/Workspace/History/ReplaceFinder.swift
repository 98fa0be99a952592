import Editing
import MarkdownParse
import Model
import Search
import SystemSupport

/// Finds what is to be replaced, with what is to stand there.
struct ReplaceFinder {
  private let request: ReplaceRequest
  private let strategy: any SearchStrategy
  private let template: ReplacementTemplate

  init(_ request: ReplaceRequest, _ strategy: any SearchStrategy) throws(UserError) {
    self.request = request
    self.strategy = strategy
    guard let capturing = strategy as? any CapturingStrategy else {
      template = ReplacementTemplate(literal: request.replacement)
      return
    }
    do {
      let groups = try capturing.groups(of: request.query)
      template = try ReplacementTemplate(
        request.replacement, groups: groups.count, names: groups.names)
    } catch { throw UserError(.usage, "\(error)") }
  }

  /// The matches, as edits of the text that is searched: the rendered one, or the source in UTF-16,
  /// which must be UTF-8 throughout.
  func matches(in parsed: ParsedDocument, within passage: TextRange?) throws(UserError)
    -> [TextEdit]
  {
    switch request.text {
    case .rendered:
      return try edits(in: parsed.text.utf16, parsed.text.utf8, within: passage?.utf16)
    case .source:
      let units = SourceUnits(parsed.source)
      var part: Range<Int>?
      if let passage {
        let ranges = parsed.map.source(of: passage)
        guard let first = ranges.first, let last = ranges.last else { return [] }
        part = units.units(of: first.bytes.lowerBound..<last.bytes.upperBound)
      }
      return try edits(in: units.text, parsed.source.bytes, within: part)
    }
  }

  /// The matches in a text, which is given in both encodings.
  private func edits(in text: [UInt16], _ utf8: [UInt8], within part: Range<Int>?)
    throws(UserError) -> [TextEdit]
  {
    var edits: [TextEdit] = []
    func take(_ match: CapturedMatch) -> Bool {
      let range = match.range.utf16
      guard
        part.map({ $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound })
          ?? true
      else { return part.map { range.lowerBound < $0.upperBound } ?? true }
      let words = { (range: TextRange) in String(decoding: text[range.utf16], as: UTF16.self) }
      var new = template.text { number in
        number == 0
          ? words(match.range)
          : number <= match.groups.count ? match.groups[number - 1].map(words) : nil
      }
      if request.preservesCase { new = new.withCase(of: words(match.range)) }
      if !range.isEmpty || !new.isEmpty {
        edits.append(TextEdit(range: match.range, replacement: new))
      }
      return true
    }
    let outcome: SearchOutcome
    do {
      if let capturing = strategy as? any CapturingStrategy {
        outcome = try capturing.capture(request.query, in: utf8, found: take)
      } else {
        outcome = try strategy.searcher(for: request.query).search(utf8) {
          take(CapturedMatch(range: $0.range))
        }
      }
    } catch { throw UserError(.usage, error.description) }
    if case .failed(let reason) = outcome { throw UserError(.plugin, reason) }
    return edits
  }

  /// Edits of the source in UTF-16 as edits of its bytes.
  func sourceEdits(_ matches: [TextEdit], in parsed: ParsedDocument) -> [SourceEdit] {
    zip(matches, SourceUnits(parsed.source).bytes(of: matches)).map {
      SourceEdit(range: SourceRange(bytes: $1), replacement: $0.replacement)
    }
  }
}

/// A source in UTF-16 units.
struct SourceUnits {
  let text: [UInt16]
  private let bytes: [UInt8]

  init(_ source: MarkdownSource) {
    bytes = source.bytes
    text = Array(String(decoding: bytes, as: UTF8.self).utf16)
  }

  /// The bytes of ranges of units, which are sorted. O(bytes).
  func bytes(of edits: [TextEdit]) -> [Range<Int>] {
    var position = (unit: 0, byte: 0)
    func byte(at unit: Int) -> Int {
      while position.unit < unit, position.byte < bytes.count {
        let first = bytes[position.byte]
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        position.byte += length
        position.unit += length == 4 ? 2 : 1
      }
      return position.byte
    }
    return edits.map {
      let start = byte(at: $0.range.utf16.lowerBound)
      return start..<byte(at: $0.range.utf16.upperBound)
    }
  }

  /// The units of a range of bytes that divides no character. O(bytes).
  func units(of range: Range<Int>) -> Range<Int> {
    func count(_ part: Range<Int>) -> Int {
      bytes[part].reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
    }
    let start = count(0..<range.lowerBound)
    return start..<start + count(range)
  }
}
