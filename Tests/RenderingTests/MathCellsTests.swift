import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Rendering

/// Tests how TeX is shown in a terminal.
@Suite struct MathCellsTests {
  private func shown(_ tex: String, _ range: Range<Int>? = nil) -> String {
    let units = Array(tex.utf16)
    let range = range ?? 0..<units.count
    var text = ""
    var place = range.lowerBound
    for piece in MathCells(units, range).pieces {
      text += String(decoding: units[place..<piece.range.lowerBound], as: UTF16.self)
      text.append(piece.text)
      place = piece.range.upperBound
    }
    return text + String(decoding: units[place..<range.upperBound], as: UTF16.self)
  }

  @Test(arguments: [
    ("\\alpha \\leq \\beta", "α ≤ β"), ("x \\to \\infty", "x → ∞"), ("x^2 + y_{12}", "x² + y₁₂"),
    ("e^{-i\\phi}", "e^{-iϕ}"), ("e^{-ix}", "e⁻ⁱˣ"), ("2^{n+1}", "2ⁿ⁺¹"), ("90^\\circ", "90°"),
    ("90^{\\circ}", "90°"),
    ("\\mathbb{R}^n", "ℝⁿ"), ("\\sin x, \\text{if } y", "sin x, if  y"),
    ("\\{a\\}", "{a}"), ("\\nabla\\cdot E", "∇⋅ E"),
    // Expressions without superscript or subscript letters, and unknown commands, are shown
    // unchanged.
    ("x^{q}", "x^{q}"), ("x_{i,j}", "x_{i,j}"), ("\\frac{a}{b}", "\\frac{a}{b}"),
    ("\\foo", "\\foo"),
    ("\\alphabet", "\\alphabet"), ("x^", "x^"), ("x^{", "x^{"), ("\\", "\\"),
    ("a^{b^{c}}", "a^{bᶜ}"),
    ("x^{}", "x^{}"), ("x^😀", "x^😀"), ("\\text{é}", "\\text{é}"),
  ])
  func `TeX is shown with symbols, superscripts and subscripts`(tex: String, text: String) {
    #expect(shown(tex) == text)
  }

  @Test func `a part of a command is not shown as another command`() {
    #expect(shown("\\pitch", 0..<3) == "\\pi")
    #expect(shown("\\pi", 1..<3) == "pi")
    #expect(shown("a\\leq", 0..<1) == "a")
  }

  @Test func `each symbol has the range of its source`() {
    let pieces = MathCells(Array("\\alpha^{10}".utf16), 0..<11).pieces
    #expect(pieces.map(\.range) == [0..<6, 6..<9, 9..<11])
    #expect(pieces.map(\.text) == ["α", "¹", "⁰"])
  }

  @Test func `a page shows TeX as symbols and keeps the text`() {
    let document = ParsedDocument(parsing: MarkdownSource("a $\\alpha^2$ and `\\beta`"))
    let page = Page(document: document, options: PageOptions(width: 40))
    let spans = PageLayout.lines(of: page).flatMap(\.spans)
    #expect(spans.map(\.text).joined() == "a α² and \\beta")
    #expect(document.text.string == "a \\alpha^2 and \\beta")
  }
}
