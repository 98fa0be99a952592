/// Finds passages of HTML by their tags. It tolerates errors, decodes character references, and
/// neither runs nor loads anything. O(bytes).
struct HTMLScan {
  /// The text within the wanted tags, each without its inner tags.
  private(set) var passages: [String] = []
  /// The text of `<title>`.
  private(set) var title = ""

  /// Scans a text.
  ///
  /// - Parameter wanted: the names of the tags, in lower case. Of nested tags, the outer one
  ///   counts.
  init(_ text: String, wanted: Set<String>) {
    var open: (name: String, depth: Int, text: String)?
    var skipped: String?
    func add(_ words: Substring) {
      guard skipped == nil || skipped == "title" else { return }
      if skipped == "title" {
        title += Self.unescaped(words)
      } else {
        open?.text += Self.unescaped(words)
      }
    }
    func close() {
      guard let found = open else { return }
      let words = found.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if !words.isEmpty { passages.append(words) }
      open = nil
    }
    for token in HTMLTokens(text) {
      let (name, isEnd): (String, Bool)
      switch token {
      case .text(let words):
        add(words)
        continue
      case .start(let tag, _): (name, isEnd) = (tag, false)
      case .end(let tag): (name, isEnd) = (tag, true)
      }
      if let inside = skipped {
        if isEnd, name == inside { skipped = nil }
      } else if ["script", "style", "title"].contains(name), !isEnd {
        skipped = name
      } else if wanted.contains(name) {
        if open == nil, !isEnd {
          open = (name, 1, "")
        } else if open?.name == name {
          open?.depth += isEnd ? -1 : 1
          if open?.depth == 0 { close() }
        }
      } else if ["p", "br", "div", "li", "tr", "td"].contains(name) {
        open?.text += " "
      }
    }
    close()
    title = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the text of a part of a page, such as a note. Each block is a line.
  static func text(of html: String) -> String {
    var text = ""
    var hidden: String?
    // The tokens end with the last tag.
    for token in HTMLTokens(html + "<br>") {
      switch token {
      case .text(let words):
        guard hidden == nil else { continue }
        let words = unescaped(words).split(
          omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
        text += words.joined(separator: " ")
      case .start(let name, _):
        if ["script", "style"].contains(name) { hidden = name }
        if blocks.contains(name) { text += "\n" }
      case .end(let name):
        if hidden == name { hidden = nil }
        if blocks.contains(name) { text += "\n" }
      }
    }
    return text.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static let blocks: Set = [
    "p", "br", "div", "li", "ul", "ol", "tr", "td", "h1", "h2", "h3", "h4", "h5", "h6", "pre",
    "blockquote",
  ]

  /// Replaces character references by their characters. Unknown references are left unchanged.
  static func unescaped(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    var result = ""
    var rest = text
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = rest.prefix(12).firstIndex(of: ";") else {
        result.append("&")
        rest = rest.dropFirst()
        continue
      }
      let name = rest[rest.index(after: rest.startIndex)..<end]
      if let known = names[String(name)] ?? number(name) {
        result += known
        rest = rest[rest.index(after: end)...]
      } else {
        result.append("&")
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private static func number(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.first == "x" || digits.first == "X"
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }

  private static let names = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–",
    "mdash": "—", "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
    "laquo": "«", "raquo": "»", "shy": "\u{AD}",
  ]
}
