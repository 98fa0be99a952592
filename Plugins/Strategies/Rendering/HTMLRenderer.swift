import Model
public import Rendering

/// Writes the text of a page as HTML, without the page around it, for use in other pages. If the
/// document has a format, its rules precede the text in a `style` element.
public struct HTMLRenderer: Renderer {
  /// The id, which selects the renderer: `diple show --renderer html`.
  public static let id = "html"
  /// The description that `diple strategies` prints.
  public static let summary =
    "the text as HTML elements with their offsets; without a style sheet"
  /// Examples, which are also the tests.
  public static let examples = [
    RenderExample(
      "a heading, and a highlight over a part of a link and the text after it",
      markdown: "# T\n\n[two](https://diple.example/x?a&b) three\n",
      overlays: [Overlay(range: TextRange(utf16: 4..<8), color: .yellow, state: .doubtful)],
      lines: [
        ##"<h1 id="t-t" data-b="0" dir="auto"><span data-o="0" data-n="1">T</span></h1>"##,
        ##"<p data-b="2" dir="auto"><a href="https://diple.example/x?a&amp;b" rel="noreferrer nofollow"><span data-o="0" data-n="2">tw</span></a><span class="hint" data-x dir="ltr">[yellow highlight start, doubtful]</span><a href="https://diple.example/x?a&amp;b" rel="noreferrer nofollow"><mark data-h="" class="yellow doubtful"><span data-o="2" data-n="1">o</span></mark></a><mark data-h="" class="yellow doubtful"><span data-o="3" data-n="3"> th</span></mark><span class="hint" data-x dir="ltr">[highlight end]</span><sup class="sign" data-x dir="ltr" aria-hidden="true">Y?</sup><span data-o="6" data-n="3">ree</span></p>"##,
      ]),
    RenderExample(
      "a script is omitted", markdown: "a<script>x</script> <b onclick=x>c</b>\n",
      lines: [
        #"<p data-b="0" dir="auto"><span data-o="0" data-n="2">a </span><strong><span data-o="2" data-n="1">c</span></strong></p>"#
      ]),
  ]

  /// Creates the renderer, which has no state.
  public init() {}

  /// Writes the blocks of the page, and the rules of its format.
  public func render(_ page: Page, to output: inout some TextOutputStream) {
    let body = HTMLBody(page)
    let rules = body.format.css
    if !rules.isEmpty { output.write("<style>\n\(rules)</style>\n") }
    if !body.formatClass.isEmpty { output.write("<div class=\"\(body.formatClass)\">\n") }
    for part in body.parts { output.write(part.html) }
    if !body.formatClass.isEmpty { output.write("</div>\n") }
  }
}
