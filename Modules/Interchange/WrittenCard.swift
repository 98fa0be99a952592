/// Writes a quote with its source as text.
package enum WrittenCard {
  /// Returns the quote in the quotation marks of its language, followed by a line with its source.
  package static func text(of quote: AnnotationRecord, as form: CardForm = CardForm()) -> Card {
    let marks = QuotationMarks(for: quote.quote)
    let origin = origin(of: quote, form).joined(separator: ", ")
    let below = origin.isEmpty ? "" : "\n— \(origin)\n"
    let words = blocks(of: quote).map { $0.lines.joined(separator: "\n") }
      .joined(separator: "\n\n")
    let text = "\(marks.opening)\(words)\(marks.closing)\n\(below)"
    return Card(mediaType: "text/plain", bytes: Array(text.utf8))
  }

  /// Returns the quote as a Markdown block quote whose last line is its source. Characters that are
  /// special in Markdown are escaped, because the quote is rendered text. Lines of code are a block
  /// of code, unless a program could run a part of it.
  package static func markdown(of quote: AnnotationRecord, as form: CardForm = CardForm()) -> Card {
    var lines = blocks(of: quote).map { block in
      let isHarmless = block.lines.allSatisfy { $0.harmlessMarkdown == $0 }
      if block.isCode, isHarmless { return block.lines.map { $0.isEmpty ? "" : "    " + $0 } }
      return Array(
        block.lines.filter { !$0.isEmpty }.map { [$0.escapedForMarkdown] }.joined(separator: [""]))
    }.joined(separator: [""]).map { $0 }
    let origin = origin(of: quote, form).map(\.escapedForMarkdown)
    if !origin.isEmpty { lines += ["", "— \(origin.joined(separator: ", "))"] }
    let text = lines.map { $0.isEmpty ? ">\n" : "> \($0)\n" }.joined()
    return Card(mediaType: "text/markdown", bytes: Array(text.utf8))
  }

  /// A paragraph of one line, or lines of code.
  private struct Block {
    var lines: [String]
    var isCode: Bool
  }

  /// Returns the paragraphs and the blocks of code of a quote, without empty lines around them.
  private static func blocks(of quote: AnnotationRecord) -> [Block] {
    var blocks: [Block] = []
    var code = quote.code[...]
    var place = 0
    var line = ""
    // Whether the line break before the line, letters of the line, and other letters are code.
    var (continues, hasCode, hasOther) = (false, false, false)
    func end(isCode: Bool) {
      let isCodeLine = hasCode && !hasOther || !hasOther && continues && isCode
      if continues, isCodeLine, blocks.last?.isCode == true {
        blocks[blocks.count - 1].lines.append(line)
      } else if hasCode || hasOther {
        blocks.append(Block(lines: [line], isCode: isCodeLine))
      }
      (line, continues, hasCode, hasOther) = ("", isCode, false, false)
    }
    for character in quote.quote {
      while let first = code.first, first.upperBound <= place { code.removeFirst() }
      let isCode = code.first.map { $0.lowerBound <= place } ?? false
      place += character.utf16.count
      if character.isNewline {
        end(isCode: isCode)
      } else {
        line.append(character)
        if !character.isWhitespace {
          (hasCode, hasOther) = (hasCode || isCode, hasOther || !isCode)
        }
      }
    }
    end(isCode: false)
    for index in blocks.indices {
      while let last = blocks[index].lines.last, last.allSatisfy(\.isWhitespace) {
        blocks[index].lines.removeLast()
      }
    }
    return blocks
  }

  /// Returns the author, the title and the source, without the empty ones.
  private static func origin(of quote: AnnotationRecord, _ form: CardForm) -> [String] {
    [quote.author, quote.title, form.source(of: quote)].filter { !$0.isEmpty }
  }
}
