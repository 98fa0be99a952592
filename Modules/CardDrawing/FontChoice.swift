import CPango
import Interchange
import Model

/// Chooses fonts that have all letters of a text. Otherwise Pango takes single letters, such as
/// accented ones, from another font.
struct FontChoice {
  private let theme: CardTheme
  private let canvas: Canvas

  init(_ theme: CardTheme, on canvas: Canvas) { (self.theme, self.canvas) = (theme, canvas) }

  /// Returns font families, those first that have the letters of a text.
  ///
  /// Only letters of the script that the text is written in matter: a word in another script has
  /// another font. If no family has all of them, the one with the most is first. Of families with all
  /// letters, those that join consonants are better than those that show a sign between them.
  ///
  /// - Parameter families: font families separated by commas, the preferred first.
  func families(_ families: String, for text: String) -> String {
    let script = QuoteScript(of: text)
    let names = own(script, text) + families.split(separator: ",").map(\.trimmed)
    var letters: Set<UInt32> = []
    for scalar in text.unicodeScalars
    where scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark {
      if QuoteScript.script(of: scalar.value) == script { letters.insert(scalar.value) }
    }
    let conjuncts = script == .tall ? conjuncts(in: text) : []
    var best: (count: Int, signs: Int, name: String)?
    if !letters.isEmpty, let layout = pango_cairo_create_layout(canvas.context) {
      defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
      for name in names {
        let count = Self.count(of: letters, in: name, pango_layout_get_context(layout))
        guard count > 0, count >= best?.count ?? 0 else { continue }
        let signs = conjuncts.count { showsSign($0, in: name) }
        if count > best?.count ?? 0 || signs < best?.signs ?? 0 { best = (count, signs, name) }
        if count == letters.count, signs == 0 { break }
      }
    }
    let first = best?.name ?? names[0]
    let last = script == .plain || script == .tall ? ["\(kind) CJK SC"] : []
    return ([first] + names.filter { $0 != first } + last).joined(separator: ", ")
  }

  /// Returns the different pairs of consonants that a virama joins, such as ङ्ग; at most 64.
  private func conjuncts(in text: String) -> [[Unicode.Scalar]] {
    let scalars = Array(text.unicodeScalars)
    var found: Set<[Unicode.Scalar]> = []
    for place in scalars.indices.dropFirst().dropLast() where found.count < 64 {
      guard scalars[place].properties.canonicalCombiningClass == .virama,
        scalars[place + 1].properties.isAlphabetic
      else { continue }
      found.insert(Array(scalars[place - 1...place + 1]))
    }
    return Array(found)
  }

  /// Returns whether a font shows the virama of a conjunct: the conjunct begins with the glyphs of
  /// its first letter and the virama.
  private func showsSign(_ conjunct: [Unicode.Scalar], in family: String) -> Bool {
    func glyphs(_ scalars: some Sequence<Unicode.Scalar>) -> [UInt32] {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return TextLayout(String(text), on: canvas, .init(family: family, size: 100), width: 10_000)
        .glyphs
    }
    return glyphs(conjunct).starts(with: glyphs(conjunct.prefix(2)))
  }

  private var kind: String { theme.hasSerifs ? "Noto Serif" : "Noto Sans" }

  /// Returns the font families for a script.
  private func own(_ script: QuoteScript, _ text: String) -> [String] {
    switch script {
    case .japanese: return ["\(kind) CJK JP"]
    case .chinese: return ["\(kind) CJK SC"]
    case .korean: return ["\(kind) CJK KR"]
    case .arabic:
      return theme.hasSerifs
        ? ["Amiri", "Scheherazade New", "Noto Naskh Arabic"] : ["\(kind) Arabic"]
    case .hebrew: return ["\(kind) Hebrew"]
    case .tall:
      let letter = text.unicodeScalars.first { QuoteScript.script(of: $0.value) == .tall }
      let name = letter.flatMap { letter in
        Self.tallScripts.last { $0.start <= letter.value }?.name
      }
      return name.map { ["\(kind) \($0)", "Noto Sans \($0)"] } ?? []
    case .plain: return []
    }
  }

  /// The scripts with tall letters, by their first characters, in order.
  private static let tallScripts: [(start: UInt32, name: String)] = [
    (0x0700, "Syriac"), (0x0780, "Thaana"), (0x07C0, "NKo"), (0x0900, "Devanagari"),
    (0x0980, "Bengali"), (0x0A00, "Gurmukhi"), (0x0A80, "Gujarati"), (0x0B00, "Oriya"),
    (0x0B80, "Tamil"), (0x0C00, "Telugu"), (0x0C80, "Kannada"), (0x0D00, "Malayalam"),
    (0x0D80, "Sinhala"), (0x0E00, "Thai"), (0x0E80, "Lao"), (0x0F00, "Tibetan"),
    (0x1000, "Myanmar"), (0x1780, "Khmer"),
  ]

  /// Returns the number of letters that a font family has; 0 if it is not installed.
  private static func count(
    of letters: Set<UInt32>, in family: String, _ context: OpaquePointer?
  ) -> Int {
    let wanted = pango_font_description_new()
    defer { pango_font_description_free(wanted) }
    pango_font_description_set_family(wanted, family)
    guard let font = pango_context_load_font(context, wanted) else { return 0 }
    defer { g_object_unref(UnsafeMutableRawPointer(font)) }
    // In place of a missing family, fontconfig returns another one. The family of a font such as EB
    // Garamond 12 may have no number.
    let found = pango_font_describe(font)
    defer { pango_font_description_free(found) }
    guard let name = pango_font_description_get_family(found).map(String.init(cString:)),
      family.hasPrefix(name),
      family.dropFirst(name.count).allSatisfy({ $0 == " " || $0.isNumber })
    else { return 0 }
    return letters.count { pango_font_has_char(font, $0) != 0 }
  }
}
