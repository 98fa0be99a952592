import Articles
import Testing

/// What pages have between and around the paragraphs of an article.
@Suite struct ClutterTests {
  private static let sentence =
    "A long sentence of the article, with a comma and with many words to count. "
  private static let paragraph = "<p>\(sentence)\(sentence)\(sentence)</p>"
  private static let head = """
    <head><title>The story</title><meta name="author" content="Ada King"/>\
    <meta property="article:published_time" content="2021-03-05T23:30:00Z"/></head>
    """

  /// Returns the Markdown of an article with paragraphs around `markup`.
  private func markdown(
    _ markup: String, before: Int = 6, after: Int = 6, head: String = Self.head
  ) throws -> String {
    let text =
      String(repeating: Self.paragraph, count: before) + markup
      + String(repeating: Self.paragraph, count: after)
    return try #require(
      Article.read(try page("\(head)<body><div>\(text)</div></body>"), at: nil)
    ).markdown
  }

  private func isLeftOut(
    _ markup: String, _ part: String, before: Int = 6, after: Int = 6
  ) throws -> Bool {
    let text = try markdown(markup, before: before, after: after)
    #expect(text.components(of: "many words to count").count == (before + after) * 3 + 1)
    return !text.contains(part)
  }

  @Test(arguments: [
    "Advertisement", "Continue Reading Below", "Anzeige", "Publicité", "Sharing is caring!",
    "Image 1 of 8", "1 / 23 of", "This slideshow requires JavaScript.", "広告",
  ]) func `a label is left out`(_ label: String) throws {
    #expect(try isLeftOut("<p>\(label)</p>", label))
    #expect(try isLeftOut("<div><span>\(label)</span></div>", label))
  }

  @Test(arguments: [
    "<h2>Advertising</h2>", "<ul><li>Share</li><li>Comments</li></ul>", "<pre>Loading</pre>",
    "<table><tr><th>Share</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
    "<p>Advertisement of the year</p>", "<p>Chapter 1 of 8</p>",
  ]) func `a heading, an item, code and a table are not labels`(_ markup: String) throws {
    let words = ["Advertising", "Comments", "Loading", "Share", "Advertisement", "1 of 8"]
    let text = try markdown(markup)
    #expect(words.contains { text.contains($0) })
  }

  private static let links = (1...4).map { "<p><a href='/\($0)'>Another page \($0)</a></p>" }
    .joined()

  @Test(arguments: [
    "You may also like...", "Related articles", "DON’T MISS", "Most read in world news",
    "More Great Wired Stories", "Lesen Sie auch", "À lire aussi", "Te puede interesar",
    "Leia também", "Czytaj także", "Читайте также", "関連記事",
  ]) func `a list of other pages below such a heading is left out`(_ heading: String) throws {
    for markup in ["<p>\(heading)</p>", "<h3>\(heading)</h3>", "<p><b>\(heading)</b></p>"] {
      #expect(try isLeftOut(markup + Self.links, "Another page"))
      #expect(try isLeftOut(markup + Self.links, heading.prefix(8).description, after: 0))
    }
    let items = (1...4).map { "<li>Of the \($0): <a href='/\($0)'>another page</a>.</li>" }
    #expect(
      try isLeftOut("<p>\(heading)</p><ul>\(items.joined())</ul>", "another page", after: 0))
  }

  @Test(arguments: ["The sources", "See also", "Further reading", "Don’t miss the museum"])
  func `a list of links below another heading is kept`(_ heading: String) throws {
    #expect(try markdown("<h3>\(heading)</h3>" + Self.links).contains("Another page 4"))
  }

  @Test func `a heading for lists of other pages above paragraphs is kept`() throws {
    #expect(try markdown("<h3>Don’t miss</h3>").contains("miss"))
    // The list below this one was left out before.
    #expect(try isLeftOut("<h3>Related articles</h3>", "Related"))
  }

  @Test(arguments: [
    "Related: <a href='/1'>Another page of the site</a>",
    "Read more: <a href='/1'>Another page of the site</a>",
    "<b>SEE ALSO:</b> <a href='/1'><b>Another page of the site</b></a>",
    "Lire aussi : <a href='/1'>Another page of the site</a>",
    "<a href='/1'>Read more about Another page of the site</a>",
    "<a href='/1'>CLICK HERE FOR Another page</a>".uppercased().replacing("A HREF", with: "a href")
      .replacing("</A", with: "</a").replacing("PAGE", with: "PAGE Another page".uppercased()),
  ]) func `a reference to another page is left out`(_ line: String) throws {
    #expect(try isLeftOut("<p>\(line)</p>", "nother page"))
    #expect(try isLeftOut("<p>\(line)</p>", "NOTHER PAGE"))
  }

  @Test(arguments: [
    "Source: <a href='/1'>Another page of the site</a>",
    "Related work was done in <a href='/1'>Another page</a> by others.",
    "<a href='/1'>Another page of the site</a>",
    "Read more about this in <a href='/1'>Another page of the site and of others</a>.",
  ]) func `another line with a link is kept`(_ line: String) throws {
    #expect(try markdown("<p>\(line)</p>").contains("Another page"))
  }

  @Test(arguments: [
    "Sign up for our newsletter here.", "Get the news in your inbox. Subscribe to our newsletter.",
    "Follow us on Facebook and Twitter.", "Abonnieren Sie unseren Newsletter!",
    "Suscríbete a nuestro boletín.",
  ]) func `a call to readers at the end is left out`(_ line: String) throws {
    #expect(try isLeftOut("<p>\(line)</p>", line, after: 0))
    // In the middle, it can be the subject of the article.
    #expect(try markdown("<p>\(line)</p>").contains(line))
  }

  @Test func `a sentence about newsletters at the end is kept`() throws {
    let line = "She later signed up for a newsletter of her own."
    #expect(try markdown("<p>\(line)</p>", after: 0).contains(line))
  }

  @Test(arguments: [
    "By Ada King", "Ada King, Staff Writer", "March 5, 2021", "Updated: 5 Mar 2021, 11:30 pm",
    "By <a href='/ada'>Ada King</a> March 6, 2021 8:30 am CET", "Published 1 day ago",
    "Von<span> </span><span>Ada King</span>", "2021年3月5日",
  ]) func `the date and the authors above the text are left out`(_ line: String) throws {
    let text = try markdown("<h1>The story</h1><div>\(line)</div>", before: 0)
    #expect(text.hasPrefix("# The story\n\nA long sentence"))
    // Without metadata, the line is the only place of the date and the name.
    let other = try markdown(
      "<h1>The story</h1><div>\(line)</div>", before: 0, head: "<head/>")
    #expect(!other.hasPrefix("# The story\n\nA long sentence") || line.contains("href"))
    // Below the text, it can be a signature.
    #expect(!(try markdown("<div>\(line)</div>", after: 0)).hasSuffix("to count.\n"))
  }

  @Test(arguments: [
    "On 5 March 2021, the company closed its doors.", "My name is Ada King.",
    "The photo shows the house of Ada King", "4 May 1999", "Bo Ek",
  ]) func `another short line above the text is kept`(_ line: String) throws {
    #expect(try markdown("<p>\(line)</p>", before: 0).hasPrefix(line))
  }

  @Test func `links to share the page are left out`() throws {
    let addresses = [
      "https://www.facebook.com/sharer/sharer.php?u=x", "https://twitter.com/intent/tweet?url=x",
      "mailto:?subject=x",
    ]
    let items = addresses.map { "<li><a href='\($0)'>Shared</a></li>" }.joined()
    #expect(try isLeftOut("<ul>\(items)<li>Shared by others</li></ul>", "Shared", before: 0))
    let text = "<p>See <a href='https://twitter.com/ada'>Shared</a>, with the rest of it.</p>"
    #expect(try !isLeftOut(text, "Shared"))
  }

  @Test func `the text around a field for an email address is left out`() throws {
    let form = """
      <div class='x'><h4>Stay informed</h4><div>All the best stories each day.</div>
      <form><input type='email'/><button>OK</button></form><small>I accept the terms.</small></div>
      """
    #expect(try isLeftOut(form, "best stories"))
    #expect(try isLeftOut(form, "Stay informed"))
    let search = form.replacing("email", with: "search")
    #expect(try !isLeftOut(search, "best stories"))
  }

  @Test func `captions of a gallery are written once`() throws {
    let caption = "The house of the family in the year before the war, seen from the river"
    let slides = String(
      repeating: "<div class='slide'><img src='/1.png'/><p>\(caption)</p></div>", count: 3)
    let text = try markdown("<div class='gallery'>\(slides)</div>")
    #expect(text.components(of: caption).count == 2)
    // The refrain of a song is repeated.
    let song = try markdown(String(repeating: "<p>\(caption)</p>", count: 3))
    #expect(song.components(of: caption).count == 4)
  }

  @Test func `a description of the author is left out`() throws {
    let text =
      "<p>Bo Ek is a reporter who writes about the sea and about those who live by it, in "
      + "Sweden and elsewhere, since 1999, for the newspapers of the whole coast.</p>"
    #expect(try isLeftOut("<div class='author-bio'>\(text)</div>", "Bo Ek", after: 0))
    // Some pages name the whole article for its author.
    let all = "<div class='post author-box'>\(String(repeating: Self.paragraph, count: 9))</div>"
    #expect(try markdown(all, before: 1, after: 1).components(of: "many words").count == 34)
  }

  @Test func `links that appear when pointing at a name are left out`() throws {
    let links = (1...3).map { "<a href='/\($0)'>Another page of the site \($0)</a>" }.joined()
    let name = "<a href='/bo'>Bo Ek</a>"
    let markup = """
      <p>It was <span class='rollover'>\(name)<span class='rollover-block'>\(name)\(links)</span>\
      </span> who said so, with a long sentence after it.</p>
      """
    let text = try markdown(markup)
    #expect(text.contains("It was [Bo Ek](/bo) who said") || text.contains("It was Bo Ek who said"))
  }

  @Test func `links to the previous and the next page are left out`() throws {
    let pages = ["Previous", "Next"].map {
      "<div><p><a href='/\($0)'>\($0) news</a></p><a href='/\($0)'><h5>The page that is \($0)</h5></a>"
        + "<p>What it is about, in a line of many words, in a teaser</p></div>"
    }
    #expect(try isLeftOut("<div>\(pages.joined())</div>", "in a teaser", after: 0))
  }

  @Test func `the summary above the text is kept`() throws {
    let markup = """
      <body><div><div class='share'>Share</div>
      <div class='article__summary'>In short, this is what the article says, in not nearly as many words as the text below.</div>
      <div class='article__text'>\(String(repeating: Self.paragraph, count: 9))</div></div></body>
      """
    let article = try #require(Article.read(try page(markup), at: nil))
    #expect(article.markdown.hasPrefix("In short"))
  }

  @Test func `an embedded post is kept`() throws {
    let post = "<blockquote><p>What I had to say</p>— Bo Ek (@bo)</blockquote>"
    #expect(
      try markdown("<div class='social-media-embed'>\(post)</div>").contains("> What I had to say"))
  }

  @Test func `a menu above a short text without paragraphs is left out`() throws {
    let markup = """
      <body><div><ul><li><a href='/a'>Home page</a></li><li><a href='/b'>Job offers</a></li></ul>
      <div><div>\(Self.sentence)\(Self.sentence)<div>\(Self.sentence)</div></div></div></div></body>
      """
    let article = try #require(Article.read(try page(markup), at: nil))
    #expect(!article.markdown.contains("Job offers"))
    #expect(article.markdown.components(of: "many words").count == 4)
  }

  @Test func `nothing outside of the marked main part is read`() throws {
    let other = "<div><h2>Site index</h2>\(String(repeating: Self.paragraph, count: 5))</div>"
    let markup = """
      <body><div><div><main>\(String(repeating: Self.paragraph, count: 9))</main></div>\(other)</div>
      </body>
      """
    let article = try #require(Article.read(try page(markup), at: nil))
    #expect(!article.markdown.contains("Site index"))
  }

  @Test func `an unknown date of publication is not the year 1`() {
    #expect(PageMetadata.date("0001-01-01T00:00:00Z") == nil)
  }

  @Test func `hostile pages are read in linear time`() throws {
    func seconds(_ count: Int, _ markup: String) throws -> Double {
      let tree = try page(
        "\(Self.head)<body>\(Self.paragraph)\(String(repeating: markup, count: count))</body>")
      let clock = ContinuousClock()
      let time = clock.measure { _ = Article.read(tree, at: nil) }
      return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }
    for markup in [
      "<p>Related</p>", "<p>5 3 2021</p>", "<input type='email'/>",
      "<p>Related: <a href='/'>x</a></p>",
      "<div class='tooltip-box'><a href='/'>x</a></div>", "x<p/>",
    ] {
      let (few, many) = (try seconds(500, markup), try seconds(4000, markup))
      #expect(many < 40 * max(few, 0.01), "\(markup): \(few) s, \(many) s")
    }
  }
}

extension String {
  /// The parts between the occurrences of a text.
  fileprivate func components(of text: String) -> [String] {
    split(separator: text, omittingEmptySubsequences: false).map(String.init)
  }
}
