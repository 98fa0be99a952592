import Model

extension BlockParser {
  /// Removes the link reference definitions at the start of a paragraph. They become separate
  /// blocks.
  ///
  /// - Returns: the block with the remaining text of the paragraph; nil if no text remains.
  mutating func takeDefinitions(from paragraph: Int) -> Int? {
    let lines = tree.nodes[paragraph].lines
    guard let first = lines.first, bytes.at(tree.lines[first].start) == UInt8(ascii: "[") else {
      return lines.isEmpty ? nil : paragraph
    }
    return withText(of: lines) { parser, leaf in
      var end = 0
      var found: [Definition] = []
      while let definition = Definition(leaf.bytes, at: end) {
        found.append(definition)
        end = definition.next
      }
      guard !found.isEmpty else { return paragraph }
      return parser.replace(paragraph, with: found, restFrom: end, leaf)
    }
  }

  /// Turns the paragraph into its first definition. The other definitions and the remaining text
  /// are appended as new blocks.
  private mutating func replace(
    _ paragraph: Int, with found: [Definition], restFrom end: Int, _ leaf: LeafText
  ) -> Int? {
    let lines = tree.nodes[paragraph].lines
    let parent = tree.nodes[paragraph].parent
    let paragraphEnd = tree.nodes[paragraph].end
    let wasOpen = tree.nodes[paragraph].isOpen
    for (number, definition) in found.enumerated() {
      let start = leaf.sourceOffset(definition.start)
      let node = number == 0 ? paragraph : tree.append(.definition, to: parent, start: start)
      tree.nodes[node].kind = .definition
      tree.nodes[node].end = leaf.sourceOffset(definition.end)
      tree.nodes[node].lines =
        lines.lowerBound + leaf.lineIndex(definition.start)..<lines.lowerBound
        + leaf.lineIndex(definition.end - 1) + 1
      tree.nodes[node].isOpen = false
      recordPart(.definitionLabel, of: node, leaf.source(definition.labelRange).bytes)
      recordPart(.definitionDestination, of: node, leaf.source(definition.destinationRange).bytes)
      if let title = definition.titleRange {
        recordPart(.definitionTitle, of: node, leaf.source(title).bytes)
      }
      if tree.definitions[definition.label] == nil {
        tree.definitions[definition.label] = tree.links.append(
          leaf.source(definition.destinationRange), title: definition.titleRange.map(leaf.source),
          resolved: definition.resolved)
      }
    }
    let used = leaf.lineIndex(end)
    guard used < lines.count else { return nil }
    let rest = tree.append(
      .paragraph, to: parent, start: tree.lines[lines.lowerBound + used].start)
    tree.nodes[rest].lines = lines.lowerBound + used..<lines.upperBound
    tree.nodes[rest].end = paragraphEnd
    tree.nodes[rest].isOpen = wasOpen
    // The blank line follows the remaining text, not the definitions.
    tree.nodes[rest].lastLineIsBlank = tree.nodes[paragraph].lastLineIsBlank
    tree.nodes[paragraph].lastLineIsBlank = false
    return rest
  }
}

/// A link reference definition. Its offsets refer to the joined lines of the paragraph.
private struct Definition {
  var start: Int
  /// The end of the definition's last part, before the line ending.
  var end: Int
  /// The start of the line after the definition.
  var next: Int
  var label: String
  var labelRange: Range<Int>
  var destinationRange: Range<Int>
  var titleRange: Range<Int>?
  /// The destination and title with escapes and entities decoded; nil if there is nothing to
  /// decode.
  var resolved: LinkTable.Resolved?

  /// Parses the definition that begins at an index; nil if the text there isn't a definition.
  init?(_ bytes: Bytes, at start: Int) {
    guard bytes.at(start) == UInt8(ascii: "["),
      let labelEnd = LinkScanner.label(bytes, at: start), bytes.at(labelEnd) == UInt8(ascii: ":")
    else { return nil }
    labelRange = start + 1..<labelEnd - 1
    label = LinkScanner.normalized(Bytes(rebasing: bytes[labelRange]))
    guard !label.isEmpty else { return nil }
    var index = Self.skipSpace(bytes, labelEnd + 1)
    guard let target = LinkScanner.destination(bytes, at: index), target.end > index else {
      return nil
    }
    destinationRange = target.content
    index = target.end
    self.start = start

    let titleStart = Self.skipSpace(bytes, index)
    if titleStart > index, let titleEnd = LinkScanner.title(bytes, at: titleStart),
      let next = Self.lineRest(bytes, titleEnd)
    {
      titleRange = titleStart..<titleEnd
      end = titleEnd
      self.next = next
    } else if let next = Self.lineRest(bytes, index) {
      end = index
      self.next = next
    } else {
      return nil
    }
    resolved = LinkScanner.resolved(destinationRange, title: titleRange, of: bytes)
  }

  /// Skips spaces and at most one line ending.
  private static func skipSpace(_ bytes: Bytes, _ start: Int) -> Int {
    var index = start
    while bytes.at(index).isBlank { index += 1 }
    if bytes.at(index) == Byte.lineFeed {
      index += 1
      while bytes.at(index).isBlank { index += 1 }
    }
    return index
  }

  /// Returns the start of the next line if the rest of the current line is blank; nil otherwise.
  private static func lineRest(_ bytes: Bytes, _ start: Int) -> Int? {
    var index = start
    while bytes.at(index).isBlank { index += 1 }
    guard index < bytes.count else { return index }
    return bytes[index] == Byte.lineFeed ? index + 1 : nil
  }
}
