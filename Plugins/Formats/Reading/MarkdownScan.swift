import Model

/// The text of a Markdown file without front matter and code. The scan is approximate but
/// sufficient to find marks and quotes; their exact position is found later by their words.
struct MarkdownScan {
  /// Blocks of adjacent lines, without blank lines.
  private(set) var blocks: [[Substring]] = []
  /// The title in the front matter, or the first heading; empty if there is neither.
  private(set) var title = ""

  /// Scans a text. O(length).
  init(_ text: String) {
    var block: [Substring] = []
    var fence: Substring?
    var isFront = false
    func end() {
      if !block.isEmpty { blocks.append(block) }
      block = []
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let body = line.drop { $0 == " " || $0 == "\t" }
      if number == 0, line == "---" {
        isFront = true
      } else if isFront {
        if line == "---" || line == "..." { isFront = false }
        if line.hasPrefix("title:"), title.isEmpty {
          title = line.dropFirst(6).trimmed.trimmingQuotes
        }
      } else if let mark = fence {
        if body.hasPrefix(mark), body.allSatisfy({ $0 == mark.first || $0 == " " }) { fence = nil }
      } else if body.hasPrefix("```") || body.hasPrefix("~~~") {
        end()
        fence = body.prefix { $0 == body.first }
      } else if body.isEmpty {
        end()
      } else {
        if body.hasPrefix("# "), title.isEmpty { title = body.dropFirst(2).trimmed }
        block.append(line)
      }
    }
    end()
  }

  /// Returns the text of a passage without emphasis marks, addresses of links and backslashes.
  /// O(length).
  static func plain(_ text: some StringProtocol) -> String {
    var result = ""
    var rest = String(text)[...]
    var linkEnds = Ends("]]")
    var addressEnds = Ends(")")
    while let character = rest.first {
      rest = rest.dropFirst()
      switch character {
      case "\\":
        if let next = rest.first {
          result.append(next)
          rest = rest.dropFirst()
        }
      case "*", "`": continue
      case "[":
        guard rest.hasPrefix("["), let end = linkEnds.next(in: rest) else { continue }
        let link = rest[..<end.lowerBound].dropFirst()
        result += link.lastIndex(of: "|").map { link[link.index(after: $0)...] } ?? link
        rest = rest[end.upperBound...]
      case "]":
        if rest.hasPrefix("("), let end = addressEnds.next(in: rest) {
          rest = rest[end.upperBound...]
        }
      default: result.append(character)
      }
    }
    return result
  }

  /// Finds successive occurrences of a mark during a scan, searching the text only once.
  private struct Ends {
    private let mark: String
    private var found: Range<String.Index>?
    private var isOver = false

    init(_ mark: String) { self.mark = mark }

    /// Returns the next occurrence; nil if there is none.
    mutating func next(in rest: Substring) -> Range<String.Index>? {
      if isOver { return nil }
      if let found, found.lowerBound >= rest.startIndex { return found }
      found = rest.firstRange(of: mark)
      isOver = found == nil
      return found
    }
  }
}

extension String {
  fileprivate var trimmingQuotes: String {
    for mark in ["\"", "'"] where count > 1 && hasPrefix(mark) && hasSuffix(mark) {
      return String(dropFirst().dropLast())
    }
    return self
  }
}
