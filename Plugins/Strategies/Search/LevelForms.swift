import Model
import Search

/// The superscript and subscript characters that a query also matches: `H2O` finds H₂O. Only words
/// with a digit and queries of up to three characters have such forms, because letters of other
/// words are never written this way.
struct LevelForms {
  /// The forms of each character of the query that has any.
  private var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]

  /// All forms, without duplicates.
  var all: Set<Unicode.Scalar> { Set(table.values.joined()) }

  /// Determines the forms of a query's characters, in both cases if case is ignored.
  init(_ query: SearchQuery) {
    guard query.foldsLevels, !query.ignoresDiacritics else { return }
    let isShort = query.text.unicodeScalars.count <= 3
    let words = query.text.unicodeScalars.split { TextFolding.fold($0.value).kind != .word }
    for word in words where isShort || word.contains(where: { "0"..."9" ~= $0 }) {
      for scalar in word where scalar.isASCII && table[scalar] == nil {
        var variants = TextFolding.levels(of: scalar.value)
        if query.ignoresCase, scalar.properties.isAlphabetic {
          variants += TextFolding.levels(of: scalar.value ^ 0x20)
        }
        let forms = variants.compactMap { Unicode.Scalar($0) }
        if !forms.isEmpty { table[scalar] = forms }
      }
    }
  }

  /// Returns the forms of a character; empty if it has none.
  func forms(of scalar: Unicode.Scalar) -> [Unicode.Scalar] { table[scalar] ?? [] }
}
