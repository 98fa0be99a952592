public import MarkdownParse

/// Inputs for which naive parsers take more than linear time or recurse deeply. Parsing an input of
/// four times the size must take about four times as long.
public enum PathologicalInputs {
  /// A kind of input of variable size.
  public struct Input: Sendable, CustomStringConvertible {
    /// The unique name.
    public var name: String
    /// Returns the document of a size. It has a few bytes for each unit.
    public var make: @Sendable (Int) -> String

    /// The name, for the reports of parametrized tests.
    public var description: String { name }
  }

  /// All inputs for the standard dialect.
  public static let all: [Input] =
    repeated.map { name, unit, after in
      Input(name: name) { String(repeating: unit, count: $0) + after + "\n" }
    }
    + nested.map { name, open, close in
      Input(name: name) {
        String(repeating: open, count: $0) + "a" + String(repeating: close, count: $0) + "\n"
      }
    }
    + after.map { name, before, unit in
      Input(name: name) { before + String(repeating: unit, count: $0) + "\n" }
    } + grown

  /// The name, a unit that is repeated, and the end.
  private static let repeated: [(String, String, String)] = [
    ("quotes", ">", "a"), ("quotes with spaces", "> ", "a"), ("lists on one line", "- ", "a"),
    ("tabbed lists on one line", "\t- ", "a"), ("open brackets", "[", "a"),
    ("links without an end", "[a](b", ""), ("open emphasis", "*a ", ""),
    ("struck and not", "~a ~~a ", ""), ("open angles", "<", ""), ("open comments", "<!--", ""),
    ("open instructions", "<?", ""), ("open declarations", "<!A", ""),
    ("open CDATA", "a <![CDATA[", ""), ("ampersands", "&", ""), ("entities cut off", "&a", ""),
    ("www.", "www.", ""), ("addresses cut off", "a@", ""), ("dots before an address", "a.", "@b"),
    ("hard breaks", "a  \n", ""), ("backslashes", "\\", ""), ("lines of a heading", "a\n", "==="),
    ("NUL", "\0", ""), ("titles without an end", "[a](b \"", ""), ("tails cut off", "[a](", ""),
    ("attributes without an end", "<a b='", ""), ("backticks of two lengths", "`a``b", ""),
    ("empty items", "-\n", ""), ("items", "* a\n", ""), ("open images", "![l", ""),
    ("underscores", "_", "a"), ("underscores in words", "a_", ""), ("tags on lines", "<a\n", ""),
    ("backticks on lines", "`a ``b\n", ""), ("open destinations on lines", "[a](<b\n", ""),
    ("brackets over lines", "[a\n]", ""), ("open titles on lines", "[a](b \"c\n", ""),
    ("a label over lines", "[a\n", "]: b"), ("addresses on lines", "a@b\n", ""),
    ("tildes", "~~a~", ""), ("www before angles", "www.a<", ""),
    ("http with underscores", "http://a_", ""), ("quotes and stars", ">a*", ""),
    ("tasks", "- [ ] a\n", ""), ("empty quotes", ">\n", ""),
    ("quoted paragraphs", "> > > > a\n\n", ""),
    ("code with blank lines", "    a\n\n", ""), ("the same definition", "[a]: u\n", "\n[a]"),
    ("destinations cut off", "[a]: <b\n", ""), ("open mathematics", "$a ", ""),
    ("open displays", "$$a", ""), ("dollars", "$", ""), ("open marks", "==a ", ""),
    ("equals", "a==", ""), ("open footnotes", "[^", ""), ("footnotes", "[^a]: b\n", ""),
    ("the same footnote", "[^a]", "\n\n[^a]: b"), ("headings", "#\n", ""),
    ("closed headings", "# a ## ", ""), ("fences", "```\n", ""), ("open fences", "``` a\n\n", ""),
    ("rules", "***\n", ""), ("almost a rule", "* ", "a"), ("bars", "|", "\n|-|"),
    ("delimiter rows", "|-|\n", ""), ("escaped bars", "\\|", "\n|-|"),
    ("HTML blocks", "<div>\n", ""),
    ("HTML lists", "<ul><li>", ""), ("HTML lists with text", "<ul><li>a", ""),
    ("HTML items", "<li>a", ""), ("open HTML tags", "<div><b>", "a"),
    ("styles in HTML", "<p><b>a", ""),
    ("crossing styles in HTML", "<p><b>a<i>b</b>", ""), ("links in HTML", "<p><a href=x>a", ""),
    ("HTML tags without an end", "<p a='<b \"", ""),
    ("HTML quotes without an end", "<p><a href=\"", ""),
    ("HTML cells", "<table><tr><td>a", ""), ("HTML rows", "<tr><td>a", ""),
    ("HTML tables", "<table>", ""),
    ("HTML quotes", "<blockquote>", "a"), ("HTML comments", "<p><!--", ""),
    ("HTML scripts", "<p><script>", ""),
    ("HTML breaks", "<p>a<br>", ""), ("breaks", "a<br>", ""), ("breaks alone", "<br>", "a"),
    ("pictures in HTML", "<p><img alt='a b'>", ""), ("HTML terms", "<dl><dt>a<dd>b", ""),
    ("HTML headings", "<h1>a<p>", ""), ("HTML code", "<pre>a\n", ""),
    ("angles in HTML", "<p><", ""),
    ("styles as tags", "<b>a ", ""), ("styles as tags that cross", "<b>*a</b>", ""),
    ("scripts in lines", "a<script>", ""), ("attributes of a heading", "# a {#b ", "}"),
    ("pictures without a description", "![](a)", ""), ("names of tags", "<p id=a>", "a"),
    ("HTML types 7", "<a>\n\n", ""), ("closing comments", "<!-- a -->\n", ""),
    ("schemes", "http:", ""), ("colons", "a://", ""), ("closing brackets", "a]", ""),
    ("emphasis of three kinds", "*_~~a", ""), ("stars and words", "a**b", "c*"),
    ("carriage returns", "\r", ""), ("tabs", "\t", "a"),
    ("definitions with titles", "[a]: b 'c\n", ""),
    ("links in open images", "![[](u)", ""), ("links in open links", "[[](u)", ""),
    ("dollars and code", "$a `b$` ", ""), ("dollars in links", "[$a](b) ", ""),
    ("dollars before code", "$a `b ", ""), ("displays and code", "$$ `$$` ", ""),
    ("parentheses in destinations", "[a](b(", ""), ("mixed brackets", "[*a]_", ""),
    ("autolinks cut off", "<http:a", ""), ("numeric references cut off", "&#1", ""),
  ]

  /// The name, an opening unit that is repeated, and a closing unit that is repeated as often.
  private static let nested: [(String, String, String)] = [
    ("nested brackets", "[", "]"), ("nested images", "![", "](b)"), ("nested stars", "*", "*"),
    ("nested emphasis", "*a **a ", "** *"), ("nested kinds", "*_", "_*"),
    ("nested links", "[", "](b)"), ("nested tags", "<b>", "</b>"),
    ("nested kinds of tags", "<b><i>", "</i></b>"),
    ("nested HTML lists", "<ul><li>", "</li></ul>"), ("nested HTML blocks", "<div>", "</div>"),
    ("nested HTML tables", "<table><tr><td>", "</td></tr></table>"),
    ("nested parentheses", "(", ")"), ("nested marks", "==a ", " =="),
  ]

  /// The name, the start, and a unit that is repeated.
  private static let after: [(String, String, String)] = [
    ("stars after words", "a**b", "c* "), ("an address in parentheses", "http://a.b/", "()"),
    ("an open parenthesis in an address", "http://a.b/", "("),
    ("lazy lines", String(repeating: "> ", count: 300) + "a\n", "a\n"),
    ("references over lines", "[x]: y\n\n", "[a\nb] "),
    ("blank lines after a list", "- a\n", "\n"),
    (
      "rows of a wide table",
      "|" + String(repeating: "a|", count: 100) + "\n|"
        + String(repeating: "-|", count: 100) + "\n", "|a\n"
    ),
    ("rows", "|a|b|\n|-|-|\n", "|a|b|\n"), ("a long cell", "|a|\n|-|\n|", "a\\|"),
    ("a long front matter", "---\n", "a: b\n"), ("items apart", "- a\n", "\n  b\n"),
  ]

  /// Inputs that grow in other ways. If the size would be squared, its root is used.
  private static let grown: [Input] = [
    Input(name: "deep lists on lines") { size in
      (0..<root(size)).map { String(repeating: " ", count: 2 * $0) + "- a\n" }.joined()
    },
    Input(name: "backticks of all lengths") { size in
      (1..<root(2 * size)).map { "e" + String(repeating: "`", count: $0) }.joined() + "\n"
    },
    Input(name: "deep quotes on lines") { size in
      let line = String(repeating: "> ", count: root(size)) + "a\n"
      return String(repeating: line, count: root(size))
    },
    Input(name: "deep items on lines") { size in
      let line = String(repeating: "- ", count: root(size)) + "a\n"
      return String(repeating: line, count: root(size))
    },
    Input(name: "deep quotes, then lazy lines") { size in
      String(repeating: "> ", count: size / 2) + "a\n" + String(repeating: "a\n", count: size / 2)
    },
    Input(name: "deep items, then blank lines") { size in
      String(repeating: "- ", count: size) + "a\n" + String(repeating: "\n", count: size)
    },
    Input(name: "empty deep quotes") { size in
      let line = String(repeating: ">", count: 200) + "\n"
      return String(repeating: line, count: size / 200)
    },
    Input(name: "many definitions and references") { size in
      let numbers = 0..<size / 8
      return numbers.map { "[\($0)]: u\n" }.joined() + "\n" + numbers.map { "[\($0)] " }.joined()
        + "\n"
    },
    Input(name: "many footnotes and references") { size in
      let numbers = 0..<size / 8
      return numbers.map { "[^\($0)]: x\n" }.joined() + "\n"
        + numbers.map { "[^\($0)] " }.joined() + "\n"
    },
    Input(name: "a long definition, often used") { size in
      "[a]: /" + String(repeating: "x", count: size / 2) + "\n\n"
        + String(repeating: "[a] ", count: size / 8) + "\n"
    },
    Input(name: "long labels") { size in
      "[x]: y\n\n"
        + String(repeating: "[" + String(repeating: "a", count: 900) + "] ", count: size / 900)
        + "\n"
    },
    Input(name: "alike labels") { size in
      let numbers = 0..<size / 50
      func label(_ letter: String, _ number: Int) -> String {
        String(repeating: letter, count: number % 200) + String(number)
      }
      return numbers.map { "[\(label("a", $0))]: u\n" }.joined() + "\n"
        + numbers.map { "[\(label("b", $0))] " }.joined() + "\n"
    },
    Input(name: "a wide table with short rows") { size in
      "|" + String(repeating: "a|", count: size / 2) + "\n|"
        + String(repeating: "-|", count: size / 2) + "\n" + String(repeating: "|a\n", count: 2_000)
    },
    Input(name: "an address in nested parentheses") { size in
      "http://a.b/" + String(repeating: "(", count: size) + String(repeating: ")", count: size)
        + "\n"
    },
  ]

  /// All pairs of delimiters, alternating and nested. Two linear searches that interact may be
  /// quadratic.
  public static let compositions: [Input] = delimiters.flatMap { one in
    delimiters.flatMap { two in
      let name = "\(one.debugDescription) and \(two.debugDescription)"
      return [
        Input(name: "\(name) in turns") {
          String(repeating: one + two, count: $0 / 2) + "\n"
        },
        Input(name: "\(name) nested") {
          String(repeating: one, count: $0 / 2) + "a" + String(repeating: two, count: $0 / 2) + "\n"
        },
      ]
    }
  }

  /// All pairs of fragments that begin, end or divide a construct in some dialect, alternating.
  /// Parse each in every dialect.
  public static let pairs: [Input] = fragments.flatMap { one in
    fragments.map { two in
      Input(name: "\(one.debugDescription) before \(two.debugDescription)") {
        String(repeating: one + two, count: $0 / 2) + "\n"
      }
    }
  }

  private static let fragments = [
    "*", "_a", "~", "==", "`", "$", "[", "[](u)", "![", "^[", "](u)", "]", "[[", "<b>", "</b>",
    "<a ", "<!--", "{{<", "%}", "{", ":::a\n", "> ", "- ", "|", "a\n", "\\",
  ]

  /// The delimiters of other dialects, combined in the same ways. Parse each in every dialect.
  public static let ofDialects: [Input] =
    ownDelimiters.map { unit in
      Input(name: "\(unit.debugDescription) again and again") {
        String(repeating: unit, count: $0) + "\n"
      }
    }
    + ownDelimiters.flatMap { one in
      (ownDelimiters + ["a", "\n", "[", "<", "> ", "- "]).map { two in
        Input(name: "\(one.debugDescription), then \(two.debugDescription)") {
          String(repeating: one, count: $0 / 2) + "a" + String(repeating: two, count: $0 / 2) + "\n"
        }
      }
    }

  /// The options with all extensions, for `ofDialects`.
  public static let everyDialect: MarkdownOptions = {
    var options = MarkdownDialect.docusaurus.options
    for extra: WritableKeyPath<MarkdownOptions, Bool> in [
      \.callouts, \.fencedDirectives, \.admonitions, \.wikiLinks, \.comments, \.blockIDs,
      \.descriptionLists, \.emoji, \.contents, \.liquid, \.shortcodes, \.scripts, \.inlineNotes,
      \.attributes,
      \.colonAttributes, \.bracketedSpans, \.icons, \.keys, \.texBrackets, \.codeMath,
      \.markdownTags, \.abbreviations, \.calloutHeadings, \.roles,
    ] {
      options[keyPath: extra] = true
    }
    return options
  }()

  private static let ownDelimiters = [
    "^", "~", "^a", "^a^", "a~", "^[", "^[[](u)", "]", "{.a", "{.a}", "{:", "++", "++a", "\\(",
    "\\)", "\\[",
    ":material-", "{a}", "`", "(a)=\n", "% a\n", "*[", "*[a]: b\n", "{: .a}\n", "{:toc}\n",
    "{::comment}\n", "<div markdown>\n", "<p hidden>", "</p>", "::: {.callout-a}\n## b\n",
    "<TabItem label=\"a\">\n", "<Card\n", "```{figure} a\n", "```{code-block} a\n:b: c\n",
    "> [!NOTE]\n", "> [!a]- b\n", ":::a\n", ":::\n", ":::: {.note}\n", "!!! a\n", "!!! a\n    ",
    "??? a \"b\"\n\n", "=== \"a\"\n", "[[", "]]", "[[a|b]]", "![[a]]", "[[a#b]]", "%%", "%%\n",
    "a %% b\n",
    " ^a", "a\n: b\n", ": ", "\n: ", ":tada:", ":a", ":", "[TOC]\n\n", "import a from 'b'\n",
    "import {\n", "export const a = {\n\n", "<A b={", "<A b={c}>", "<A\n", "<A b={c}>\n", "</A>\n",
    "<>",
    "{/*", "{/*\n", "*/}", "*/}\n", "{% a %}", "{% a\n", "{%", "%}", "{% highlight a %}\n",
    "{% comment %}\n", "{% endcomment %}\n", "```{note}\n", ":a: b\n",
    "{{<", ">}}", "{{< a >}}", "{{< a\n", "{{% notice %}}\n", "{{% /notice %}}\n", "{{</*",
    "{{< highlight a >}}\n", "{{< figure src=\"a\" >}}\n", "[a]({{< b ",
  ]

  private static let delimiters = [
    "*", "**", "_", "~~", "==", "`", "``", "[", "![", "](b)", "]", "](", "(", ")", "<", "<a", "<a>",
    "</a>", "<a href=\"", "<b>", "</b>", "<br>", "<li>", "<td>", "<sup>", "</sup>", "\n<p>", ">",
    "<!--", "-->", "&",
    "&a;", "\\", "$", "$$", "www.", "http://", "a@b.", "a", " ",
    "\n",
    "\n\n", "> ", "- ", "- [ ] ", "1. ", "# ", "|", "\n|-|\n", "\t", "[^a]", "\n[^a]: ", "\n[a]: ",
    "\"", "```\n", "é", "。",
  ]

  private static func root(_ size: Int) -> Int { Int(Double(size).squareRoot()) }
}
