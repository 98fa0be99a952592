package import MarkdownParse
package import Model
import Rendering
package import SystemSupport

/// The place in a file or on the web that a link leads to.
package struct LinkPlace: Hashable, Sendable {
  /// The absolute path of the file; nil for the file that contains the link, and for an address.
  package var file: String?
  /// The heading or block; nil for the whole file.
  package var part: LinkPart?
  /// The address, if the link has a scheme such as `https`.
  package var address: String?

  package init(file: String? = nil, part: LinkPart? = nil, address: String? = nil) {
    (self.file, self.part, self.address) = (file, part, address)
  }
}

/// The heading or block that the fragment of a link names.
package enum LinkPart: Hashable, Sendable {
  /// The fragment of a Markdown link: a defined name, or the slug of a heading.
  case name(String)
  /// The fragment of a wiki link: the words of a heading, or `^` and the id of a block.
  case note(String)

  /// The fragment as written, without `#`.
  package var text: String {
    switch self {
    case .name(let text), .note(let text): text
    }
  }
}

/// The places in a document that fragments of links can name. Creating it is O(text); each lookup
/// is O(fragment).
package struct LinkParts: Sendable {
  private let document: ParsedDocument
  private var names: [String: TextRange] = [:]
  private var slugs: [String: TextRange] = [:]
  private var headings: [String: TextRange] = [:]
  private var blocks: [String: TextRange] = [:]
  private var footnotes: [String: TextRange] = [:]
  private var references: [String: TextRange] = [:]

  package init(_ document: ParsedDocument) {
    self.document = document
    func add(_ range: TextRange, _ key: String, to table: inout [String: TextRange]) {
      if table[key] == nil { table[key] = range }
    }
    for (name, offset) in document.namedPlaces {
      add(TextRange(offset, offset), name, to: &names)
    }
    for (name, block) in document.headingNames {
      add(document.blocks[block].text, name, to: &slugs)
    }
    for block in document.blocks {
      switch block.kind {
      case .heading:
        add(block.text, Self.words(document.text.substring(block.text)), to: &headings)
      case .footnoteDefinition(let label):
        add(block.text, document.folded(document.source.text(in: label)), to: &footnotes)
      default: break
      }
      for inline in document.inlines[block.inlines] {
        switch inline.kind {
        case .hidden where document.source.bytes[inline.source.bytes.lowerBound] == 0x5E:
          add(block.text, document.source.text(in: inline.source).lowercased(), to: &blocks)
        case .footnoteReference(let label):
          add(inline.text, document.folded(document.source.text(in: label)), to: &references)
        default: break
        }
      }
    }
  }

  /// Returns the range of a part; nil if the document has no such part. `top` is the start of the
  /// document unless the document defines that name, as in HTML.
  package func range(of part: LinkPart) -> TextRange? {
    switch part {
    case .note(let name): return note(name)
    case .name(let name):
      if let range = names[name] { return range }
      if name.hasPrefix("fn:"), let range = footnotes[document.folded(String(name.dropFirst(3)))] {
        return range
      }
      if name.hasPrefix("fnref:"),
        let range = references[document.folded(String(name.dropFirst(6)))]
      {
        return range
      }
      if let range = slugs[name.lowercased()] { return range }
      // Obsidian writes the words of a heading in Markdown links, too.
      if document.options.wikiLinks, let range = note(name) { return range }
      return name == "top" ? TextRange(utf16: 0..<0) : nil
    }
  }

  /// Returns the range of the block that the fragment of a wiki link names. For nested headings,
  /// such as `A#B`, the last one is used.
  private func note(_ name: String) -> TextRange? {
    name.hasPrefix("^")
      ? blocks[name.lowercased()]
      : headings[Self.words(String(name.split(separator: "#").last ?? ""))]
  }

  private static func words(_ text: String) -> String {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }
}

extension UserError {
  /// Returns the error for the fragment of a link that the document does not have.
  package static func noPart(_ part: LinkPart) -> UserError {
    switch part {
    case .note(let text) where text.hasPrefix("^"):
      UserError(.nothing, "there is no block '#\(text)'")
    default: UserError(.nothing, "there is no heading '#\(part.text)'")
    }
  }
}
