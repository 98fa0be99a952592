import Articles
import Testing

@Suite struct FindingTests {
  static let words = "This is a sentence of the article, with commas, so that it counts. "

  /// Returns an article with navigation, comments and other usual elements around it.
  static func markup(_ article: String) -> String {
    """
    <head><title>The story | The Site</title><meta property="og:site_name" content="The Site"/>
    <meta name="author" content="By Ada Lovelace"/><meta property="article:published_time" content="2021-03-05T10:20:30Z"/>
    <link rel="canonical" href="https://example.org/story"/></head>
    <body><header class="banner"><a href="/">The Site</a></header>
    <nav><ul><li><a href="/a">Menu A</a></li><li><a href="/b">Menu B</a></li></ul></nav>
    <div class="layout"><div class="sidebar"><p>Subscribe, now, or never, please, to our letter, today.</p>
    <ul><li><a href="/x">Other story</a></li><li><a href="/y">Another story</a></li></ul></div>
    <div class="content">\(article)</div>
    <div class="related"><h3>Related</h3><ul><li><a href="/1">One</a></li><li><a href="/2">Two</a></li></ul></div>
    <div id="comments"><p>First comment, with, many, commas, in, it, by, a, reader, of, the, story.</p></div></div>
    <footer><p>Copyright, all rights, reserved, by the site.</p></footer></body>
    """
  }

  @Test func `the article is extracted without the elements around it`() throws {
    let paragraphs = (1...8).map { "<p>\($0) \(String(repeating: Self.words, count: 3))</p>" }
    let article = try #require(
      Article.read(
        try page(Self.markup("<h1>The story</h1>" + paragraphs.joined())),
        at: WebAddress("https://example.org/story?utm=1")))
    #expect(article.markdown.hasPrefix("# The story\n\n1 This is"))
    #expect(article.markdown.hasSuffix("so that it counts.\n"))
    for other in ["Menu", "Subscribe", "Related", "comment", "Copyright", "Other"] {
      #expect(!article.markdown.contains(other), "\(other)")
    }
    #expect(article.metadata.title == "The story")
    #expect(article.metadata.authors == ["Ada Lovelace"])
    #expect(article.metadata.date == "2021-03-05T10:20:30Z")
    #expect(article.metadata.site == "The Site")
    #expect(article.metadata.canonical?.text == "https://example.org/story")
  }

  @Test func `a page with only menus has no article`() throws {
    let article = Article.read(try page(Self.markup("")), at: nil)
    #expect(article == nil || article?.markdown.contains("Menu") == false)
    #expect(Article.read(try page("<body><p>Short.</p></body>"), at: nil) == nil)
    #expect(Article.read(try page("<body></body>"), at: nil, isWhole: true) == nil)
  }

  @Test func `JSON-LD takes precedence over other metadata`() throws {
    let json = """
      {"@context":"https://schema.org","@graph":[{"@type":"WebPage","name":"Page"},
      {"@type":"NewsArticle","headline":"Head","datePublished":"2020-01-02",
      "author":[{"@type":"Person","name":"A"},{"@type":"Person","name":"B"}],"publisher":{"name":"P"}}]}
      """
    let tree = try page(
      "<head><title>T</title><script type=\"application/ld+json\"><![CDATA[\(json)]]></script></head><body/>"
    )
    let data = PageMetadata(of: tree, at: nil)
    #expect(data.title == "Head")
    #expect(data.authors == ["A", "B"])
    #expect(data.date == "2020-01-02")
    #expect(data.publisher == "P")
  }

  @Test(arguments: [
    ("2021-03-05", "2021-03-05"), ("2021-3-5", "2021-03-05"), ("2021", "2021"),
    ("March 5, 2021", "2021-03-05"), ("5 Mar 2021", "2021-03-05"), ("March 2021", "2021-03"),
    ("2021-03-05T10:20:30.123+0100", "2021-03-05T10:20:30+01:00"),
    ("2021-03-05T10:20:30", "2021-03-05"), ("2021/03/05", "2021-03-05"), ("yesterday", nil),
    ("2021-13-05", nil),
  ]) func `dates are parsed in common formats`(_ text: String, _ wanted: String?) {
    #expect(PageMetadata.date(text) == wanted)
  }

  @Test(arguments: [
    ("b", "https://e.org/a/b"), ("/b", "https://e.org/b"), ("../../b", "https://e.org/b"),
    ("?q", "https://e.org/a/c?q"), ("//f.org", "https://f.org/"),
    ("http://x.y:80/z#w", "http://x.y:80/z#w"),
    ("javascript:alert(1)", nil), ("data:text/html,x", nil), ("java\nscript:x", nil),
    (" b ", "https://e.org/a/b"),
    ("a b", "https://e.org/a/a%20b"), ("\\\\f.org\\x", "https://f.org/x"),
    ("mailto:a@b", "mailto:a@b"),
  ]) func `addresses are made absolute, and only safe ones are kept`(
    _ text: String, _ wanted: String?
  ) {
    #expect(WebAddress.resolved(text, against: WebAddress("https://e.org/a/c")) == wanted)
  }

  @Test func `a very long attribute is omitted`() {
    var tree = MarkupTree()
    let long = String(repeating: "a(b)_*", count: 1 << 14)
    let link = tree.append(
      element: "a", [.init("href", "https://e.org/" + long), .init("class", "c")],
      to: MarkupTree.root)
    #expect(tree.attribute("href", of: link) == nil)
    #expect(tree.attribute("class", of: link) == "c")
    let short = tree.append(element: "a", [.init("href", "https://e.org/")], to: MarkupTree.root)
    #expect(tree.attribute("href", of: short) == "https://e.org/")
  }

  @Test(arguments: ["<a>", "<a></b>", "", "text", "<a b='", "<!DOCTYPE x [<!ENTITY a \"b\">]>"])
  func `invalid XML is rejected`(_ text: String) {
    #expect(throws: XMLReader.Problem.self) { try XMLReader.read(Array(text.utf8)) }
  }
}
