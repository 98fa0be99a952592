/// A part of an article that stands in lines of its own.
package indirect enum Block: Hashable, Sendable {
  case paragraph([Inline])
  case heading(level: Int, [Inline])
  case quote([Block])
  /// Each item is its blocks. `start` is the first number; nil for a list without numbers.
  case list(start: Int?, items: [[Block]])
  /// The text has no line feed at its end; `language` is empty where none is known.
  case code(String, language: String)
  /// The first row is the head; all rows have as many cells. A cell has no line breaks but `lineBreak`.
  case table(rows: [[[Inline]]], alignments: [Alignment])
  /// TeX in lines of its own.
  case math(String)
  case rule

  /// How the cells of a column stand.
  package enum Alignment: Hashable, Sendable { case none, left, center, right }
}

/// A part of a line.
package indirect enum Inline: Hashable, Sendable {
  case text(String)
  case style(Style, [Inline])
  case code(String)
  case link([Inline], to: String)
  case image(alt: String, of: String)
  case lineBreak
  /// TeX within a line.
  case math(String)
  /// A sign for a footnote, by its number.
  case note(Int)

  /// A style of letters.
  package enum Style: Hashable, Sendable {
    case emphasis, strong, strike, mark, raised, lowered, key
  }

  /// What is shown of it, where a picture is its words and a footnote's sign nothing.
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

extension [Inline] {
  package var plain: String { map(\.plain).joined() }

  /// Whether nothing of it is shown.
  var isBlank: Bool {
    allSatisfy { inline in
      switch inline {
      case .image, .note: false
      default: inline.plain.allSatisfy(\.isWhitespace)
      }
    }
  }

  /// With one blank where there are several, none at the ends and around line breaks, and equal styles
  /// that touch made one.
  var normalized: [Inline] {
    var endsInBlank = true
    var result = Self.collapsed(self, &endsInBlank)
    result.trimEnd()
    return result
  }

  private static func collapsed(_ parts: [Inline], _ endsInBlank: inout Bool) -> [Inline] {
    var result: [Inline] = []
    for part in parts {
      switch part {
      case .text(let text):
        var kept: [UInt8] = []
        for byte in text.utf8 {
          let isBlank = byte == 0x20 || (9...13).contains(byte)
          if isBlank, endsInBlank { continue }
          kept.append(isBlank ? 0x20 : byte)
          endsInBlank = isBlank
        }
        guard !kept.isEmpty else { continue }
        if case .text(let before)? = result.last { result.removeLast(); kept = before.utf8 + kept }
        result.append(.text(String(decoding: kept, as: UTF8.self)))
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
        // Blanks at its ends are no part of what is shown as code.
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

  /// Takes blanks and line breaks from the end, also within the last style.
  private mutating func trimEnd() {
    while let last = popLast() {
      switch last {
      case .lineBreak: continue
      case .text(let text):
        let kept = text.reversed().drop { $0 == " " }.reversed()
        if kept.isEmpty { continue }
        append(.text(String(kept)))
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
