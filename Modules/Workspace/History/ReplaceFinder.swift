import Editing
import MarkdownParse
import Model
import Search
import SystemSupport

/// Finds the matches to replace and computes their replacements.
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

  /// Returns the matches as edits of the searched text: the rendered text, or the source in UTF-16
  /// units. The source must be valid UTF-8.
  ///
  /// - Throws: `usage` if the query is invalid; `plugin` if the search failed.
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

  /// Returns the matches in a text. `text` and `utf8` are the same text in two encodings.
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
      let words = { (range: TextRange) in String(units: text[range.utf16]) }
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

  /// Returns the matches whose replacement differs from the present text.
  func changes(_ matches: [TextEdit], in parsed: ParsedDocument) -> [TextEdit] {
    switch request.text {
    case .rendered: return matches.changing(parsed.text)
    case .source:
      let text = SourceUnits(parsed.source).text
      return matches.filter {
        !text[$0.range.utf16].elementsEqual($0.replacement.utf16)
      }
    }
  }

  /// Converts edits of the source in UTF-16 units to edits in bytes.
  func sourceEdits(_ matches: [TextEdit], in parsed: ParsedDocument) -> [SourceEdit] {
    zip(matches, SourceUnits(parsed.source).bytes(of: matches)).map {
      SourceEdit(range: SourceRange(bytes: $1), replacement: $0.replacement)
    }
  }
}
