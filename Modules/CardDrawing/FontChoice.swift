import CPango
import Interchange
import Model

/// Chooses fonts that have all letters of a text. Otherwise Pango takes single letters, such as
/// accented ones, from another font.
enum FontChoice {
  /// Returns font families, those first that have the letters of a text.
  ///
  /// Only letters of the script that the text is written in matter: a word in another script has
  /// another font. If no family has all of them, the one with the most is first.
  ///
  /// - Parameter families: font families separated by commas, the preferred first.
  static func families(
    _ families: String, for text: String, _ script: QuoteScript, on canvas: Canvas
  ) -> String {
    var letters: Set<UInt32> = []
    for scalar in text.unicodeScalars
    where scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark {
      if QuoteScript.script(of: scalar.value) == script { letters.insert(scalar.value) }
    }
    let names = families.split(separator: ",").map(\.trimmed)
    guard !letters.isEmpty, let layout = pango_cairo_create_layout(canvas.context) else {
      return families
    }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    var best: (count: Int, name: String)?
    for name in names {
      let count = count(of: letters, in: name, pango_layout_get_context(layout))
      if count > best?.count ?? 0 { best = (count, name) }
      if count == letters.count { break }
    }
    guard let best, best.name != names[0] else { return families }
    return ([best.name] + names.filter { $0 != best.name }).joined(separator: ", ")
  }

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
