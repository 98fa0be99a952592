import MarkdownParse
import RichText

/// The part of a cell's style that the user's format determines. It is small, because every cell
/// has one.
///
/// A terminal has no fonts and sizes. Superscript and subscript text uses Unicode's characters if
/// all of its letters have such a form, and is faint otherwise. Letters are capitalized where the
/// capital has the same length in the text.
struct CellFormat: Hashable, Sendable {
  /// Whether a property is on, off, or inherited from the Markdown.
  enum Switch: UInt8 {
    case inherited, on, off

    func value(or inherited: Bool) -> Bool { self == .inherited ? inherited : self == .on }
  }
  /// The underline styles that terminals distinguish.
  enum Line: UInt8 { case inherited, none, single, double, wave, dotted, dashed }
  /// A 24-bit colour, the page's colour, or the colour that the Markdown determines.
  struct Color: Hashable, Sendable {
    private let value: Int32
    static let inherited = Color(value: -1)
    static let automatic = Color(value: -2)

    private init(value: Int32) { self.value = value }

    init(_ color: TextColor) {
      self =
        switch color {
        case .automatic: .automatic
        case .rgb(let number): Color(value: Int32(number & 0xFF_FFFF))
        }
    }

    var rgb: RGB? { value < 0 ? nil : RGB(Int(value)) }
  }

  var bold = Switch.inherited
  var italic = Switch.inherited
  var strikethrough = Switch.inherited
  var underline = Line.inherited
  var isFaint = false
  var color = Color.inherited
  var background = Color.inherited

  /// No properties: everything is inherited from the Markdown.
  static let none = CellFormat()
}

extension CellFormat.Line {
  init(_ style: UnderlineStyle) {
    self =
      switch style {
      case .none: .none
      case .single, .words, .thick: .single
      case .double: .double
      case .wave: .wave
      case .dotted: .dotted
      case .dashed, .dashDot, .dashDotDot: .dashed
      }
  }

  /// Returns the parameter of the escape sequence; nil if the underline is inherited or off.
  ///
  /// - Parameter hasStyles: whether the terminal supports several underline styles.
  func parameter(hasStyles: Bool) -> String? {
    switch self {
    case .inherited, .none: nil
    case .single: "4"
    case .double: hasStyles ? "4:2" : "4"
    case .wave: hasStyles ? "4:3" : "4"
    case .dotted: hasStyles ? "4:4" : "4"
    case .dashed: hasStyles ? "4:5" : "4"
    }
  }
}

/// The format of a range of text in which the Markdown has a single style, ready to be applied to
/// its cells.
struct StretchFormat {
  private var format = CellFormat()
  private var link: String?
  /// Whether spaces are not underlined.
  private var skipsBlanks = false
  private var capitals = false
  private var position = BaselinePosition.normal

  /// Combines the attributes for a range of text; nil if neither set has any.
  ///
  /// - Parameters:
  ///   - direct: the attributes that take precedence over the Markdown.
  ///   - style: the attributes that apply where the Markdown has no style.
  init?(
    _ direct: AttributeSet<CharacterAttribute>, _ style: AttributeSet<CharacterAttribute>,
    over markup: TextStyle
  ) {
    if direct.values.isEmpty && style.values.isEmpty { return nil }
    for attribute in style.values {
      switch attribute {
      case .bold where markup.contains(.strong): break
      case .italic where markup.contains(.emphasis): break
      case .strikethrough where markup.contains(.strikethrough): break
      case .background where markup.contains(.mark): break
      default: take(attribute)
      }
    }
    for attribute in direct.values { take(attribute) }
  }

  private mutating func take(_ attribute: CharacterAttribute) {
    switch attribute {
    case .bold(let isOn): format.bold = isOn ? .on : .off
    case .italic(let isOn): format.italic = isOn ? .on : .off
    case .strikethrough(let line): format.strikethrough = line == .none ? .off : .on
    case .underline(let line):
      format.underline = .init(line)
      skipsBlanks = line == .words
    case .color(let color): format.color = .init(color)
    case .background(let color): format.background = .init(color)
    case .capitals(let value): capitals = value != .normal
    case .position(let value): position = value
    case .link(let address): link = address
    case .family, .size: break
    }
  }

  /// Applies the format to some cells, which must be in order. Cells that aren't text are not
  /// changed. O(cells).
  ///
  /// - Parameters:
  ///   - options: the page's options. Letters are replaced only on a screen, because other output
  ///     is searched and copied.
  func apply(to cells: inout [Cell], _ range: Range<Int>, _ options: PageOptions) {
    let changesLetters = options.isOnScreen || options.color != .none
    let hasForms =
      changesLetters && position != .normal && range.count <= LetterForms.longest
      && range.allSatisfy { LetterForms.form(of: cells[$0].text, position) != nil }
    var format = format
    format.isFaint = position != .normal && !hasForms
    for index in range where cells[index].range != nil { cells[index].spanStyle.format = format }
    let capitals = capitals && changesLetters
    guard link != nil || skipsBlanks || hasForms || capitals else { return }
    for index in range where cells[index].range != nil {
      if let link {
        cells[index].spanStyle.style.insert(.link)
        cells[index].spanStyle.destination = options.hyperlinks ? link : nil
      }
      let text = cells[index].text
      if skipsBlanks, text.isWhitespace { cells[index].spanStyle.format.underline = .none }
      if cells[index].width == 0 || cells[index].spanStyle.style.contains(.math) { continue }
      if hasForms, let form = LetterForms.form(of: text, position) { cells[index].text = form }
      if capitals { cells[index].text = LetterForms.capital(of: text) }
    }
  }
}

/// Replacement letters that have the same length in the text and the same width in a terminal.
enum LetterForms {
  /// The maximum number of cells for which forms are looked up. Superscript and subscript text is
  /// short.
  static let longest = 256

  /// Returns the capital of a letter; the letter itself if the capital is longer or wider.
  static func capital(of letter: Character) -> Character {
    if let ascii = letter.asciiValue {
      return 0x61...0x7A ~= ascii ? Character(Unicode.Scalar(ascii - 32)) : letter
    }
    let capital = letter.uppercased()
    guard capital.count == 1, capital.utf16.count == letter.utf16.count,
      displayWidth(of: capital) == displayWidth(of: letter)
    else { return letter }
    return Character(capital)
  }

  /// Returns the superscript or subscript form of a letter; nil if not found. Spaces are unchanged.
  static func form(of letter: Character, _ position: BaselinePosition) -> Character? {
    switch position {
    case .normal: letter
    case .superscript: letter == " " ? letter : raised[letter]
    case .subscript: letter == " " ? letter : lowered[letter]
    }
  }

  private static let raised = table(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ")
  private static let lowered = table(
    "0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")

  private static func table(_ letters: String, _ forms: String) -> [Character: Character] {
    Dictionary(zip(letters, forms)) { first, _ in first }
  }
}
