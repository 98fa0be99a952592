import Model

/// What the block parser keeps for dialects other than CommonMark and GFM.
struct DialectState {
  /// How many admonitions between fences are open. Their lines need no marker, so that deep nesting
  /// would make every line long to look at.
  var openDirectives = 0
  /// The admonition that the line closes, if what is inside it lets it; -1 for none.
  var closing = -1
  /// Whether the line has as many colons as that admonition's first.
  var closesExactly = false
  /// Where each closing word of hidden markup stands last, once it was asked for.
  var lastPlaces: [HiddenMarkup: Int] = [:]
  /// Where a tag of Hugo's that closes each name stands last, once that was asked for.
  var lastClosings: [String: Int]?

  /// The most admonitions that are open at a time; what would open more is text.
  static let mostDirectives = 32
}

extension BlockParser {
  /// Opens a block that neither CommonMark nor GFM knows. Nil when none begins here; else whether
  /// another may begin in the rest of the line.
  mutating func startOwnBlock(_ container: inout Int, _ mayBeLazy: Bool) -> Bool? {
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

  /// Ends what is said of a block's first line: nothing of it is text.
  mutating func useUpLine() {
    isFenceLine = true
    advance(to: lineEnd)
  }

  /// What `close` does with the blocks of this file's kind.
  mutating func closeOwn(_ index: Int) {
    let node = tree.nodes[index]
    if node.kind == .admonition {
      if node.number > 0 { dialect.openDirectives -= 1 }
    } else if !isFinished(index), let markup = HiddenMarkup(rawValue: node.number), markup.isTag {
      // A tag without an end is none.
      tree.nodes[index].kind = .paragraph
      _ = takeDefinitions(from: index)
    }
  }

  // MARK: - Descriptions

  /// Makes the paragraph before the line terms and begins a description with it, or adds one to those
  /// that are there.
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
    note(.descriptionMarker, of: container, start..<start + 1)
    tree.nodes[container].list.padding = advance(pastMarker: 1)
    tree.nodes[container].end = start + 1
    findNonblank()
    return true
  }

  /// Makes a list of the paragraph that is open, or of the last one in a container.
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
