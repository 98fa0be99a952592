import Articles
import Testing

@Suite struct MathMarkupTests {
  @Test(arguments: [
    ("<mi>x</mi><mo>=</mo><mfrac><mi>a</mi><mn>12</mn></mfrac>", "x = \\frac{a}{12}"),
    (
      "<msup><mi>x</mi><mn>2</mn></msup><msub><mi>a</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub>",
      "x^2a_{ij}"
    ),
    ("<msubsup><mrow><mi>x</mi></mrow><mn>1</mn><mo>′</mo></msubsup>", "x_1^{′}"),
    (
      "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>",
      "\\sqrt{x+1}\\sqrt[3]{y}"
    ),
    (
      "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
      "∑_{i = 1}^ni"
    ),
    ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mi>rank</mi>", "\\sin x\\mathrm{rank}"),
    (
      "<mover><mi>z</mi><mo>¯</mo></mover><mover><mi>A</mi><mi>t</mi></mover>",
      "\\overline{z}\\overset{t}{A}"
    ),
    (
      "<mfenced open='[' close=']'><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd/></mtr></mtable></mfenced>",
      "\\begin{bmatrix}1 & 2 \\\\ 3\\end{bmatrix}"
    ),
    (
      "<mfenced><mi>a</mi><mi>b</mi></mfenced><mo>{</mo><mtext>50% of</mtext>",
      "(a,b)\\{\\text{50\\% of}"
    ),
  ]) func `MathML becomes TeX`(_ markup: String, _ wanted: String) throws {
    let result = try markdown("<p><math alttext=\"Alternative text\">\(markup)</math></p>")
    #expect(result == "$\(wanted)$\n")
  }

  @Test func `TeX in an annotation or an alternative text is preferred`() throws {
    let annotation = "<annotation encoding='application/x-tex'>a\\cdot b</annotation>"
    let formula = "<semantics><mi>a</mi>\(annotation)</semantics>"
    #expect(try markdown("<p><math>\(formula)</math></p>") == "$a\\cdot b$\n")
    #expect(try markdown("<p><math alttext='a_1'><mi>b</mi></math></p>") == "$a_1$\n")
    #expect(try markdown("<p><math alttext='Equation'></math></p>") == "$Equation$\n")
  }

  @Test func `a nested formula keeps all of its signs`() throws {
    let open = String(repeating: "<msqrt><mrow>", count: 40)
    let close = String(repeating: "<mi>y</mi></mrow></msqrt>", count: 40)
    let result = try markdown("<p><math>\(open)<mi>x</mi>\(close)</math></p>")
    let wanted =
      String(repeating: "\\sqrt{", count: 40) + "x" + String(repeating: "y}", count: 40)
    #expect(result == "$\(wanted)$\n")
  }
}
