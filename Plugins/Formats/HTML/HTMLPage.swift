import FoundationEssentials
public import Interchange
public import Model
public import Rendering

/// Writes an HTML page with the complete texts, their highlights and the notes beside them. The
/// page needs no other files, contains no scripts and loads nothing.
public struct HTMLPage: DocumentExporter {
  /// The id, which selects the format: `diple export --to html`.
  public static let id = "html"
  /// The description that `diple strategies` prints.
  public static let summary =
    "one page with the whole texts, their highlights, and notes beside them"
  /// Examples, which are also the tests.
  public static let examples = [
    ExportExample(
      "highlights without their text", records: [ExportSample.records[0]],
      output: HTMLPageStyle.head(title: "On signs") + """
        <body>
        <main>
        <article id="d1">
        <header>
        <h1 dir="auto">On signs</h1>
        <p class="facts"><span>signs.md</span> · <span>1 highlight</span></p>
        </header>
        <p class="problem">The text is not on this page.</p>
        <section class="list" aria-label="Highlights">
        <h2>Highlights without a place in the text</h2>
        <ul>
        <li id="n-d1-urn:diple:1"><span class="color blue">B</span> <q dir="auto">Look &quot;here&quot;, *now*</q> <span class="facts">blue (question) · page 12 · <span class="tag">#signs</span> <span class="tag">#two words</span> · <time>1970-01-01</time></span>
        <p class="note" dir="auto">=Why &lt;this&gt;?</p>
        </li>
        </ul>
        </section>
        </article>
        </main>
        </body>
        </html>

        """)
  ]

  /// Creates the exporter, which has no state.
  public init() {}

  /// Writes the page.
  ///
  /// - Parameter contents: the documents in the same order, for the table of contents and for links
  ///   between documents.
  public func export(
    _ documents: some Sequence<ExportedDocument>, contents: [ExportedHead],
    to output: inout some TextOutputStream
  ) throws(StrategyError) {
    let title =
      contents.count == 1
      ? contents[0].title : "Highlights from \(contents.count.counted("document"))"
    let numbers = Dictionary(
      contents.enumerated().map { ($1.source, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    // The style sheet precedes the texts and contains the rules of all their formats, and the
    // security policy contains its hash. The HTML of all texts is therefore kept until the last
    // document is loaded.
    var articles = TextPieces()
    var format = HTMLFormatSheet()
    var number = 0
    var iterator = documents.makeIterator()
    while var document = iterator.next() {
      number += 1
      let article = HTMLArticle(
        &document, number: number, isAlone: contents.count == 1, numbers: numbers)
      format.merge(article.format)
      article.write(to: &articles)
    }
    output.write(HTMLPageStyle.head(title: title, format: format))
    output.write("<body>\n")
    if contents.count != 1 { output.write(Self.contents(contents, title)) }
    output.write("<main>\n")
    for piece in articles.pieces { output.write(piece) }
    output.write("</main>\n</body>\n</html>\n")
  }

  private static func contents(_ heads: [ExportedHead], _ title: String) -> String {
    var html = "<nav aria-label=\"Contents\">\n<h1>\(title)</h1>\n<ol>\n"
    for (index, head) in heads.enumerated() {
      html += """
        <li><a href="#d\(index + 1)" dir="auto">\(head.title.escapedForHTML)</a> \
        <span class="facts">\(head.place.escapedForHTML) · \(head.count.counted("highlight"))</span></li>

        """
    }
    return html + "</ol>\n</nav>\n"
  }
}

/// A text in pieces. Unlike a string, it grows without being copied.
private struct TextPieces: TextOutputStream {
  private(set) var pieces: [String] = []

  /// The size in bytes from which a piece is complete.
  private static let pieceSize = 1 << 16

  mutating func write(_ text: String) {
    if let last = pieces.last, last.utf8.count < Self.pieceSize {
      pieces[pieces.count - 1] += text
    } else {
      pieces.append(text)
    }
  }
}
