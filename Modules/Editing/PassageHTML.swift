package import MarkdownParse
package import Model

extension ParsedDocument {
  /// Returns a passage as HTML: the blocks that it touches, each with the part of its text inside
  /// the range. HTML in the document is rebuilt from its text and styles; none of the author's tags
  /// are copied. O(passage).
  package func html(of range: TextRange) -> String {
    var writer = PassageHTML(self, range.utf16)
    writer.writeChildren(of: 0)
    return writer.html
  }
}

struct PassageHTML {
  private let document: ParsedDocument
  private let range: Range<Int>
  var html = ""

  init(_ document: ParsedDocument, _ range: Range<Int>) {
    self.document = document
    self.range = range
  }

  mutating func writeChildren(of block: Int) {
    var child = document.blocks[block].firstChild
    while child >= 0 {
      let text = document.blocks[child].text
      if !text.isEmpty, text.utf16.overlaps(range) { write(child) }
      child = document.blocks[child].nextSibling
    }
  }

  private mutating func write(_ index: Int) {
    let block = document.blocks[index]
    switch block.kind {
    case .paragraph:
      // The items of a tight list have no paragraph elements.
      if isInTightList(block) { inline(block) } else { element("p") { $0.inline(block) } }
    case .heading(let level): element("h\(level)") { $0.inline(block) }
    case .codeBlock(let info):
      let language = info.map { document.source.text(in: $0) }?.split(separator: " ").first
      let attribute = language.map { " class=\"language-\(String($0).escapedForHTML)\"" } ?? ""
      let part = TextRange(utf16: range.clamped(to: block.text.utf16))
      html +=
        "<pre><code\(attribute)>\(document.text.substring(part).escapedForHTML)\n</code></pre>\n"
    case .blockQuote, .admonition: container("blockquote", index)
    case .calloutLabel: element("p") { $0.element("strong") { $0.inline(block) } }
    case .descriptionList: container("dl", index)
    case .descriptionTerm: element("dt") { $0.inline(block) }
    case .description: container("dd", index)
    case .footnoteDefinition: container("section", index)
    case .list(let style):
      guard let start = style.start else { return container("ul", index) }
      var number = start
      var item = block.firstChild
      while item >= 0, document.blocks[item].text.utf16.upperBound <= range.lowerBound {
        number += 1
        item = document.blocks[item].nextSibling
      }
      container("ol", index, number == 1 ? "" : " start=\"\(number)\"")
    case .listItem(let task):
      html += "<li>"
      if let task { html += "<input type=\"checkbox\" disabled\(task ? " checked" : "")> " }
      writeChildren(of: index)
      html += "</li>\n"
    case .htmlBlock: writeChildren(of: index)
    case .table: container("table", index)
    case .tableRow: container("tr", index)
    case .tableCell:
      let table = document.blocks[document.blocks[block.parent].parent]
      element(table.firstChild == block.parent ? "th" : "td") { $0.inline(block) }
    default: break
    }
  }

  private func isInTightList(_ block: Block) -> Bool {
    guard block.parent > 0, case .listItem = document.blocks[block.parent].kind,
      case .list(let style) = document.blocks[document.blocks[block.parent].parent].kind
    else { return false }
    return style.isTight
  }

  private mutating func container(_ name: String, _ index: Int, _ attributes: String = "") {
    html += "<\(name)\(attributes)>\n"
    writeChildren(of: index)
    html += "</\(name)>\n"
  }

  private mutating func element(_ name: String, _ body: (inout PassageHTML) -> Void) {
    html += "<\(name)>"
    body(&self)
    html += "</\(name)>\n"
  }

  private mutating func inline(_ block: Block) {
    // The image whose runs are being read, and its description so far.
    var image: (link: Int, words: String)?
    func finishImage(_ html: inout String) {
      guard let last = image else { return }
      let link = document.links[last.link]
      let isShown = !link.isNote && LinkSafety.isSafePicture(link.destination)
      let address = isShown ? link.destination.escapedForHTML : nil
      if let address, Self.isRemote(link.destination) {
        // A program would load the image as soon as it is pasted. A link is loaded only if the user
        // follows it.
        html += "<a href=\"\(address)\">\(last.words.isEmpty ? address : last.words)</a>"
      } else {
        html += address.map { "<img src=\"\($0)\" alt=\"\(last.words)\">" } ?? last.words
      }
      image = nil
    }
    for run in document.styleRuns(in: block) {
      let part = run.text.utf16.clamped(to: range)
      guard run.text.utf16.overlaps(range), !part.isEmpty else { continue }
      let words = document.text.substring(TextRange(utf16: part)).escapedForHTML
      if let link = run.link, run.style.contains(.image) {
        // A description has no styles: join the runs of one image.
        if image?.link != link {
          finishImage(&html)
          image = (link, "")
        }
        image?.words += words.replacing("\n", with: " ")
        continue
      }
      finishImage(&html)
      let names = Self.names.filter { run.style.contains($0.style) }.map(\.name)
      var text = names.reduce(words.replacing("\n", with: "<br>\n")) { "<\($1)>\($0)</\($1)>" }
      if let link = run.link.map({ document.links[$0] }), let address = Self.safe(link.destination)
      {
        text = "<a href=\"\(address)\">\(text)</a>"
      }
      // Only a reference to a footnote looks like a link and has no address.
      if run.link == nil, run.style.contains(.link) { text = "<sup>\(text)</sup>" }
      html += text
    }
    finishImage(&html)
  }

  private static let names: [(style: TextStyle, name: String)] = [
    (.code, "code"), (.math, "code"), (.emphasis, "em"), (.strong, "strong"),
    (.strikethrough, "del"), (.mark, "mark"),
  ]

  /// Returns the address escaped for an attribute, or nil if it isn't safe as a link.
  private static func safe(_ address: String) -> String? {
    LinkSafety.isSafe(address) ? address.escapedForHTML : nil
  }

  /// Returns whether a safe address may name another machine. Only an address with a scheme or `//`
  /// does.
  private static func isRemote(_ address: String) -> Bool {
    address.contains { $0 == ":" || $0 == "\\" } || address.contains("//")
  }
}
