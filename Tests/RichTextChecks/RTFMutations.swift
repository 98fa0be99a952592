package import RichText
import RichTextFormats
import TestSupport

/// Generates mutations of RTF and checks the results of the reader.
///
/// ```swift
/// var mutations = RTFMutations(seed: SeededGenerator.runSeed)
/// try RTFMutations.check(mutations.next())
/// ```
package struct RTFMutations {
  /// The error for a violated invariant.
  package struct Broken: Error, CustomStringConvertible {
    /// The invariant and the input.
    package var description: String
  }

  private var random: SeededGenerator
  private let seeds: [[UInt8]]

  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    var seeds = RTFSamples.all.map(\.bytes)
    for _ in 0..<8 {
      if let text = try? RandomFormat.text(&random) {
        seeds.append(RTFWriter.write(RichDocument(text: text)))
      }
    }
    self.seeds = seeds
  }

  private static let pieces: [[UInt8]] =
    [
      "{", "}", "\\", "\\'", "\\'8", "\\'83", "\\*", "{\\*", "\\bin9999999999 ", "\\bin-1 ",
      "\\bin3 ",
      "\\uc64 ", "\\uc0 ", "\\u-1 ", "\\u55349 ", "\\u", ";", "\\par", "\\cell", "\\row", "\\intbl",
      "\\pard", "\\plain", "\\dplown", "\\fs0", "\\fs-2147483649 ", "\\li99999999999999999999 ",
      "{\\footnote ", "{\\field{\\*\\fldinst{HYPERLINK \"x\"}}{\\fldrslt ", "{\\pict\\pngblip 0",
      "{\\fonttbl{\\f9\\fcharset128 ", "{\\colortbl;\\red300\\green-1;",
      "{\\stylesheet{\\s1\\sbasedon1 ",
      "{\\*\\listtable{\\list{\\listlevel\\levelnfc99", "\\ls1\\ilvl99 ", "\\tx-5\\tx0\\tx70000 ",
      "{\\upr{", "{\\*\\ud{", "\\ansicpg0 ", "\\ansicpg932 ", "\\ansicpg65001 ", "\\mac ",
      "\\cf-1 ", "{\\shp{\\*\\shpinst{\\shptxt ", "{\\*\\do{\\dptxbxtext ", "\\deleted ",
      "{\\info{\\title ",
      "{\\sp{\\sn pib}{\\sv {\\pict 00", "{\\sp{\\sn gtextUNICODE}{\\sv a}}", "\\o\\ad(\\s\\up 9(",
      "{\\field{\\*\\fldinst EQ \\\\o\\\\ad(\\\\s\\\\up 9(a),b)}",
      "{\\*\\formfield{\\fftype2{\\*\\ffl ",
      "{\\*\\generator LibreOffice}", "\\'95\\tab ", "1.\\tab ",
      "<$Scr_Ps::", "<!$Scr_Cs::99999999999999999999>", "{\\NeXTGraphic ", "\\end_Scrv_annot\\}",
      "\\{\\\\Scrv_annot \\\\text=", "\\dplrtf1", "\\cocoartf1 ", "\\v ", "\\sl0\\slmult1", "\0",
      "{\\*\\atrfstart 0}", "{\\*\\atrfend 0}", "{\\*\\annotation{\\*\\atnref 0}[G] x}",
      "{\\*\\atnauthor Diple}", "\\highlight1 ", "\\dplback", "{\\dplskip ",
    ].map { Array($0.utf8) } + [[0x8D], [0xAC], [0xFF, 0xFE]]

  /// Returns the next mutated file.
  package mutating func next() -> [UInt8] {
    var bytes = seeds.randomElement(using: &random)!
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard !bytes.isEmpty else { break }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(place..<end)
      case 3, 4: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: place)
      case 5:
        let target = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: bytes[place..<end], at: target)
      default: bytes.removeLast((bytes.count - place) / 4)
      }
    }
    return bytes
  }

  /// Checks the invariants of the reader for arbitrary input. It may reject the input. Otherwise
  /// the text must be consistent and not longer than the input, and writing and reading it again
  /// must return the same text.
  package static func check(_ bytes: [UInt8]) throws(Broken) {
    guard let document = try? RTFReader.read(bytes) else { return }
    func fail(_ what: String) -> Broken {
      Broken(description: "\(what)\n\(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    let text = document.text
    let problem = text.characters.violatedInvariant ?? text.paragraphs.violatedInvariant
    if let problem { throw fail(problem) }
    if text.units.count > bytes.count { throw fail("the text is longer than the file") }
    for offset in document.notes.map(\.offset) + document.images.map(\.offset)
    where !text.units.indices.contains(offset) || text.units[offset] != 0xFFFC {
      throw fail("no mark at \(offset)")
    }
    for mark in document.scrivenerMarks where mark.range.upperBound > text.units.count {
      throw fail("a mark beyond the text")
    }
    let passages = document.highlights.map(\.range) + document.notes.compactMap(\.range)
    if passages.contains(where: { $0.upperBound > text.units.count }) {
      throw fail("a passage beyond the text")
    }
    for row in document.tableRows where row.upperBound > text.units.count {
      throw fail("a row beyond the text")
    }
    var lists = document
    lists.recognizeLists()
    let broken = lists.text.characters.violatedInvariant ?? lists.text.paragraphs.violatedInvariant
    if let broken { throw fail("after lists were recognized: \(broken)") }
    for offset in lists.notes.map(\.offset) + lists.images.map(\.offset)
    where !lists.text.units.indices.contains(offset) || lists.text.units[offset] != 0xFFFC {
      throw fail("no mark at \(offset) after lists were recognized")
    }
    var plain = RichDocument(text: text, notes: document.notes, images: document.images)
    plain.images.removeAll { $0.file != nil }
    plain.highlights = document.highlights
    let again: RichDocument
    do {
      again = try RTFReader.read(RTFWriter.write(plain))
    } catch {
      throw fail("what was written is refused: \(error)")
    }
    if let difference = difference(again.text, text) {
      throw fail("what was written is read as another text: \(difference)")
    }
  }

  /// Returns a description of the difference between two texts, or nil if they are equal.
  package static func difference(_ a: AttributedText, _ b: AttributedText) -> String? {
    if a == b { return nil }
    if a.units != b.units {
      return "text: \(a.string.debugDescription) for \(b.string.debugDescription)"
    }
    if a.characters != b.characters {
      return "characters: \(Array(a.characters.runs)) for \(Array(b.characters.runs))"
    }
    if a.paragraphs != b.paragraphs {
      return "paragraphs: \(Array(a.paragraphs.runs)) for \(Array(b.paragraphs.runs))"
    }
    if a.styles != b.styles { return "styles: \(a.styles.styles) for \(b.styles.styles)" }
    return "defaults: \(a.defaults) for \(b.defaults)"
  }
}
