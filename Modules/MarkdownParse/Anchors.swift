package import Model

extension ParsedDocument {
  /// Returns the text range for a name. The name is that of a heading's `{#name}`, a tag's `id`, a
  /// footnote (`fn:label`) or its first reference (`fnref:label`). The range of a heading or a tag
  /// is empty. Nil if the document doesn't define the name. O(names + blocks + spans).
  package func text(named name: String) -> TextRange? {
    for anchor in anchors where source.text(in: SourceRange(bytes: anchor.name.range)) == name {
      let start = map.textOffset(ofSource: anchor.place, bias: .trailing)
      return TextRange(start, start)
    }
    if name.hasPrefix("fn:") { return footnote(labelled: String(name.dropFirst(3))) }
    guard name.hasPrefix("fnref:") else { return nil }
    let label = folded(String(name.dropFirst(6)))
    return inlines.first {
      guard case .footnoteReference(let labelRange) = $0.kind else { return false }
      return folded(source.text(in: labelRange)) == label
    }?.text
  }

  /// Returns the text of the footnote with a label; nil if not found. O(blocks).
  package func footnote(labelled label: String) -> TextRange? {
    let label = folded(label)
    return blocks.first {
      guard case .footnoteDefinition(let labelRange) = $0.kind else { return false }
      return folded(source.text(in: labelRange)) == label
    }?.text
  }

  /// Returns the label of the footnote reference or footnote at an offset; nil if the offset is in
  /// neither. `isText` is true inside a footnote and false at a reference. O(blocks + spans of the
  /// block).
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

  /// Returns a footnote's label in the form in which labels are compared. O(label).
  package func folded(_ label: String) -> String {
    var label = label
    return label.withUTF8 { LinkScanner.normalized($0) }
  }

  /// The headings with their names in links. The names are derived as on GitHub: lower case,
  /// hyphens for spaces, and no other punctuation. A repeated name gets `-1`, `-2` and so on.
  /// O(text of the headings).
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

  /// The names that tags and heading attributes define, with their offsets in the text. O(names ×
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
