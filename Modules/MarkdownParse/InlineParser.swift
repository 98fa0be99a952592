import Model

/// The second phase of the parser: finds the spans in each leaf block with a stack of delimiters.
///
/// The algorithm is described in the appendix of the CommonMark specification. O(bytes), because
/// every failed search is remembered.
struct InlineParser {
  /// The joined lines of the current leaf.
  private(set) var bytes = Bytes(start: nil, count: 0)
  let options: MarkdownOptions
  let definitions: [String: Int]
  let footnotes: Set<String>
  /// The links of the document. Links in leaf blocks are appended.
  var links: LinkTable
  private(set) var leaf = LeafText()
  private(set) var isCell = false

  /// The result for the current leaf.
  var scan = InlineScan()
  var runs: [DelimiterRun] = []
  var lastRun = -1
  var brackets: [Bracket] = []
  /// The number of open brackets that contain a link, counted from the outermost one. They can't
  /// begin a link, because links don't contain links.
  var bracketsAroundLink = 0
  var position = 0
  /// The end of the last link or image.
  var linkEnd = -1
  /// The end of the last atom. A line break must not remove spaces before this offset, because they
  /// belong to the atom.
  var atomEnd = 0
  /// The start of the last backtick run of each length; nil until a search has reached the end of
  /// the leaf.
  private var lastBackticks: [Int: Int]?
  /// For each closing delimiter, the offset from which a search for it failed. Later searches from
  /// this offset on are skipped.
  private var failedSearches: [ClosingDelimiter: Int] = [:]
  /// The offset before which no `$$` can begin a formula.
  private var noDisplayBefore = 0

  /// A delimiter that a search may look for.
  enum ClosingDelimiter {
    case comment, instruction, cdata, declaration, math, displayMath
    case obsidianComment, expression, template, tex, texDisplay, shortcode, markdownShortcode
  }

  /// A `[` or `![` that may begin a link or an image.
  struct Bracket {
    var range: Range<Int>
    var isImage: Bool
    /// Whether it is `^[`, which begins an inline note.
    var isNote = false
    /// The index of the delimiter run before it; -1 if no run precedes it.
    var previousRun: Int
    /// Whether another bracket was opened after it.
    var hasBracketAfter = false
  }

  init(_ tree: BlockTree, options: MarkdownOptions) {
    self.options = options
    roles = Self.roles(options)
    links = tree.links
    definitions = tree.definitions
    footnotes = tree.footnotes
  }

  /// The kinds of spans that can begin with a byte.
  private struct Role: OptionSet {
    let rawValue: UInt8
    /// A span of CommonMark or GFM, or of an extension that several dialects share.
    static let common = Role(rawValue: 1)
    /// A span of a particular dialect, parsed by `parseDialectSpan`.
    static let dialect = Role(rawValue: 2)
    /// A bare address, if the byte is followed by an equal byte, as in `www`.
    static let letter = Role(rawValue: 4)
  }

  /// The role of each byte in the document's dialect.
  private let roles: InlineArray<256, Role>

  private static func roles(_ options: MarkdownOptions) -> InlineArray<256, Role> {
    var roles = InlineArray<256, Role>(repeating: [])
    func add(_ role: Role, _ bytes: StaticString, where isRead: Bool = true) {
      guard isRead else { return }
      for offset in 0..<bytes.utf8CodeUnitCount {
        roles[Int(bytes.utf8Start[offset])].insert(role)
      }
    }
    add(.common, "\n`\\&<*_[]!")
    add(.common, "~", where: options.strikethrough)
    add(.common, "=", where: options.mark)
    add(.common, "$", where: options.math)
    add(.common, ":@", where: options.autolinks)
    add(.letter, "w", where: options.autolinks)
    add(.dialect, "[!", where: options.wikiLinks)
    add(.dialect, ":", where: options.icons || options.emoji)
    add(.dialect, "%", where: options.comments)
    add(
      .dialect, "{",
      where: options.roles || options.attributes || options.colonAttributes || options.liquid
        || options.shortcodes || options.mdx)
    add(.dialect, "<", where: options.mdx)
    add(.dialect, "^", where: options.inlineNotes || options.scripts)
    add(.dialect, "~", where: options.scripts)
    add(.dialect, "+", where: options.keys)
    add(.dialect, "\\", where: options.texBrackets)
    return roles
  }

  /// Resets the parser for the next leaf, but keeps the allocated memory.
  private mutating func begin(_ leaf: LeafText) {
    bytes = leaf.bytes
    self.leaf = leaf
    scan.reset()
    if !runs.isEmpty { runs.removeAll(keepingCapacity: true) }
    lastRun = -1
    if !brackets.isEmpty { brackets.removeAll(keepingCapacity: true) }
    bracketsAroundLink = 0
    noDisplayBefore = 0
    position = 0
    atomEnd = 0
    linkEnd = -1
    if lastBackticks != nil { lastBackticks = nil }
    if !failedSearches.isEmpty { failedSearches = [:] }
  }

  /// Finds the spans and atoms of a leaf. The result is in `scan`.
  ///
  /// - Parameter isCell: whether the leaf is a table cell, in which `\|` is a pipe before any other
  ///   rule applies.
  mutating func parse(_ leaf: LeafText, isCell: Bool = false) {
    begin(leaf)
    self.isCell = isCell
    var end = bytes.count
    while end > 0, bytes[end - 1].isSpace { end -= 1 }
    scan.end = end
    if options.blockIDs, !isCell { takeBlockID() }
    // Most bytes cannot begin a span. They are skipped four at a time.
    let bytes = bytes
    let limit = scan.end
    var index = 0
    while index < limit {
      while index + 4 <= limit,
        roles[Int(bytes[index])].union(roles[Int(bytes[index + 1])])
          .union(roles[Int(bytes[index + 2])]).union(roles[Int(bytes[index + 3])]).isEmpty
      { index += 4 }
      while index < limit, roles[Int(bytes[index])].isEmpty { index += 1 }
      guard index < limit else { break }
      let byte = bytes[index]
      let role = roles[Int(byte)]
      position = index
      if role.contains(.letter) {
        if bytes.at(index + 1) == byte { parse(byte) } else { position += 1 }
      } else if !role.contains(.dialect) || !parseDialectSpan(byte) {
        if role.contains(.common) { parse(byte) } else { position += 1 }
      }
      index = position
    }
    position = index
    resolveRuns(after: -1)
  }

  private mutating func parse(_ byte: UInt8) {
    switch byte {
    case Byte.lineFeed: lineBreak()
    case UInt8(ascii: "`"): code()
    case UInt8(ascii: "\\"): escape()
    case UInt8(ascii: "&"):
      if let entity = Entities.match(bytes, at: position) {
        add(entity)
      } else {
        position += 1
      }
    case UInt8(ascii: "<"): angle()
    case UInt8(ascii: "["):
      brackets.indices.last.map { brackets[$0].hasBracketAfter = true }
      brackets.append(
        Bracket(range: position..<position + 1, isImage: false, previousRun: lastRun))
      position += 1
    case UInt8(ascii: "!") where bytes.at(position + 1) == UInt8(ascii: "["):
      brackets.indices.last.map { brackets[$0].hasBracketAfter = true }
      brackets.append(
        Bracket(range: position..<position + 2, isImage: true, previousRun: lastRun))
      position += 2
    case UInt8(ascii: "]"): position = closeBracket(at: position)
    case UInt8(ascii: "*"), UInt8(ascii: "_"): delimiterRun(byte)
    case UInt8(ascii: "~") where options.strikethrough: delimiterRun(byte)
    case UInt8(ascii: "=") where options.mark: delimiterRun(byte)
    case UInt8(ascii: "$") where options.math: math()
    case UInt8(ascii: "w"), UInt8(ascii: ":"), UInt8(ascii: "@"): bareLink(byte)
    default: position += 1
    }
    if scan.atoms.count > 0 {
      atomEnd = max(atomEnd, scan.atoms[scan.atoms.count - 1].range.upperBound)
    }
  }

  /// Appends a character reference or an emoji with its scalars.
  mutating func add(_ entity: Entities.Match) {
    let start = scan.scalars.count
    scan.scalars += entity.scalars
    add(.entity(start..<scan.scalars.count), to: position + entity.length)
  }

  /// Appends an atom from the current position to `end`, which becomes the current position.
  mutating func add(_ kind: InlineScan.Atom.Kind, to end: Int) {
    scan.atoms.append(InlineScan.Atom(kind: kind, range: position..<end))
    position = end
  }

  // MARK: - Breaks and escapes

  private mutating func lineBreak() {
    var start = position
    while start > atomEnd, bytes[start - 1].isBlank { start -= 1 }
    let isHard =
      position - start >= 2 && bytes[position - 1] == Byte.space
      && bytes[position - 2] == Byte.space
    var end = position + 1
    while bytes.at(end).isBlank { end += 1 }
    scan.atoms.append(InlineScan.Atom(kind: isHard ? .hardBreak : .softBreak, range: start..<end))
    position = end
  }

  private mutating func escape() {
    let next = bytes.at(position + 1)
    if next == Byte.lineFeed, position + 1 < scan.end {
      var end = position + 2
      while bytes.at(end).isBlank { end += 1 }
      add(.hardBreak, to: end)
    } else if isCell, next == UInt8(ascii: "\\"), bytes.at(position + 2) == UInt8(ascii: "|") {
      add(.escape, to: position + 3)
    } else if next.isPunctuation {
      add(.escape, to: position + 2)
    } else {
      position += 1
    }
  }

  // MARK: - Code and mathematics

  private mutating func code() {
    var end = position
    while bytes.at(end) == UInt8(ascii: "`") { end += 1 }
    guard let close = closingBackticks(end - position, from: end) else {
      position = end
      return
    }
    add(.code(end..<close), to: close + end - position)
  }

  /// Returns the start of the next run of exactly `length` backticks; nil if not found.
  ///
  /// A successful search costs as much as the length of the code span, which the parser then skips.
  /// The first search that fails records all runs, so later searches need not scan the leaf.
  private mutating func closingBackticks(_ length: Int, from start: Int) -> Int? {
    if let lastBackticks, lastBackticks[length] ?? -1 < start { return nil }
    var last: [Int: Int] = [:]
    var index = bytes.firstIndex(of: UInt8(ascii: "`"), from: start)
    while index < scan.end {
      let run = index
      index = backticksEnd(from: run)
      if index - run == length { return run }
      last[index - run] = run
      index = bytes.firstIndex(of: UInt8(ascii: "`"), from: index)
    }
    lastBackticks = last
    return nil
  }

  private func backticksEnd(from start: Int) -> Int {
    var end = start
    while end < scan.end, bytes[end] == UInt8(ascii: "`") { end += 1 }
    return end
  }

  /// Whether a run of exactly `length` backticks follows. O(leaf) at the first call in a leaf, then
  /// O(1).
  private mutating func hasClosingBackticks(_ length: Int, from start: Int) -> Bool {
    // No run has length 0, so this search fails and records the last run of each length.
    if lastBackticks == nil { _ = closingBackticks(0, from: start) }
    return lastBackticks?[length] ?? -1 >= start
  }

  private mutating func math() {
    let isDisplay = bytes.at(position + 1) == UInt8(ascii: "$")
    let width = isDisplay ? 2 : 1
    let start = position + width
    let first = bytes.at(start)
    // A dollar sign beside a letter or digit is probably part of a variable or an amount.
    guard start < scan.end,
      isDisplay
        || !first.isSpace && first != UInt8(ascii: "$") && !Self.isWord(bytes.at(position - 1)),
      let close = closingDollar(isDisplay, from: start)
    else {
      position += width
      return
    }
    var inner = start..<close
    if options.codeMath, !isDisplay, inner.count > 2, first == UInt8(ascii: "`"),
      bytes[close - 1] == UInt8(ascii: "`")
    {
      inner = inner.dropFirst().dropLast()
    }
    add(.math(inner, display: isDisplay), to: close + width)
  }

  /// Whether a byte beside a dollar sign prevents it from delimiting a formula.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || byte == UInt8(ascii: "`")
  }

  /// Returns the dollar sign that closes a formula; nil if not found. A sign in a code span doesn't
  /// count, and a formula cannot contain the `](` of a bracket that was opened before it.
  private mutating func closingDollar(_ isDisplay: Bool, from start: Int) -> Int? {
    let key = isDisplay ? ClosingDelimiter.displayMath : .math
    if let failed = failedSearches[key], start >= failed { return nil }
    if isDisplay, start < noDisplayBefore { return nil }
    var outer = brackets.count
    var inner = 0
    var index = start
    while index < scan.end {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "$"):
        if isDisplay {
          if bytes.at(index + 1) == UInt8(ascii: "$"), index > start { return index }
        } else {
          // In TeX, a dollar sign within a formula is escaped. If this sign doesn't close the
          // formula, the first sign didn't open one.
          let isClosing =
            index > start && !bytes[index - 1].isSpace && !Self.isWord(bytes.at(index + 1))
          return isClosing ? index : nil
        }
        index += 1
      case UInt8(ascii: "`"):
        let end = backticksEnd(from: index)
        let length = end - index
        if isDisplay || index == start {
          if let close = closingBackticks(length, from: end) {
            index = close + length
            // An inline formula contains no code span, unless the code span is its entire content:
            // `$`x`$`.
            if !isDisplay, bytes.at(index) != UInt8(ascii: "$") { return nil }
            continue
          }
        } else if hasClosingBackticks(length, from: end) {
          return nil
        }
        index = end
      case UInt8(ascii: "["):
        inner += 1
        index += 1
      case UInt8(ascii: "]"):
        if inner > 0 {
          inner -= 1
        } else if outer > 0 {
          outer -= 1
          if bytes.at(index + 1) == UInt8(ascii: "("), canBeLink(outer) {
            if isDisplay { noDisplayBefore = index }
            return nil
          }
        }
        index += 1
      default: index += 1
      }
    }
    failedSearches[key] = start
    return nil
  }

  // MARK: - Angle brackets

  private mutating func angle() {
    if let autolink = autolink(at: position) {
      let content = position + 1..<autolink.end - 1
      var resolved: LinkTable.Resolved?
      if autolink.isEmail {
        let address = String(decoding: bytes[content], as: UTF8.self)
        resolved = LinkTable.Resolved(destination: "mailto:" + address)
      }
      let link = links.append(leaf.source(content), resolved: resolved)
      add(.autolink(link), to: autolink.end)
    } else if let end = rawHTML(at: position) {
      add(.rawHTML, to: end)
      scan.hasTags = true
    } else {
      position += 1
    }
  }

  /// Creates a link for the bare address around the current position.
  ///
  /// The address is found before the markup in it, so that an `_` in it isn't emphasis. In two
  /// cases the search is deferred until all spans are known. Inside brackets, the address may be
  /// part of a link. In an email address, a character may be markup.
  private mutating func bareLink(_ byte: UInt8) {
    let start = position
    position += 1
    guard mayBeAddress(byte, at: start) else { return }
    let text = atomEnd..<scan.end
    guard byte != UInt8(ascii: "@"), brackets.isEmpty,
      let match = byte == UInt8(ascii: "w")
        ? Autolinks.www(bytes, at: start, in: text)
        : Autolinks.url(bytes, colon: start, after: atomEnd, in: text)
    else {
      scan.mayContainAddresses = true
      return
    }
    let link = match.add(to: &links, bytes, leaf)
    scan.atoms.append(InlineScan.Atom(kind: .bareLink(link), range: match.range))
    position = match.range.upperBound
  }

  /// Whether the bytes beside `w`, `:` or `@` can belong to an address.
  @inline(__always)
  private func mayBeAddress(_ byte: UInt8, at index: Int) -> Bool {
    switch byte {
    case UInt8(ascii: "w"):
      bytes.at(index + 1) == UInt8(ascii: "w") && bytes.starts(with: "www.", at: index)
    case UInt8(ascii: ":"):
      bytes.at(index + 1) == UInt8(ascii: "/") && bytes.at(index + 2) == UInt8(ascii: "/")
    default: Autolinks.isEmailByte(bytes.at(index - 1))
    }
  }

  func autolink(at start: Int) -> (end: Int, isEmail: Bool)? {
    var index = start + 1
    guard bytes.at(index).isAlphanumeric || Self.isEmailByte(bytes.at(index)) else { return nil }
    // An address is a scheme of 2 to 32 characters, followed by anything except whitespace and
    // angle brackets.
    if bytes.at(index).isLetter {
      while index - start <= 33,
        bytes.at(index).isAlphanumeric || "+.-".utf8.contains(bytes.at(index))
      { index += 1 }
      if bytes.at(index) == UInt8(ascii: ":"), (3...33).contains(index - start) {
        index += 1
        while index < scan.end, bytes[index] > 32, bytes[index] != UInt8(ascii: "<"),
          bytes[index] != UInt8(ascii: ">"), bytes[index] != 127
        { index += 1 }
        if bytes.at(index) == UInt8(ascii: ">") { return (index + 1, false) }
        return nil
      }
    }
    return emailEnd(at: start + 1).map { ($0, true) }
  }

  private func emailEnd(at start: Int) -> Int? {
    var index = start
    while Self.isEmailByte(bytes.at(index)) { index += 1 }
    guard index > start, bytes.at(index) == UInt8(ascii: "@") else { return nil }
    repeat {
      index += 1
      let label = index
      while bytes.at(index).isAlphanumeric || bytes.at(index) == UInt8(ascii: "-") { index += 1 }
      guard (1...63).contains(index - label), bytes[label] != UInt8(ascii: "-"),
        bytes[index - 1] != UInt8(ascii: "-")
      else { return nil }
    } while bytes.at(index) == UInt8(ascii: ".")
    return bytes.at(index) == UInt8(ascii: ">") ? index + 1 : nil
  }

  /// Whether HTML allows a byte before the `@` of an email address.
  static func isEmailByte(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
  }

  mutating func rawHTML(at start: Int) -> Int? {
    switch bytes.at(start + 1) {
    case UInt8(ascii: "/"): return HTMLScanner.closingTag(bytes, at: start)
    case UInt8(ascii: "?"):
      return find("?>", .instruction, from: start + 2)
    case UInt8(ascii: "!"):
      if bytes.starts(with: "--", at: start + 2) {
        if bytes.starts(with: ">", at: start + 4) { return start + 5 }
        if bytes.starts(with: "->", at: start + 4) { return start + 6 }
        return find("-->", .comment, from: start + 4)
      }
      if bytes.starts(with: "[CDATA[", at: start + 2) {
        return find("]]>", .cdata, from: start + 9)
      }
      guard bytes.at(start + 2).isLetter else { return nil }
      return find(">", .declaration, from: start + 3)
    default: return HTMLScanner.openTag(bytes, at: start)
    }
  }

  /// Returns the end of the next occurrence of `text`; nil if not found. A failed search isn't
  /// repeated.
  mutating func find(_ text: StaticString, _ key: ClosingDelimiter, from start: Int) -> Int? {
    if let failed = failedSearches[key], start >= failed { return nil }
    guard let found = bytes.firstIndex(of: text, from: start) else {
      failedSearches[key] = start
      return nil
    }
    return found + text.utf8CodeUnitCount
  }

  // MARK: - Delimiter runs

  private mutating func delimiterRun(_ byte: UInt8) {
    let start = position
    while bytes.at(position) == byte, position < scan.end { position += 1 }
    let length = position - start
    if byte == UInt8(ascii: "~"), length > 2 || length == 1 && options.scripts { return }
    if byte == UInt8(ascii: "="), length != 2 { return }
    let before = bytes.scalar(before: start)
    let after = position < scan.end ? bytes.scalar(at: position) : 10
    let spaceBefore = ScalarClass.isSpace(before)
    let spaceAfter = ScalarClass.isSpace(after)
    let punctuationBefore = ScalarClass.isPunctuation(before)
    let punctuationAfter = ScalarClass.isPunctuation(after)
    let isLeft = !spaceAfter && (!punctuationAfter || spaceBefore || punctuationBefore)
    let isRight = !spaceBefore && (!punctuationBefore || spaceAfter || punctuationAfter)
    let isUnderscore = byte == UInt8(ascii: "_")
    let canOpen = isLeft && (!isUnderscore || !isRight || punctuationBefore)
    let canClose = isRight && (!isUnderscore || !isLeft || punctuationAfter)
    guard canOpen || canClose else { return }
    let index = runs.count
    runs.append(
      DelimiterRun(
        byte: byte, range: start..<position, length: length, canOpen: canOpen, canClose: canClose,
        previous: lastRun, next: -1))
    if lastRun >= 0 { runs[lastRun].next = index }
    lastRun = index
  }
}
