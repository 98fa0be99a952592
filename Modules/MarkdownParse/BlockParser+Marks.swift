import Model

// Lines of certain dialects that aren't rendered, or that name the next block.
extension BlockParser {
  /// Hides the line. Always returns false, because no block can begin in the rest of it.
  mutating func addHiddenLine(in container: inout Int) -> Bool {
    addHidden(.line, to: &container, through: contentEnd)
    return false
  }

  /// Hides a link target `(name)=` or a line of plus signs, which separates blocks in MyST.
  mutating func startTarget(_ container: inout Int) -> Bool {
    let start = nonblank
    let end = contentEnd
    if byte(start) == UInt8(ascii: "+") {
      guard bytes.starts(with: "+++", at: start), container == 0, indent == 0,
        end == start + 3 || byte(start + 3).isBlank
      else { return false }
    } else {
      guard end > start + 3, byte(end - 1) == UInt8(ascii: "="), byte(end - 2) == UInt8(ascii: ")"),
        !bytes[start + 1..<end - 2].contains(where: { $0.isSpace || "()".utf8.contains($0) })
      else { return false }
      tree.anchors.append(AnchorName(start + 1..<end - 2, at: start))
    }
    return !addHiddenLine(in: &container)
  }

  /// Hides an abbreviation, `*[HTML]: explanation`.
  mutating func startAbbreviation(_ container: inout Int) -> Bool {
    guard byte(nonblank + 1) == UInt8(ascii: "["), byte(nonblank + 2) != UInt8(ascii: "]"),
      let close = bytes[nonblank..<lineEnd].firstIndex(of: UInt8(ascii: "]")),
      byte(close + 1) == UInt8(ascii: ":")
    else { return false }
    return !addHiddenLine(in: &container)
  }

  /// Hides attributes on a separate line, `{: .class}`, and kramdown's other markup between braces
  /// and colons. A list before `{:toc}` is also hidden, because it only marks the position of the
  /// table of contents.
  mutating func startAttributes(_ container: inout Int) -> Bool {
    let start = nonblank
    let end = contentEnd
    if bytes.starts(with: "{::", at: start) || bytes.starts(with: "{:/", at: start) {
      guard bytes[end - 1] == UInt8(ascii: "}"), !options.attributes else { return false }
      guard bytes.starts(with: "{::comment}", at: start), endOf("{:/comment}", from: start) == nil,
        isClosed(.colonComment, after: lineEnd)
      else { return !addHiddenLine(in: &container) }
      open(.colonComment, in: &container)
      appendHidden(start..<end, to: container)
      useUpLine()
      return true
    }
    guard options.attributesEnd(bytes, at: start, areAlone: true) == end else { return false }
    if bytes.starts(with: "{:toc", at: start) || bytes.starts(with: "{: toc", at: start) {
      hideList(before: &container)
    }
    return !addHiddenLine(in: &container)
  }

  /// Hides the list that directly precedes the line.
  private mutating func hideList(before container: inout Int) {
    // A blank line ends the paragraph. After it, the line doesn't refer to the list.
    guard tree.nodes[tip].kind == .paragraph else { return }
    if tree.nodes[container].kind == .list || tree.nodes[container].kind == .paragraph {
      container = tree.nodes[container].parent
    }
    let list = tree.nodes[container].lastChild
    guard list >= 0, tree.nodes[list].kind == .list, tree.nodes[list].isOpen else { return }
    closeDown(to: container)
    for index in list..<tree.nodes.count where tree.nodes[index].kind == .paragraph {
      tree.nodes[index].kind = .hidden
      tree.nodes[index].fence = 1
    }
  }

  /// Hides an HTML tag with the attribute `markdown`. The content after it is parsed as Markdown.
  mutating func startMarkdownTag(_ container: inout Int) -> Bool {
    guard
      HTMLScanner.blockKind(bytes, at: nonblank, end: lineEnd, interruptsParagraph: false) != nil,
      let end = HTMLScanner.openTag(Bytes(rebasing: bytes[..<lineEnd]), at: nonblank),
      end == contentEnd,
      let value = HTMLTokens.attribute("markdown", in: nonblank..<end, of: bytes),
      !bytes[value].elementsEqual("0".utf8)
    else { return false }
    if let name = HTMLTokens.attribute("id", in: nonblank..<end, of: bytes), !name.isEmpty {
      tree.anchors.append(AnchorName(name, at: nonblank))
    }
    return !addHiddenLine(in: &container)
  }

  /// Whether the line is an option of a code directive.
  func isOptionOfCode(_ code: Int) -> Bool {
    let node = tree.nodes[code]
    guard node.lines.isEmpty, let info = node.info, bytes[info.lowerBound] == UInt8(ascii: "{")
    else { return false }
    return isOption
  }

  /// Turns the heading that was just added into the title of a callout if it is the callout's first
  /// block.
  mutating func makeTitle(of heading: Int) {
    let callout = tree.nodes[heading].parent
    let label = tree.nodes[callout].firstChild
    guard tree.nodes[callout].kind == .admonition, label >= 0, tree.nodes[label].next == heading,
      tree.nodes[label].kind == .calloutLabel, tree.nodes[label].lines.isEmpty,
      let type = tree.nodes[label].info, let name = tree.nodes[callout].info,
      type != name, !tree.nodes[heading].lines.isEmpty
    else { return }
    tree.nodes[label].kind = .hidden
    tree.nodes[label].fence = 1
    recordPart(.admonitionMarker, of: callout, type)
    tree.nodes[heading].kind = .calloutLabel
    tree.nodes[heading].info = type
    for index in tree.parts.indices.reversed().dropFirst() {
      let part = tree.parts[index]
      guard part.block == heading else { break }
      tree.parts[index] = BlockPart(.calloutMarker, of: heading, source: part.source.bytes)
    }
  }

  // MARK: - Tags with a label

  /// Uses the label of a tag, as in `<TabItem label="npm">`, as the text of its block, which was
  /// hidden until now. Returns false if the tag has no label.
  mutating func addTagLabel(to block: Int, _ tag: Range<Int>) -> Bool {
    let nameEnd = HTMLTokens.nameEnd(bytes, from: tag.lowerBound + 1)
    let name = tag.lowerBound + 1..<nameEnd
    guard name.count <= 16 else { return false }
    let word = String(decoding: bytes[name], as: UTF8.self)
    let isAdmonition = Self.admonitionTags.contains(word)
    guard isAdmonition || Self.labelledTags.contains(word) else { return false }
    var label: Range<Int>?
    for key in ["title", "label"] as [StaticString] where label == nil {
      label = HTMLTokens.attribute(key, in: tag, of: bytes)
    }
    let type = HTMLTokens.attribute("type", in: tag, of: bytes)
    var info = tag.lowerBound..<tag.lowerBound
    var isType = false
    if isAdmonition {
      if word == "Admonition" || word == "Aside" || word == "Callout" {
        info = type ?? info
      } else {
        info = name
      }
      if label == nil, !info.isEmpty { (label, isType) = (info, true) }
    }
    let lines = tree.nodes[block].lines
    guard let label, !label.isEmpty,
      !bytes[label].contains(where: { "{}<>\n\r".utf8.contains($0) }),
      let line = lines.first(where: {
        tree.lines[$0].start <= label.lowerBound && label.upperBound <= tree.lines[$0].end
      }), !isType || bytes[label].allSatisfy(\.isNameByte)
    else { return false }
    for index in lines {
      let range = tree.lines[index].start..<tree.lines[index].end
      if index == line {
        recordPart(
          .calloutMarker, of: block, bytes.withoutBlanks(range.lowerBound..<label.lowerBound))
        recordPart(
          .calloutMarker, of: block, bytes.withoutBlanks(label.upperBound..<range.upperBound))
      } else {
        recordPart(.calloutMarker, of: block, bytes.withoutBlanks(range))
      }
    }
    tree.nodes[block].kind = .calloutLabel
    tree.nodes[block].info = info
    // The label isn't parsed as Markdown.
    tree.nodes[block].fence = UInt8(ascii: "<")
    tree.lines[line].start = label.lowerBound
    tree.lines[line].end = label.upperBound
    tree.nodes[block].lines = isType ? 0..<0 : line..<line + 1
    return true
  }

  private static let admonitionTags: Set<String> = [
    "Admonition", "Aside", "Callout", "Note", "Tip", "Info", "Warning", "Danger", "Caution",
  ]

  private static let labelledTags: Set<String> = [
    "TabItem", "Tab", "Card", "LinkCard", "LinkButton", "Accordion", "AccordionItem", "Step",
    "Expandable", "Collapsible",
  ]
}
