/// A block of an article, such as a paragraph or a list.
package indirect enum ArticleBlock: Hashable, Sendable {
  case paragraph([ArticleInline])
  case heading(level: Int, [ArticleInline])
  case quote([ArticleBlock])
  /// Each item consists of blocks. `start` is the first number; nil for a bulleted list.
  case list(start: Int?, items: [[ArticleBlock]])
  /// The text has no line feed at its end. `language` is empty if unknown.
  case code(String, language: String)
  /// The first row is the header. All rows have the same number of cells. The only line breaks in a
  /// cell are `lineBreak`.
  case table(rows: [[[ArticleInline]]], alignments: [Alignment])
  /// A displayed formula in TeX.
  case math(String)
  case rule

  /// The alignment of a table column.
  package enum Alignment: Hashable, Sendable { case none, left, center, right }
}

/// A part of a block's text.
package indirect enum ArticleInline: Hashable, Sendable {
  case text(String)
  case style(Style, [ArticleInline])
  case code(String)
  case link([ArticleInline], to: String)
  case image(alt: String, of: String)
  case lineBreak
  /// An inline formula in TeX.
  case math(String)
  /// A reference to a footnote, by its number from 1.
  case note(Int)

  /// A text style.
  package enum Style: Hashable, Sendable {
    case emphasis, strong, strike, mark, raised, lowered, key
  }

  /// The plain text. A picture is represented by its alternative text, and a footnote reference by
  /// nothing.
  package var plain: String {
    switch self {
    case .text(let text), .code(let text), .math(let text): text
    case .style(_, let parts), .link(let parts, _): parts.plain
    case .image(let alt, _): alt
    case .lineBreak: "\n"
    case .note: ""
    }
  }
}

extension [ArticleInline] {
  package var plain: String { map(\.plain).joined() }

  /// Whether there is nothing to show except white space.
  var isBlank: Bool {
    allSatisfy { inline in
      switch inline {
      case .image, .note: false
      default: inline.plain.allSatisfy(\.isWhitespace)
      }
    }
  }

  /// The parts with runs of blanks collapsed, blanks removed at both ends and around line breaks,
  /// and adjacent parts of the same style joined.
  var normalized: [ArticleInline] {
    var endsInBlank = true
    var result = Self.collapsed(self, &endsInBlank)
    result.trimEnd()
    return result
  }

  private static func collapsed(_ parts: [ArticleInline], _ endsInBlank: inout Bool)
    -> [ArticleInline]
  {
    var result: [ArticleInline] = []
    for part in parts {
      switch part {
      case .text(let text):
        var kept: [UInt8] = []
        kept.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
          let isBlank = byte == 0x20 || (9...13).contains(byte)
          if isBlank, endsInBlank { continue }
          kept.append(isBlank ? 0x20 : byte)
          endsInBlank = isBlank
        }
        guard !kept.isEmpty else { continue }
        let line = String(decoding: kept, as: UTF8.self)
        if case .text(var before)? = result.last {
          // Without the removal, each of many short parts would copy all parts before it.
          result.removeLast()
          before += line
          result.append(.text(before))
        } else {
          result.append(.text(line))
        }
      case .style(let style, let inner):
        let inner = collapsed(inner, &endsInBlank)
        guard !inner.isEmpty else { continue }
        if case .style(style, let before)? = result.last {
          result.removeLast()
          result.append(.style(style, before + inner))
        } else {
          result.append(.style(style, inner))
        }
      case .link(let inner, let target):
        let inner = collapsed(inner, &endsInBlank)
        if !inner.isEmpty { result.append(.link(inner, to: target)) }
      case .lineBreak:
        result.trimEnd()
        guard !result.isEmpty else { continue }
        result.append(.lineBreak)
        endsInBlank = true
      case .code(let text):
        // Browsers do not show blanks at the ends of inline code, so they are moved outside.
        let inner = text.inOneLine
        if text.first?.isWhitespace == true, !endsInBlank { result.append(.text(" ")) }
        if inner.isEmpty {
          endsInBlank = endsInBlank || text.first?.isWhitespace == true
          continue
        }
        result.append(.code(inner))
        endsInBlank = text.last?.isWhitespace == true
        if endsInBlank { result.append(.text(" ")) }
      default:
        result.append(part)
        endsInBlank = false
      }
    }
    return result
  }

  /// Removes blanks and line breaks from the end, including the end of the last style or link.
  private mutating func trimEnd() {
    while let last = popLast() {
      switch last {
      case .lineBreak: continue
      case .text(let text):
        guard let end = text.utf8.lastIndex(where: { $0 != 0x20 }) else { continue }
        append(.text(String(Substring(text.utf8[...end]))))
      case .style(let style, var inner):
        inner.trimEnd()
        if inner.isEmpty { continue }
        append(.style(style, inner))
      case .link(var inner, let target):
        inner.trimEnd()
        if inner.isEmpty { continue }
        append(.link(inner, to: target))
      default: append(last)
      }
      return
    }
  }
}
