import MarkdownParse

/// Writes inline content as Markdown.
struct InlineWriter {
  /// The kind of block that contains the text.
  enum Place {
    case paragraph, heading, cell
  }

  /// How much is escaped. `MarkdownWriter` uses the first level at which the result shows the
  /// intended text and has the intended links.
  enum Care: Int, CaseIterable {
    /// Only characters that could be markup together with other blocks are escaped.
    case least
    /// All characters of the text that could be markup at their position are escaped.
    case text
    /// Those of addresses and of the descriptions of pictures are escaped, too.
    case usual
    /// All ASCII punctuation is escaped, and styles are written as HTML tags.
    case all
    /// Only the text is written, with all ASCII punctuation escaped.
    case plain
    /// As `plain`, with the first character as a numeric reference, because some dialects treat
    /// certain words at the start of a line as commands.
    case reference

    fileprivate var isPlain: Bool { rawValue >= Care.plain.rawValue }
    fileprivate var usesMarks: Bool { rawValue <= Care.usual.rawValue }
  }

  /// A piece of the text: written text, or the start or end of a style.
  private enum Piece {
    case raw(String)
    /// The number is the index of the style's pair.
    case open(Int)
    case close(Int)
  }

  private struct Pair {
    var mark: String
    var tag: String
    /// Whether the style has a Markdown delimiter.
    var hasMark: Bool { !mark.isEmpty }
  }

  private let place: Place
  private let care: Care
  private var pieces: [Piece] = []
  private var pairs: [Pair] = []
  /// The last character of the text so far, as shown; a line feed at the start of a line.
  private var last: Unicode.Scalar = "\n"

  private init(_ place: Place, _ care: Care) {
    (self.place, self.care) = (place, care)
    // No block can start after the marker of a heading or a cell.
    if place != .paragraph { last = " " }
  }

  /// Returns the inline content as Markdown. A line break is a backslash and a line feed in a
  /// paragraph, and `<br>` in a heading or a cell. In a heading of which only the text is written,
  /// it is a space.
  static func write(_ line: [ArticleInline], in place: Place, _ care: Care) -> String {
    var writer = InlineWriter(place, care)
    writer.add(line)
    let text = writer.joined()
    guard care == .reference, let first = text.unicodeScalars.first, first != "\\" else {
      return text
    }
    return "&#\(first.value);" + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
  }

  private mutating func add(_ parts: [ArticleInline]) { for part in parts { add(part) } }

  private mutating func add(_ part: ArticleInline) {
    switch part {
    case .text(let text): addText(text)
    case .code(let text):
      if care.isPlain { return addText(text) }
      add(raw: Self.code(text, inCell: place == .cell))
    case .math(let tex):
      let isFit = !tex.contains("$") && !tex.contains("`") && tex.last != "\\"
      if care.isPlain || !isFit { return add(.code(tex)) }
      add(raw: "$\(place == .cell ? tex.replacing("|", with: "\\vert ") : tex)$")
    case .lineBreak:
      switch place {
      case .paragraph: add(raw: "\\\n")
      case .heading where care.isPlain: add(raw: " ")
      case .heading, .cell: add(raw: "<br>")
      }
      last = "\n"
    case .note(let number): if !care.isPlain { add(raw: "[^\(number)]") }
    case .image(let alt, let address):
      guard !care.isPlain else { return addText(alt) }
      let escape = care == .usual ? .all : care
      add(raw: "![" + Self.escaped(alt, after: "[", care: escape, inCell: place == .cell))
      add(raw: "](\(Self.destination(address, care)))")
    case .link(let inner, let address):
      guard !care.isPlain else { return add(inner) }
      add(raw: "[")
      last = "["
      add(inner)
      add(raw: "](\(Self.destination(address, care)))")
    case .style(let style, let inner):
      guard !care.isPlain else { return add(inner) }
      addStyle(style, inner)
    }
  }

  private mutating func addStyle(_ style: ArticleInline.Style, _ inner: [ArticleInline]) {
    var inner = inner
    var pair: Pair
    switch style {
    case .emphasis: pair = Pair(mark: "*", tag: "em")
    case .strong: pair = Pair(mark: "**", tag: "strong")
    case .strike: pair = Pair(mark: "~~", tag: "del")
    case .mark: pair = Pair(mark: "==", tag: "mark")
    case .raised: pair = Pair(mark: "", tag: "sup")
    case .lowered: pair = Pair(mark: "", tag: "sub")
    case .key: pair = Pair(mark: "", tag: "kbd")
    }
    // Emphasis and strong emphasis of the same text have a common delimiter in Markdown.
    if inner.count == 1, case .style(let other, let content) = inner[0],
      Set([style, other]) == [.emphasis, .strong]
    {
      pair = Pair(mark: "***", tag: "strong><em")
      inner = content
    }
    if !care.usesMarks { pair.mark = "" }
    let number = pairs.count
    pairs.append(pair)
    pieces.append(.open(number))
    add(inner)
    pieces.append(.close(number))
  }

  private mutating func add(raw text: String) {
    guard let end = text.unicodeScalars.last else { return }
    last = end
    pieces.append(.raw(text))
  }

  private mutating func addText(_ text: String) {
    let start = last
    guard let end = text.unicodeScalars.last else { return }
    pieces.append(.raw(Self.escaped(text, after: start, care: care, inCell: place == .cell)))
    last = end
  }

  // MARK: - Delimiters

  /// Joins the pieces. Blanks are moved outside of delimiters. A delimiter is used only if it is
  /// certain to open or close emphasis (CommonMark 6.2); otherwise HTML tags are used.
  private func joined() -> String {
    let pieces = blanksOutside()
    let usesMark = pairs.indices.map { pairs[$0].hasMark }
    var fits = usesMark
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .raw: continue
      case .open(let pair):
        if !Self.begins(before: neighbor(pieces, index, -1), after: neighbor(pieces, index, 1)) {
          fits[pair] = false
        }
      case .close(let pair):
        if !Self.begins(before: neighbor(pieces, index, 1), after: neighbor(pieces, index, -1)) {
          fits[pair] = false
        }
      }
    }
    return pieces.map { piece in
      switch piece {
      case .raw(let text): text
      case .open(let pair): fits[pair] ? pairs[pair].mark : "<\(pairs[pair].tag)>"
      case .close(let pair): fits[pair] ? pairs[pair].mark : Self.ends(pairs[pair].tag)
      }
    }.joined()
  }

  private static func ends(_ tag: String) -> String {
    tag.contains("><") ? "</em></strong>" : "</\(tag)>"
  }

  /// Returns the character next to a piece; a blank at the ends of the text; nil next to another
  /// delimiter.
  private func neighbor(_ pieces: [Piece], _ index: Int, _ step: Int) -> Unicode.Scalar? {
    guard pieces.indices.contains(index + step) else { return " " }
    guard case .raw(let text) = pieces[index + step] else { return nil }
    return step < 0 ? text.unicodeScalars.last : text.unicodeScalars.first
  }

  /// Returns whether a delimiter between two characters can open emphasis. With the characters
  /// swapped, returns whether it can close it.
  private static func begins(before: Unicode.Scalar?, after: Unicode.Scalar?) -> Bool {
    guard let before, let after, !after.properties.isWhitespace else { return false }
    return !after.isMarkdownPunctuation || before.properties.isWhitespace
      || before.isMarkdownPunctuation
  }

  private func blanksOutside() -> [Piece] {
    var result: [Piece] = []
    // Blanks before the end of a style move after it.
    var blank = ""
    for piece in pieces {
      switch piece {
      case .close:
        if case .raw(let text)? = result.last, let end = text.last, end.isBlank, blank.isEmpty {
          result.removeLast()
          if text.count > 1 { result.append(.raw(String(text.dropLast()))) }
          blank = String(end)
        }
        result.append(piece)
      case .raw, .open:
        if !blank.isEmpty { result.append(.raw(blank)) }
        blank = ""
        result.append(piece)
      }
    }
    if !blank.isEmpty { result.append(.raw(blank)) }
    // Blanks after the start of a style move before it.
    var reversed: [Piece] = []
    for piece in result.reversed() {
      switch piece {
      case .open:
        if case .raw(let text)? = reversed.last, let start = text.first, start.isBlank {
          reversed.removeLast()
          if text.count > 1 { reversed.append(.raw(String(text.dropFirst()))) }
          reversed.append(piece)
          reversed.append(.raw(String(start)))
        } else {
          reversed.append(piece)
        }
      default: reversed.append(piece)
      }
    }
    return Self.merged(reversed.reversed())
  }

  private static func merged(_ pieces: [Piece]) -> [Piece] {
    var result: [Piece] = []
    for piece in pieces {
      if case .raw(let text) = piece, case .raw(var before)? = result.last {
        // Without the removal, each of many short pieces would copy all pieces before it.
        result.removeLast()
        before += text
        result.append(.raw(before))
      } else {
        result.append(piece)
      }
    }
    return result
  }

  // MARK: - Text

  /// Returns a code span with delimiters long enough for its content.
  static func code(_ text: String, inCell: Bool) -> String {
    let fence = CodeFence(around: Array(text.utf8))
    let content = inCell ? text.replacing("|", with: "\\|") : text
    return String(decoding: fence.open + content.utf8 + fence.close, as: UTF8.self)
  }

  /// Returns an address as a link destination. Characters that could end it or be markup are
  /// escaped; before ``Care/usual``, only if they would end it or be read as a character reference.
  static func destination(_ address: String, _ care: Care) -> String {
    let address = WebAddress.encoded(address, keeping: "")
    let isUsual = care.rawValue >= Care.usual.rawValue
    let escaped = isUsual ? "()&*_~=$" : isBalanced(address) ? "&" : "&()"
    var result = ""
    var rest = address[...]
    while let character = rest.popFirst() {
      let isPlain = character == "&" && !isUsual && !beginsReference(rest)
      if escaped.contains(character), !isPlain { result.append("\\") }
      result.append(character)
    }
    return result
  }

  /// Returns whether each parenthesis of a destination has its counterpart (CommonMark 6.3).
  private static func isBalanced(_ address: String) -> Bool {
    var depth = 0
    for byte in address.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth < 0 || depth > 3 { return false }
    }
    return depth == 0
  }

  /// Returns whether a text continues a character reference after `&`.
  private static func beginsReference(_ rest: Substring) -> Bool {
    let name = rest.utf8.prefix(40).prefix { $0.isWordByte || $0 == UInt8(ascii: "#") }
    return !name.isEmpty && rest.utf8.dropFirst(name.count).first == UInt8(ascii: ";")
  }

  /// Returns a text escaped so that it is shown literally.
  static func escaped(
    _ text: String, after start: Unicode.Scalar, care: Care, inCell: Bool
  ) -> String {
    guard care.usesMarks else { return MarkdownEscaping.escapingAll(text) }
    return MarkdownEscaping.escapingMeaning(
      text, before: String(start).utf16.last!, isCell: inCell,
      for: care == .least ? [.dialects, .blocks] : .dialects)
  }
}

extension Character {
  /// Whether the character is a space or a no-break space, which can move outside of a delimiter.
  fileprivate var isBlank: Bool { self == " " || self == "\u{A0}" }
}
