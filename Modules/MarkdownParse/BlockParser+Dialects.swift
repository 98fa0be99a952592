import Model

/// The state of the block parser for dialects other than CommonMark and GFM.
struct DialectState {
  /// The number of open fenced admonitions. It is limited because their lines have no markers, so
  /// deep nesting would make every line slow to parse.
  var openDirectives = 0
  /// The admonition that the line closes, unless a block inside it takes precedence; -1 if the line
  /// closes none.
  var closing = -1
  /// Whether the closing fence is exactly as long as the admonition's opening fence.
  var closesExactly = false
  /// The last offset of each closing text of hidden markup, computed on demand.
  var lastPlaces: [HiddenMarkup: Int] = [:]
  /// The last offset of a closing Hugo tag for each name, computed on demand.
  var lastClosings: [String: Int]?

  /// The maximum number of open fenced admonitions. A fence that would open another one is text.
  static let mostDirectives = 32
}

extension BlockParser {
  /// Opens a block that neither CommonMark nor GFM defines. Returns whether another block may begin
  /// in the rest of the line; nil if no such block begins here.
  mutating func startDialectBlock(_ container: inout Int, _ mayBeLazy: Bool) -> Bool? {
    guard !isBlank else { return nil }
    let isInParagraph = tree.nodes[container].kind == .paragraph || mayBeLazy
    switch byte(nonblank) {
    case UInt8(ascii: ":"):
      if options.directives, startDirective(&container, UInt8(ascii: ":")) { return false }
      if options.fencedDirectives, startOption(&container) { return false }
      if options.descriptionLists, startDescription(&container) { return true }
    case UInt8(ascii: "`") where options.fencedDirectives:
      if startDirective(&container, UInt8(ascii: "`")) { return false }
    case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "="):
      if options.admonitions, startAdmonition(&container) { return false }
    case UInt8(ascii: "%"):
      if options.comments, startComment(&container, .comment) { return false }
      if options.roles { return addHiddenLine(in: &container) }
    case UInt8(ascii: "("), UInt8(ascii: "+"):
      if options.roles, startTarget(&container) { return false }
    case UInt8(ascii: "*"):
      if options.abbreviations, startAbbreviation(&container) { return false }
    case UInt8(ascii: "{"):
      if options.colonAttributes, startAttributes(&container) { return false }
      if options.shortcodes, startShortcodes(&container) { return false }
      if options.liquid, startLiquid(&container) { return false }
      if options.mdx, startComment(&container, .expression) { return false }
    case UInt8(ascii: "<"):
      if options.markdownTags, startMarkdownTag(&container) { return false }
      if options.mdx, !isInParagraph || byte(nonblank + 1) == UInt8(ascii: "/"),
        startTags(&container)
      {
        return false
      }
    case UInt8(ascii: "i"), UInt8(ascii: "e"):
      if options.mdx, !isInParagraph, startModule(&container) { return false }
    default: break
    }
    return nil
  }

  /// Consumes the rest of the line, so that none of it becomes text.
  mutating func useUpLine() {
    isFenceLine = true
    advance(to: lineEnd)
  }

  /// Closes a block of a kind that only dialects have; called by `close`.
  mutating func closeDialectBlock(_ index: Int) {
    let node = tree.nodes[index]
    if node.kind == .admonition {
      if node.number > 0 { dialect.openDirectives -= 1 }
    } else if !isFinished(index), let markup = HiddenMarkup(rawValue: node.number), markup.isTag {
      // A tag whose end is missing is text.
      tree.nodes[index].kind = .paragraph
      _ = takeDefinitions(from: index)
    }
  }

  // MARK: - Descriptions

  /// Begins a description after `:`. The paragraph before the line becomes the terms, unless a
  /// description list is already open.
  private mutating func startDescription(_ container: inout Int) -> Bool {
    guard byte(nonblank + 1).isBlank else { return false }
    if tree.nodes[container].kind != .descriptionList {
      guard let list = makeTerms(before: &container) else { return false }
      container = list
    }
    let columns = indent
    let start = nonblank
    container = add(.description, to: container, start: start)
    tree.nodes[container].list.markerOffset = columns
    recordPart(.descriptionMarker, of: container, start..<start + 1)
    tree.nodes[container].list.padding = advance(pastMarker: 1)
    tree.nodes[container].end = start + 1
    findNonblank()
    return true
  }

  /// Turns the open paragraph, or the last paragraph in the container, into a description list
  /// whose terms are its lines. Returns nil if there is no such paragraph.
  private mutating func makeTerms(before container: inout Int) -> Int? {
    var paragraph = container
    if tree.nodes[container].kind == .paragraph {
      guard let rest = takeDefinitions(from: container) else {
        tree.nodes[container].isOpen = false
        tip = tree.nodes[container].parent
        container = tip
        return nil
      }
      paragraph = rest
    } else {
      paragraph = tree.nodes[container].lastChild
      guard paragraph >= 0, tip == container, tree.nodes[paragraph].kind == .paragraph else {
        return nil
      }
    }
    let lines = tree.nodes[paragraph].lines
    guard !lines.isEmpty, paragraph == tree.nodes.count - 1 else { return nil }
    tree.nodes[paragraph].kind = .descriptionList
    tree.nodes[paragraph].lines = 0..<0
    tree.nodes[paragraph].isOpen = true
    tip = paragraph
    for line in lines {
      let slice = tree.lines[line]
      let term = tree.append(.descriptionTerm, to: paragraph, start: slice.start)
      tree.nodes[term].end = slice.end
      tree.nodes[term].lines = line..<line + 1
      tree.nodes[term].isOpen = false
    }
    return paragraph
  }
}
