import Rendering

/// An entry of the language table in the form for scanning, with delimiters indexed by their first
/// character.
struct CompiledLanguage: Sendable {
  let row: CodeLanguage
  private let words: [Word: CodeKind]
  /// The index in `starters` for each ASCII character, or 0 if no delimiter begins with it.
  private let starterIndex: [UInt8]
  private let starters: [[Starter]]
  /// Whether each ASCII character is allowed in names.
  private let inNames: [Bool]

  /// The opening delimiter of a comment or a string.
  struct Starter: Sendable {
    var open: [UInt16]
    var kind: Kind

    enum Kind: Sendable {
      case lineComment
      case blockComment(close: [UInt16], nests: Bool)
      case text(close: [UInt16], CodeLanguage.Text)
    }
  }

  /// A word of at most sixteen ASCII characters.
  private struct Word: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0

    /// Returns nil for longer words and for other characters.
    init?(_ units: ArraySlice<UInt16>, ignoringCase: Bool) {
      guard units.count <= 16 else { return nil }
      for unit in units {
        guard unit < 128 else { return nil }
        let isCapital = ignoringCase && (65...90).contains(unit)
        let byte = UInt64(isCapital ? unit + 32 : unit)
        second = second << 8 | first >> 56
        first = first << 8 | byte
      }
    }
  }

  init(_ row: CodeLanguage) {
    self.row = row
    let ignoringCase = row.traits.contains(.ignoresCase)
    var words: [Word: CodeKind] = [:]
    for (list, kind) in [
      (row.types, CodeKind.type), (row.constants, .number), (row.keywords, .keyword),
    ] {
      for name in list.split(separator: " ") {
        if let word = Word(Array(name.utf16)[...], ignoringCase: ignoringCase) {
          words[word] = kind
        }
      }
    }
    self.words = words
    var all: [Starter] = row.lineComments.map {
      Starter(open: Array($0.utf16), kind: .lineComment)
    }
    all += row.blockComments.map {
      Starter(
        open: Array($0.open.utf16),
        kind: .blockComment(close: Array($0.close.utf16), nests: $0.nests))
    }
    all += row.strings.map {
      Starter(open: Array($0.open.utf16), kind: .text(close: Array($0.close.utf16), $0))
    }
    all.sort { $0.open.count > $1.open.count }
    var starterIndex = [UInt8](repeating: 0, count: 128)
    var starters: [[Starter]] = [[]]
    for starter in all {
      let first = Int(starter.open[0])
      if starterIndex[first] == 0 {
        starterIndex[first] = UInt8(starters.count)
        starters.append([])
      }
      starters[Int(starterIndex[first])].append(starter)
    }
    (self.starterIndex, self.starters) = (starterIndex, starters)
    var inNames = (0..<128).map { unit in
      unit == 95 || (48...57).contains(unit) || (65...90).contains(unit)
        || (97...122).contains(unit)
    }
    for unit in row.inNames.utf16 { inNames[Int(unit)] = true }
    self.inNames = inNames
  }

  /// Returns the kind of a predefined word, or nil for a name.
  func kind(of word: ArraySlice<UInt16>) -> CodeKind? {
    Word(word, ignoringCase: row.traits.contains(.ignoresCase)).flatMap { words[$0] }
  }

  /// Returns the delimiters that begin with a unit, the longest first.
  func starters(at unit: UInt16) -> [Starter] {
    unit < 128 ? starters[Int(starterIndex[Int(unit)])] : []
  }

  /// Returns whether a delimiter can begin with a unit.
  func mayStart(_ unit: UInt16) -> Bool { unit < 128 && starterIndex[Int(unit)] != 0 }

  /// Returns whether a unit is allowed in names. All units beyond ASCII are.
  func isInName(_ unit: UInt16) -> Bool { unit >= 128 || inNames[Int(unit)] }
}

extension UInt16 {
  var isDigit: Bool { (48...57).contains(self) }
  var isLetter: Bool { isSmall || isCapital || self == 95 || self >= 128 }
  var isSmall: Bool { (97...122).contains(self) }
  var isCapital: Bool { (65...90).contains(self) }
  /// Whether the unit is a space or a tab.
  var isBlank: Bool { self == 32 || self == 9 }

  /// Creates the unit of an ASCII character.
  init(ascii scalar: Unicode.Scalar) { self = UInt16(UInt8(ascii: scalar)) }
}
