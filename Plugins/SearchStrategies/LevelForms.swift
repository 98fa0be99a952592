import Model
import Search

/// The raised and lowered characters that a query stands for, too: `H2O` finds H₂O. Words with a digit have
/// them, and a query of up to three characters; letters of other words never stand so.
struct LevelForms {
  /// The forms of each character of the query that has some.
  private var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]

  /// Every form, once.
  var all: Set<Unicode.Scalar> { Set(table.values.joined()) }

  /// Takes the forms of a query's characters; those of both cases where case does not count.
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

  /// The forms of a character.
  func forms(of scalar: Unicode.Scalar) -> [Unicode.Scalar] { table[scalar] ?? [] }
}
