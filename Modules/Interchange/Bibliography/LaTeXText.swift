/// Conversion between plain text and LaTeX text with commands for letters and symbols.
enum LaTeXText {
  /// Converts LaTeX to plain text: commands for letters and symbols are replaced by them,
  /// formatting commands and braces are removed, and formulas are kept. Linear in the length.
  static func plain(_ text: String) -> String {
    var reader = Reader(text)
    return reader.read()
  }

  /// Escapes the characters that are special in LaTeX.
  static func escaped(_ text: String) -> String {
    // Compare scalars: a brace with a combining mark is another character in Swift, but not in
    // LaTeX.
    text.unicodeScalars.reduce(into: "") { written, scalar in
      switch scalar {
      case "&", "%", "$", "#", "_", "{", "}": written += "\\\(scalar)"
      case "\\": written += "\\textbackslash{}"
      case "~": written += "\\textasciitilde{}"
      case "^": written += "\\textasciicircum{}"
      default: written.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether each command of a text is for a letter, a sign or a style. O(length).
  static func hasHarmlessCommands(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      // `^^5c` is another way to write a backslash.
      if byte == UInt8(ascii: "^"), index < bytes.count, bytes[index] == byte { return false }
      guard byte == UInt8(ascii: "\\"), index < bytes.count else { continue }
      var end = index
      while end < bytes.count, isLetter(bytes[end]) { end += 1 }
      let name = String(decoding: bytes[index..<max(end, index + 1)], as: UTF8.self)
      if end > index, marks[name] == nil, symbols[name] == nil, !looks.contains(name) {
        return false
      }
      index = max(end, index + 1)
    }
    return true
  }

  /// Replaces each accented letter that LaTeX can compose by its base letter and the combining
  /// mark. Ligatures and other special letters become ASCII letters.
  static func decomposed(_ text: String) -> String {
    text.reduce(into: "") { $0 += bases[$1] ?? String($1) }
  }

  private struct Reader {
    private let letters: [Character]
    private var position = 0
    private var written = ""

    init(_ text: String) { letters = Array(text) }

    mutating func read() -> String {
      var isFormula = false
      while let letter = next() {
        if letter == "$" { isFormula.toggle() }
        guard !isFormula else {
          written.append(letter)
          continue
        }
        switch letter {
        case "{", "}": continue
        case "\\": command()
        case "~": written += "\u{A0}"
        case "-" where peek == "-":
          position += 1
          if peek == "-" {
            position += 1
            written += "—"
          } else {
            written += "–"
          }
        case "`" where peek == "`":
          position += 1
          written += "“"
        case "'" where peek == "'":
          position += 1
          written += "”"
        default: written.append(letter)
        }
      }
      return written
    }

    private var peek: Character? { position < letters.count ? letters[position] : nil }

    private mutating func next() -> Character? {
      guard let letter = peek else { return nil }
      position += 1
      return letter
    }

    /// Parses the command whose backslash was just read.
    private mutating func command() {
      guard let first = next() else { return }
      guard first.isASCII, first.isLetter else {
        if let mark = LaTeXText.marks[String(first)] { return accent(mark) }
        switch first {
        case "\\": written += " "
        case "-", "/", "(", ")": break
        case ",", " ", ";", ":": written += " "
        default: written.append(first)
        }
        return
      }
      var name = String(first)
      while let letter = peek, letter.isASCII, letter.isLetter {
        name.append(letter)
        position += 1
      }
      // An accent command with a letter as its name needs no braces around its argument: \c{c}, \v
      // s.
      if let mark = LaTeXText.marks[name] {
        passBlanks()
        return accent(mark)
      }
      passBlanks()
      if let sign = LaTeXText.symbols[name] {
        written += sign
      } else if !LaTeXText.looks.contains(name) {
        // An unknown command is replaced by its name, as for \LaTeX.
        written += name
      }
    }

    private mutating func passBlanks() { while peek == " " { position += 1 } }

    /// Adds an accent to the next letter, which may be in braces or be a dotless i or j.
    private mutating func accent(_ mark: Unicode.Scalar) {
      var depth = 0
      while peek == "{" {
        position += 1
        depth += 1
      }
      var letter = next().map(String.init) ?? ""
      if letter == "\\" {
        let name = peek.map(String.init) ?? ""
        letter = name == "i" || name == "j" ? name : ""
        if !letter.isEmpty { position += 1 } else { position -= 1 }
      }
      if letter == "}" {
        // The braces are empty.
        depth -= 1
        letter = ""
      }
      while depth > 0, peek == "}" {
        position += 1
        depth -= 1
      }
      guard let base = letter.first else { return }
      written += LaTeXText.composed["\(base)\(mark)"].map(String.init) ?? "\(base)\(mark)"
    }
  }

  /// The combining mark of each accent command.
  private static let marks: [String: Unicode.Scalar] = [
    "`": "\u{300}", "'": "\u{301}", "^": "\u{302}", "~": "\u{303}", "=": "\u{304}", "u": "\u{306}",
    ".": "\u{307}", "\"": "\u{308}", "r": "\u{30A}", "H": "\u{30B}", "v": "\u{30C}", "d": "\u{323}",
    "c": "\u{327}", "k": "\u{328}", "b": "\u{331}",
  ]

  /// Accented letters that are one character each. Each row has a mark, the base letters, and the
  /// accented letters in the same order.
  private static let rows: [(Unicode.Scalar, String, String)] = [
    ("\u{300}", "AEIOUaeiouNn", "ÀÈÌÒÙàèìòùǸǹ"),
    ("\u{301}", "AEIOUYaeiouyCLNRSZclnrsz", "ÁÉÍÓÚÝáéíóúýĆĹŃŔŚŹćĺńŕśź"),
    ("\u{302}", "AEIOUaeiouCGHJSWYcghjswy", "ÂÊÎÔÛâêîôûĈĜĤĴŜŴŶĉĝĥĵŝŵŷ"),
    ("\u{303}", "ANOIUanoiu", "ÃÑÕĨŨãñõĩũ"),
    ("\u{304}", "AEIOUaeiou", "ĀĒĪŌŪāēīōū"),
    ("\u{306}", "AEGIOUaegiou", "ĂĔĞĬŎŬăĕğĭŏŭ"),
    ("\u{307}", "CEGIZcegz", "ĊĖĠİŻċėġż"),
    ("\u{308}", "AEIOUYaeiouy", "ÄËÏÖÜŸäëïöüÿ"),
    ("\u{30A}", "AUau", "ÅŮåů"),
    ("\u{30B}", "OUou", "ŐŰőű"),
    ("\u{30C}", "CDENRSTZcenrsz", "ČĎĚŇŘŠŤŽčěňřšž"),
    ("\u{327}", "CGKLNRSTcklnrst", "ÇĢĶĻŅŖŞŢçķļņŗşţ"),
    ("\u{328}", "AEIUaeiu", "ĄĘĮŲąęįų"),
  ]

  private static let composed: [String: Character] = Dictionary(
    uniqueKeysWithValues: rows.flatMap { mark, bases, letters in
      zip(bases, letters).map { ("\($0)\(mark)", $1) }
    })

  private static let bases: [Character: String] = Dictionary(
    composed.map { ($1, $0) } + [
      ("ß", "ss"), ("æ", "ae"), ("Æ", "AE"), ("œ", "oe"), ("Œ", "OE"), ("ø", "o"), ("Ø", "O"),
      ("ł", "l"), ("Ł", "L"), ("đ", "d"), ("Đ", "D"), ("ð", "d"), ("þ", "th"), ("ı", "i"),
    ], uniquingKeysWith: { first, _ in first })

  private static let symbols: [String: String] = [
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å",
    "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ",
    "th": "þ", "TH": "Þ", "ng": "ŋ", "NG": "Ŋ", "S": "§", "P": "¶", "copyright": "©", "pounds": "£",
    "dots": "…", "ldots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—",
    "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”",
    "guillemotleft": "«", "guillemotright": "»", "textasciitilde": "~", "textasciicircum": "^",
    "textbackslash": "\\", "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°",
    "texttrademark": "™", "textregistered": "®", "textcopyright": "©", "texteuro": "€", "euro": "€",
    "textbullet": "•", "textperiodcentered": "·", "textunderscore": "_", "textdollar": "$",
    "quotedblbase": "„", "quotesinglbase": "‚", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
    "textquotesingle": "'", "textquotedbl": "\"", "space": " ", "newline": " ", "par": " ",
  ]

  /// Formatting commands that produce no text themselves.
  private static let looks: Set<String> = [
    "emph", "textit", "textbf", "textsc", "textrm", "textsf", "texttt", "textup", "textsl",
    "textmd", "textnormal", "textsuperscript", "textsubscript", "it", "bf", "sc", "rm", "sf", "tt",
    "em", "sl", "itshape", "bfseries", "scshape", "upshape", "mkbibemph", "mkbibquote", "enquote",
    "url", "path", "href", "mbox", "hbox", "text", "uppercase", "lowercase", "MakeUppercase",
    "MakeLowercase", "protect", "relax", "noopsort", "nocase", "ensuremath", "mathrm", "underline",
    "footnotesize", "small", "normalsize", "large", "Large", "selectlanguage", "foreignlanguage",
  ]
}
