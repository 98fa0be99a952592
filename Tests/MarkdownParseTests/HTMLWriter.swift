import Model

@testable import MarkdownParse

/// Renders a parsed document as HTML in the form of the CommonMark examples.
struct HTMLWriter {
  private let document: ParsedDocument
  private var output = ""

  static func html(_ markdown: String, _ options: MarkdownOptions = .commonMark) -> String {
    var writer = HTMLWriter(
      document: ParsedDocument(parsing: MarkdownSource(markdown), options: options))
    writer.children(of: 0, tight: false)
    return writer.output
  }

  private init(document: ParsedDocument) { self.document = document }

  private func text(_ range: TextRange) -> String { document.text.substring(range) }

  private mutating func children(of index: Int, tight: Bool) {
    var child = document.blocks[index].firstChild
    while child >= 0 {
      block(child, tight: tight)
      child = document.blocks[child].nextSibling
    }
  }

  private mutating func newline() {
    if !output.isEmpty, !output.hasSuffix("\n") { output += "\n" }
  }

  private mutating func block(_ index: Int, tight: Bool) {
    let block = document.blocks[index]
    switch block.kind {
    case .document, .definition, .frontMatter, .hidden: break
    case .admonition, .descriptionList, .description: children(of: index, tight: false)
    case .calloutLabel, .descriptionTerm: inlines(block)
    case .blockQuote:
      newline()
      output += "<blockquote>\n"
      children(of: index, tight: false)
      newline()
      output += "</blockquote>\n"
    case .list(let style):
      newline()
      let tag = style.start == nil ? "ul" : "ol"
      let start = style.start.map { $0 == 1 ? "" : " start=\"\($0)\"" } ?? ""
      output += "<\(tag)\(start)>\n"
      children(of: index, tight: style.isTight)
      newline()
      output += "</\(tag)>\n"
    case .listItem(let task):
      output += "<li>"
      if let task {
        output += "<input \(task ? "checked=\"\" " : "")disabled=\"\" type=\"checkbox\"> "
      }
      children(of: index, tight: tight)
      output += "</li>\n"
    case .paragraph:
      if !tight {
        newline()
        output += "<p>"
      }
      inlines(block)
      if !tight { output += "</p>\n" } else if block.nextSibling >= 0 { output += "\n" }
    case .heading(let level):
      newline()
      output += "<h\(level)>"
      inlines(block)
      output += "</h\(level)>\n"
    case .codeBlock(let info):
      newline()
      let language = info.flatMap { range -> String? in
        let raw = Array(document.source.bytes[range.bytes])
        let text = raw.withUnsafeBufferPointer { LinkScanner.unescaped($0) }
        return text.split { $0 == " " || $0 == "\t" }.first.map {
          " class=\"language-\(escape(String($0)))\""
        }
      }
      let content = text(block.text)
      let hasLines = !document.blockLines[index].isEmpty
      output +=
        "<pre><code\(language ?? "")>\(escape(content))\(hasLines ? "\n" : "")</code></pre>\n"
    case .htmlBlock:
      newline()
      for line in document.lines[document.blockLines[index]] {
        output += String(repeating: " ", count: line.tabRest)
        output += String(decoding: document.source.bytes[line.start..<line.end], as: UTF8.self)
        output += "\n"
      }
    case .thematicBreak:
      newline()
      output += "<hr />\n"
    case .table(let columns): table(index, columns)
    case .tableRow, .tableCell: break
    case .footnoteDefinition: children(of: index, tight: false)
    }
  }

  private mutating func table(_ index: Int, _ columns: [Block.ColumnAlignment]) {
    newline()
    output += "<table>\n<thead>\n"
    var row = document.blocks[index].firstChild
    var isHeader = true
    while row >= 0 {
      let tag = isHeader ? "th" : "td"
      output += "<tr>\n"
      var cell = document.blocks[row].firstChild
      for column in columns {
        let align: String =
          switch column {
          case .none: ""
          case .left: " align=\"left\""
          case .center: " align=\"center\""
          case .right: " align=\"right\""
          }
        output += "<\(tag)\(align)>"
        if cell >= 0 {
          inlines(document.blocks[cell])
          cell = document.blocks[cell].nextSibling
        }
        output += "</\(tag)>\n"
      }
      output += "</tr>\n"
      row = document.blocks[row].nextSibling
      if isHeader {
        output += "</thead>\n"
        if row >= 0 { output += "<tbody>\n" }
      } else if row < 0 {
        output += "</tbody>\n"
      }
      isHeader = false
    }
    output += "</table>\n"
  }

  // MARK: - Inlines

  private mutating func inlines(_ block: Block) {
    var open: [Int] = []
    var position = block.text.utf16.lowerBound
    var imageDepth = 0
    func flush(_ end: Int, _ writer: inout HTMLWriter) {
      if end > position {
        writer.output += writer.escape(writer.text(TextRange(utf16: position..<end)))
      }
      position = max(position, end)
    }
    func closeSpans(before source: Int, _ writer: inout HTMLWriter) {
      while let last = open.last, writer.document.inlines[last].source.bytes.upperBound <= source {
        open.removeLast()
        let inline = writer.document.inlines[last]
        flush(inline.text.utf16.upperBound, &writer)
        if case .image(let link) = inline.kind {
          imageDepth -= 1
          if imageDepth == 0 {
            writer.output += "\"" + writer.title(link) + " />"
          }
        } else if imageDepth == 0 {
          writer.output += writer.closeTag(inline.kind)
        }
      }
    }
    for index in block.inlines {
      let inline = document.inlines[index]
      closeSpans(before: inline.source.bytes.lowerBound, &self)
      flush(inline.text.utf16.lowerBound, &self)
      switch inline.kind {
      case .softBreak:
        if imageDepth == 0 {
          output += "\n"
        } else {
          output += " "
        }
        position = inline.text.utf16.upperBound
      case .hardBreak:
        output += imageDepth == 0 ? "<br />\n" : " "
        position = inline.text.utf16.upperBound
      case .rawHTML:
        if imageDepth == 0 { output += document.source.text(in: inline.source) }
      case .code:
        let content = escape(text(inline.text))
        output += imageDepth == 0 ? "<code>\(content)</code>" : content
        position = inline.text.utf16.upperBound
      case .math: break
      case .image(let link):
        imageDepth += 1
        if imageDepth == 1 {
          output += "<img src=\"\(url(document.links[link].destination))\" alt=\""
        }
        open.append(index)
      case .footnoteReference, .hidden: break
      default:
        if imageDepth == 0 { output += openTag(inline.kind) }
        open.append(index)
      }
    }
    closeSpans(before: .max, &self)
    flush(block.text.utf16.upperBound, &self)
  }

  private func title(_ link: Int) -> String {
    document.links[link].title.map { " title=\"\(escape($0))\"" } ?? ""
  }

  private func openTag(_ kind: Inline.Kind) -> String {
    switch kind {
    case .emphasis: "<em>"
    case .strong: "<strong>"
    case .strikethrough: "<del>"
    case .mark: "<mark>"
    case .link(let link): "<a href=\"\(url(document.links[link].destination))\"\(title(link))>"
    default: ""
    }
  }

  private func closeTag(_ kind: Inline.Kind) -> String {
    switch kind {
    case .emphasis: "</em>"
    case .strong: "</strong>"
    case .strikethrough: "</del>"
    case .mark: "</mark>"
    case .link: "</a>"
    default: ""
    }
  }

  private func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private func url(_ text: String) -> String {
    let plain = Set("-_.+!*'(),%#@?=;:/,+&$~".utf8)
    var result = ""
    for byte in text.utf8 {
      if byte == UInt8(ascii: "&") {
        result += "&amp;"
      } else if byte == UInt8(ascii: "'") {
        result += "&#x27;"
      } else if byte.isAlphanumeric || plain.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }
}
