/// Writes the parts of one line as Markdown.
struct InlineWriter {
  /// What the line is part of.
  enum Place {
    case paragraph, heading, cell
  }

  /// How careful it is with marks.
  enum Care: Int, CaseIterable {
    /// Marks that could have a meaning where they stand are escaped.
    case usual
    /// All marks are, and styles are tags.
    case all
    /// Nothing but text is left, and all marks are escaped.
    case plain
    /// The same, with the first character as a reference: a word that is a command to some dialect.
    case reference

    fileprivate var isPlain: Bool { rawValue >= Care.plain.rawValue }
  }

  /// A piece of a line: text as it is written, or the begin or end of something.
  private enum Piece {
    case raw(String)
    /// The number is that of the pair.
    case open(Int)
    case close(Int)
  }

  private struct Pair {
    var mark: String
    var tag: String
    /// Whether marks can be taken at all.
    var hasMark: Bool { !mark.isEmpty }
  }

  private let place: Place
  private let care: Care
  private var pieces: [Piece] = []
  private var pairs: [Pair] = []
  /// The last unit of the text so far, as it is shown; a line feed at a line's start.
  private var last: Unicode.Scalar = "\n"

  private init(_ place: Place, _ care: Care) {
    (self.place, self.care) = (place, care)
    // Behind the mark of a heading or a cell no block begins.
    if place != .paragraph { last = " " }
  }

  /// A line in Markdown. Line breaks are line feeds with a backslash, but in a cell or a heading.
  static func write(_ line: [Inline], in place: Place, _ care: Care) -> String {
    var writer = InlineWriter(place, care)
    writer.add(line)
    let text = writer.joined()
    guard care == .reference, let first = text.unicodeScalars.first, first != "\\" else {
      return text
    }
    return "&#\(first.value);" + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
  }

  private mutating func add(_ parts: [Inline]) { for part in parts { add(part) } }

  private mutating func add(_ part: Inline) {
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
      add(raw: "![" + Self.escaped(alt, after: "[", care: .all, inCell: place == .cell))
      add(raw: "](\(Self.destination(address)))")
    case .link(let inner, let address):
      guard !care.isPlain else { return add(inner) }
      add(raw: "[")
      last = "["
      add(inner)
      add(raw: "](\(Self.destination(address)))")
    case .style(let style, let inner):
      guard !care.isPlain else { return add(inner) }
      addStyle(style, inner)
    }
  }

  private mutating func addStyle(_ style: Inline.Style, _ inner: [Inline]) {
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
    // Both at once have one mark of their own.
    if inner.count == 1, case .style(let other, let content) = inner[0],
      Set([style, other]) == [.emphasis, .strong]
    {
      pair = Pair(mark: "***", tag: "strong><em")
      inner = content
    }
    if care != .usual { pair.mark = "" }
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

  // MARK: - Marks around

  /// The pieces as one text: blanks stand outside of marks, and marks are used only where they surely
  /// begin and end something (CommonMark 6.2); elsewhere tags are.
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

  /// The character next to a piece; a blank at the line's ends; nil where another mark stands.
  private func neighbor(_ pieces: [Piece], _ index: Int, _ step: Int) -> Unicode.Scalar? {
    guard pieces.indices.contains(index + step) else { return " " }
    guard case .raw(let text) = pieces[index + step] else { return nil }
    return step < 0 ? text.unicodeScalars.last : text.unicodeScalars.first
  }

  /// Whether a mark begins something between two characters; turned round, whether it ends it.
  private static func begins(before: Unicode.Scalar?, after: Unicode.Scalar?) -> Bool {
    guard let before, let after, !after.properties.isWhitespace else { return false }
    return !after.isMark || before.properties.isWhitespace || before.isMark
  }

  private func blanksOutside() -> [Piece] {
    var result: [Piece] = []
    // Ends of pairs come behind blanks before them, so the blanks move behind the ends.
    var blank = ""
    for piece in pieces {
      switch piece {
      case .close:
        if case .raw(let text)? = result.last, text.hasSuffix(" "), blank.isEmpty {
          result.removeLast()
          if text.count > 1 { result.append(.raw(String(text.dropLast()))) }
          blank = " "
        }
        result.append(piece)
      case .raw, .open:
        if !blank.isEmpty { result.append(.raw(blank)) }
        blank = ""
        result.append(piece)
      }
    }
    if !blank.isEmpty { result.append(.raw(blank)) }
    // The same for blanks behind a begin.
    var reversed: [Piece] = []
    for piece in result.reversed() {
      switch piece {
      case .open:
        if case .raw(let text)? = reversed.last, text.hasPrefix(" "), blank.isEmpty {
          reversed.removeLast()
          if text.count > 1 { reversed.append(.raw(String(text.dropFirst()))) }
          reversed.append(piece)
          reversed.append(.raw(" "))
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
      if case .raw(let text) = piece, case .raw(let before)? = result.last {
        result[result.count - 1] = .raw(before + text)
      } else {
        result.append(piece)
      }
    }
    return result
  }

  // MARK: - Text

  /// A code span.
  static func code(_ text: String, inCell: Bool) -> String {
    let runs = Set(text.split { $0 != "`" }.map(\.count))
    var length = 1
    while runs.contains(length) { length += 1 }
    let fence = String(repeating: "`", count: length)
    let blank = text.hasPrefix("`") || text.hasSuffix("`") ? " " : ""
    let content = inCell ? text.replacing("|", with: "\\|") : text
    return fence + blank + content + blank + fence
  }

  /// An address as the target of a link: characters that could end it stand behind a backslash.
  static func destination(_ address: String) -> String {
    var result = ""
    for character in WebAddress.encoded(address, keeping: "") {
      if "()&*_~=$".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  /// A text that shows itself.
  static func escaped(
    _ text: String, after start: Unicode.Scalar, care: Care, inCell: Bool
  ) -> String {
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    var before = start
    // A list's number, at the start of a line alone.
    var digits = start == "\n" ? 0 : Int.min
    for (index, scalar) in scalars.enumerated() {
      let after = index + 1 < scalars.count ? scalars[index + 1] : "\n"
      if scalar.isASCIIMark,
        care != .usual || inCell && scalar == "|"
          || hasMeaning(
            scalar, before, after, isAtStart: before == "\n", isAfterNumber: digits > 0)
      {
        result.append("\\")
      }
      result.append(scalar)
      let isDigit = ("0"..."9").contains(scalar)
      digits = isDigit && digits >= 0 ? digits + 1 : Int.min
      before = scalar
    }
    return String(result)
  }

  private static func hasMeaning(
    _ scalar: Unicode.Scalar, _ before: Unicode.Scalar, _ after: Unicode.Scalar, isAtStart: Bool,
    isAfterNumber: Bool
  ) -> Bool {
    switch scalar {
    case "\\", "`", "[", "]", "<", "~", "$", "^", "{", "}": return true
    case "*": return !(before.isBlank && after.isBlank) || isAtStart
    case "_": return !(before.isLetterOrDigit && after.isLetterOrDigit)
    case "&": return after.isLetterOrDigit || after == "#" || after == "\n"
    case "=", "+", "%", ":":
      let beginsWord = scalar == ":" && after.isLetterOrDigit && !before.isLetterOrDigit
      return isAtStart || before == scalar || after == scalar || beginsWord
    case "#", ">", "-", "!", "|": return isAtStart
    case ".", ")": return isAfterNumber && after.isBlank
    default: return false
    }
  }
}

extension Unicode.Scalar {
  /// Punctuation and symbols, as CommonMark counts them for marks.
  fileprivate var isMark: Bool {
    if isASCII { return isASCIIMark }
    switch properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol:
      return true
    default: return false
    }
  }
  fileprivate var isASCIIMark: Bool { value > 0x20 && value < 0x7F && !isLetterOrDigit }
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
  fileprivate var isBlank: Bool { properties.isWhitespace }
  fileprivate var isLetterOrDigit: Bool {
    isASCII
      ? isDigit || (0x61...0x7A).contains(value | 0x20)
      : properties.isAlphabetic || properties.numericType != nil
  }
}
