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
    let links = "<p><a href='/a'>One</a> <a href='/b'>Two</a> and</p>"
    #expect(Article.read(try page("<body>\(links)</body>"), at: nil) == nil)
    #expect(Article.read(try page("<body></body>"), at: nil) == nil)
    #expect(Article.read(try page("<body></body>"), at: nil, isWhole: true) == nil)
  }

  @Test(arguments: ["<p>Short.</p>", "<ol><li><p>Short.</p></li></ol>", "<main>Short.</main>"])
  func `all of a short page is its article`(_ body: String) throws {
    let article = Article.read(try page("<body><nav>Menu</nav>\(body)</body>"), at: nil)
    #expect(article?.markdown.contains("Short.") == true)
    #expect(article?.markdown.contains("Menu") == false)
  }

  /// Returns `count` paragraphs of sentences that begin with a word.
  private static func paragraphs(_ word: String, _ count: Int) -> String {
    (1...count).map { "<p>\(word) \($0) \(String(repeating: words, count: 3))</p>" }.joined()
  }

  @Test func `parts of an article beside an ancestor of its longest part belong to it`() throws {
    func nested(_ content: String, _ depth: Int) -> String {
      String(repeating: "<div>", count: depth) + content + String(repeating: "</div>", count: depth)
    }
    let article = try #require(
      Article.read(
        try page(
          Self.markup(
            nested(Self.paragraphs("first", 4), 7) + nested(Self.paragraphs("second", 8), 7)
              + "<div><p>Teaser of another story of the same site</p></div>")),
        at: nil))
    #expect(article.markdown.hasPrefix("first 1"))
    #expect(article.markdown.contains("second 8"))
    for other in ["Teaser", "Subscribe", "comment"] {
      #expect(!article.markdown.contains(other), "\(other)")
    }
    #expect(article.smallShare == nil)
  }

  @Test func `a list of sentences beside a paragraph belongs to the article`() throws {
    let items = (1...4).map {
      "<li><h2>Tool \($0)</h2>\(Self.words)\(Self.words)<a href='/\($0)'>More</a></li>"
    }
    let article = try #require(
      Article.read(
        try page(
          Self.markup("<p>\(Self.words)\(Self.words)</p><ul>\(items.joined())</ul>")), at: nil))
    #expect(article.markdown.contains("Tool 1") && article.markdown.contains("Tool 4"))
  }

  @Test func `a nested list of links belongs to its item`() throws {
    let links = (1...6).map {
      "<li><a href='https://b.org/\($0)'>Bug \($0) about the tabs</a></li>"
    }
    let article = try #require(
      Article.read(
        try page(
          Self.markup(
            Self.paragraphs("text", 4)
              + "<ul><li>\(Self.words)<ul>\(links.joined())</ul></li></ul>")), at: nil))
    #expect(article.markdown.contains("Bug 6 about"))
  }

  @Test func `a page of which most is omitted states the article's share`() throws {
    let other = "<div class='comments'>\(Self.paragraphs("comment", 30))</div>"
    let article = try #require(
      Article.read(
        try page("<body><div>\(Self.paragraphs("text", 5))</div>\(other)</body>"), at: nil))
    #expect(!article.markdown.contains("comment"))
    #expect(article.smallShare == 14)
  }

  @Test func `a link to the page's own address can refer to a footnote`() throws {
    let address = "https://example.org/story"
    let note = "<ol class='footnotes'><li id='n1'>The note.</li></ol>"
    let article = try #require(
      Article.read(
        try page("<body><p>Text<sup><a href='\(address)#n1'>1</a></sup></p>\(note)</body>"),
        at: WebAddress(address), isWhole: true))
    #expect(article.markdown == "Text[^1]\n\n[^1]: The note.\n")
  }

  @Test(arguments: [
    ("<span class='author'>By</span><a rel='author'>Ada King</a>", "Ada King"),
    ("<span class='byline'>By Ada King</span>", "Ada King"), ("<p class='author'>by</p>", ""),
  ]) func `the word before a name is not an author`(_ markup: String, _ wanted: String) throws {
    let data = PageMetadata(of: try page("<body>\(markup)</body>"), at: nil)
    #expect(data.authors.joined() == wanted)
  }

  @Test(arguments: [
    ("Dan Goodin - Apr 16, 2015 8:02 pm UTC", "Dan Goodin"), ("Ada King, 5 May 2021", "Ada King"),
    ("By Ada King | 2021-05-05", "Ada King"), ("Ada King, Bo Ek", "Ada King, Bo Ek"),
    ("Anne-Marie May, Paris 2021", "Anne-Marie May, Paris 2021"),
  ]) func `a date after a name is omitted`(_ written: String, _ wanted: String) throws {
    let markup = "<body><p class='byline'>\(written)</p></body>"
    #expect(PageMetadata(of: try page(markup), at: nil).authors == [wanted])
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

  private static let sentence =
    "A long sentence of the article, with a comma and with many words to count. "

  private func markdown(_ body: String) throws -> String {
    try #require(Article.read(try page("<body>\(body)</body>"), at: nil, isWhole: false)).markdown
  }

  @Test func `teasers of other pages below an article are omitted`() throws {
    let teasers = (1...4).map {
      "<div><a href='/\($0)'><img src='\($0).png'/></a><h4><a href='/\($0)'>Another page \($0)</a></h4>"
        + "<p>What it is about, in one line.</p></div>"
    }
    let article = "<h1>Title</h1>" + String(repeating: "<p>\(Self.sentence)</p>", count: 20)
    let text = try markdown(
      "<div id=x>\(article)<div><h3>More</h3><div>\(teasers.joined())</div></div></div>")
    #expect(
      text.contains("A long sentence") && !text.contains("nother page") && !text.contains("More"))
    // Headings with links and much text are parts of the article.
    let parts = (1...4).map {
      "<h3><a href='/\($0)'>Work \($0)</a></h3><p>\(Self.sentence)\(Self.sentence)\(Self.sentence)</p>"
    }
    #expect(try markdown("<div>\(article)<div>\(parts.joined())</div></div>").contains("Work 4"))
  }

  @Test func `the comments below a short article are omitted`() throws {
    let article = "<p>\(String(repeating: Self.sentence, count: 5))</p>"
    let comments = String(
      repeating: "<li><p>A reply, from a reader, with much text. </p></li>", count: 30)
    let text = try markdown(
      "<div>\(article)<div class='comments'><h3>Replies</h3><ol>\(comments)</ol></div></div>")
    #expect(text.contains("A long sentence") && !text.contains("reader"))
  }

  @Test func `paragraphs beside an element with the others are found`() throws {
    let paragraph = "<div class='par'>\(Self.sentence)\(Self.sentence)</div>"
    let first = "<div class='par lead'>The first words, of the article. \(Self.sentence)</div>"
    let text = try markdown(
      "<section>\(first)<div>\(String(repeating: paragraph, count: 12))</div></section>")
    #expect(text.contains("The first words"))
  }

}
