package import Model

extension ParsedDocument {
  /// The text at the place with a name: a heading's `{#name}`, a tag's `id`, a footnote (`fn:label`) or
  /// its first mark (`fnref:label`). Nil when nothing has the name. O(names + blocks + spans).
  package func text(named name: String) -> TextRange? {
    for anchor in anchors where source.text(in: SourceRange(bytes: anchor.name.range)) == name {
      let start = map.textOffset(ofSource: anchor.place, bias: .trailing)
      return TextRange(start, start)
    }
    if name.hasPrefix("fn:") { return footnote(labelled: String(name.dropFirst(3))) }
    guard name.hasPrefix("fnref:") else { return nil }
    let label = folded(String(name.dropFirst(6)))
    return inlines.first {
      guard case .footnoteReference(let own) = $0.kind else { return false }
      return folded(source.text(in: own)) == label
    }?.text
  }

  /// The text of the footnote with a label; nil when there is none. O(blocks).
  package func footnote(labelled label: String) -> TextRange? {
    let label = folded(label)
    return blocks.first {
      guard case .footnoteDefinition(let own) = $0.kind else { return false }
      return folded(source.text(in: own)) == label
    }?.text
  }

  /// The label of the footnote whose mark or text stands at an offset, and whether it is its text; nil
  /// where there is neither. O(blocks).
  package func footnote(at offset: TextOffset) -> (label: String, isText: Bool)? {
    var inside: (label: String, isText: Bool)?
    for block in blocks where block.text.contains(offset) {
      if case .footnoteDefinition(let label) = block.kind {
        inside = (source.text(in: label), true)
      }
      guard block.firstChild < 0 else { continue }
      for inline in inlines[block.inlines] where inline.text.contains(offset) {
        if case .footnoteReference(let label) = inline.kind {
          return (source.text(in: label), false)
        }
      }
    }
    return inside
  }

  /// A footnote's label as labels are compared. O(label).
  package func folded(_ label: String) -> String {
    var label = label
    return label.withUTF8 { LinkScanner.normalized($0) }
  }

  /// The headings by their names in links, as GitHub makes them: lower case, blanks as hyphens, no other
  /// signs; a second one of its name has `-1` behind it. O(text of the headings).
  package var headingNames: [(name: String, block: Int)] {
    var seen: [String: Int] = [:]
    return blocks.indices.compactMap { index in
      guard case .heading = blocks[index].kind else { return nil }
      var name = ""
      for character in text.substring(blocks[index].text).lowercased() {
        if character == " " {
          name.append("-")
        } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
          name.append(character)
        }
      }
      let repeats = seen[name, default: 0]
      seen[name] = repeats + 1
      return (repeats == 0 ? name : "\(name)-\(repeats)", index)
    }
  }

  /// The names that tags and attributes give to places, with the offset of each in the text. O(names ×
  /// log text).
  package var namedPlaces: [(name: String, offset: TextOffset)] {
    anchors.map {
      (
        source.text(in: SourceRange(bytes: $0.name.range)),
        map.textOffset(ofSource: $0.place, bias: .trailing)
      )
    }
  }
}
