import MarkdownChecks
import Model
import TestSupport
import Testing

@testable import MarkdownParse

/// Tests the extensions of each dialect to CommonMark and GFM.
@Suite struct DialectTests {
  private static func text(_ markdown: String, _ dialect: MarkdownDialect) -> String {
    ParsedDocument(parsing: MarkdownSource(markdown), options: dialect.options).text.string
  }

  @Test(arguments: [
    ("> [!NOTE]\n> Text\n", "Note\nText"), ("> [!WARNING]  \n> a\n>\n> b", "Warning\na\nb"),
    ("> [!tip]\n> a", "Tip\na"), ("> [!NOTE] Title\n> a", "[!NOTE] Title a"),
    ("> [!OTHER]\n> a", "[!OTHER] a"), ("> a\n> [!NOTE]", "a [!NOTE]"),
    ("- > [!CAUTION]\n  > a\n", "Caution\na"), ("> [!NOTE]\na", "Note\na"),
    ("a :tada: b", "a 🎉 b"), (":+1::-1:", "👍👎"), ("a:tada:", "a:tada:"),
    (":nope: 10:30:45", ":nope: 10:30:45"),
    ("`:tada:` \\:tada:", ":tada: :tada:"), (":flag_de: :de:", ":flag_de: 🇩🇪"),
    ("# A\n\n[TOC]\n\nb", "A\nb"), ("[[_TOC_]]\n\nb", "b"), ("see [TOC]", "see [TOC]"),
    ("[TOC]\n\n[toc]: u", "TOC"),
    (":::note\na\n:::", ":::note a :::"), ("[[a]] %%b%%", "[[a]] %%b%%"),
    ("!!! note\n\n    a", "!!! note\na"),
  ])
  func `blocks of GitHub are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .github) == text)
  }

  @Test(arguments: [
    ("> [!info]- My *own* title\n> a", "My own title\na"), ("> [!faq]+\n> a", "Faq\na"),
    ("> [!my-type|wide] T\n> a", "T\na"), ("> [!заметка]\n> a", "заметка\na"),
    ("> [!note] A\n> > [!tip] B\n> > c", "A\nB\nc"), ("> [!NOTE]", "Note"), ("> [!]\n", "[!]"),
    ("[[Note]] and [[Note|alias]]", "Note and alias"), ("[[Note#Heading]]", "Note > Heading"),
    ("[[#Heading]]", "Heading"), ("[[a/b/Note]]", "a/b/Note"), ("[[ Note | alias ]]", "alias"),
    ("| a |\n|-|\n| [[Note\\|alias]] |", "a\nalias"),
    ("[[]] [[a\nb]] [[a[b]]", "[[]] [[a b]] [[a[b]]"),
    ("![[photo.png|300]] ![[Note#H]]", "photo.png Note > H"),
    ("a %%hidden%% b", "a b"), ("%%\nhidden\n\nhidden\n%%\n\nb", "b"), ("%% a", "%% a"),
    ("a\n%% b %%\nc", "a\nc"),
    ("a %%b", "a %%b"), ("Words ^abc-1\n\nb", "Words\nb"), ("- item ^i1\n- two", "item\ntwo"),
    ("a^2 ^x y", "a^2 ^x y"), ("> quote\n\n^id\n\nb", "quote\nb"), ("#tag and ^", "#tag and ^"),
    ("[[Note#^abc]]", "Note"), ("[[Note#Part#^a-1]]", "Note > Part"), ("[[#Part#^a]]", "Part"),
    ("[[#^abc]] ![[Note#^a]] [[Note#^a|alias]]", "^abc Note alias"),
    ("[[a^b]] [[a# ^b]]", "a^b a >  ^b"),
    ("- a ^b\n\n| c |\n|-|\n| d |\n\n^e", "a\nc\nd"), ("# a ^b\n\n> [!note] T ^c", "a\nT"),
    ("`[[a]]` \\[[a]]", "[[a]] [[a]]"), ("[see [[a]]](u)", "see a"),
  ])
  func `blocks of Obsidian are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .obsidian) == text)
  }

  @Test(arguments: [
    ("!!! note \"Title *x*\"\n    Body\n\n    more\n\nafter", "Title x\nBody\nmore\nafter"),
    ("!!! warning\n\n    Body", "Warning\nBody"), ("??? tip\n    Body", "Tip\nBody"),
    ("???+ tip \"T\"\n    Body", "T\nBody"), ("!!! note \"\"\n    Body", "Body"),
    ("!!! info inline end \"T\"\n    Body", "T\nBody"),
    ("!!! danger inline\n    Body", "Danger\nBody"),
    ("=== \"C\"\n\n    ``` c\n    int a;\n    ```\n\n=== \"D\"\n\n    b", "C\nint a;\nD\nb"),
    ("!!! note\n    !!! tip\n        deep\n\n    b", "Note\nTip\ndeep\nb"),
    ("!!! a b? c\n", "!!! a b? c"),
    ("a === b", "a === b"), ("T\n===", "T"), ("Term\n:   what it is\n", "Term\nwhat it is"),
    ("One\nTwo\n: a\n: b\n\n    more b\n\nc", "One\nTwo\na\nb\nmore b\nc"),
    ("Term\n\n:   a\n\n        code\n", "Term\na\ncode"), ("a\n:b", "a :b"),
    ("- T\n  : d\n- b", "T\nd\nb"), ("[a]: u\n: b", ": b"), (": a", ": a"), ("[TOC]\n", ""),
    (":smile:", "😄"),
  ])
  func `blocks of MkDocs are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .mkdocs) == text)
  }

  @Test(arguments: [
    (":::note\n\na\n\n:::\n\nb", "Note\na\nb"), (":::tip My *title*\na\n:::", "My title\na"),
    (":::tip[My title]{#id}\na\n:::", "My title\na"),
    ("::::info\n:::tip\na\n:::\nb\n::::\nc", "Info\nTip\na\nb\nc"),
    (":::note\n```\n:::\n```\n:::\na", "Note\n:::\na"), (":::note\n- a\n:::\nb", "Note\na\nb"),
    (":::tabs\na\n:::", "a"), ("::: details\na\n:::\nb", "Details\na\nb"),
    (":::: tip Title\n::: details More {open}\na\n:::\n::::\nb", "Title\nMore\na\nb"),
    (":::", ":::"),
    ("::: a b c\nd\n:::\n", "a b c\nd".replacing("a ", with: "")),
    (":::note\na", "Note\na"), ("- :::note\n  a\n  :::\n  b", "Note\na\nb"),
    ("> :::note\n> a\n> :::\n> b", "Note\na\nb"), (":::{note} T\na\n:::", "T\na"),
    ("import A from './a';\n\n# T", "T"),
    ("import {\n  A,\n} from 'b'\n\nexport const x = 1\n\na", "a"),
    ("export const a = () => {\n  b\n\n  c\n}\n\nd", "d"),
    ("import duties are due", "import duties are due"),
    ("<Card title={x} {...y}>\n  in *side*\n</Card>\n\na", "in side\na"),
    ("<Card\n  a=\"b > c\"\n  d={{e: '>'}}\n>\n\ntext\n\n</Card>", "text"),
    ("a <b.C d={e} /> f", "a f"), ("<A>t</A>", "t"), ("<>a</>", "a"),
    ("a < b and {c}", "a < b and {c}"),
    ("{/* hidden\n\nhidden */}\n\na {/* b */}c", "a c"), ("<A\n\nb", "<A\nb"),
    ("<Tabs>\n    <Tab>\n    - a\n    </Tab>\n</Tabs>", "a"), ("<https://a.b>", "https://a.b"),
  ])
  func `blocks of Docusaurus are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .docusaurus) == text)
  }

  @Test(arguments: [
    (":::{note}\n:class: dropdown\nbody\n:::", "Note\nbody"),
    (":::{admonition} T\nbody\n:::", "T\nbody"),
    ("````{warning}\n```{tip} T\na\n```\nb\n````\nc", "Warning\nT\na\nb\nc"),
    ("```{note}\n```python\nx\n```\n```\na", "Note\nx\na"), ("```{code-block} python\nx\n```", "x"),
    ("Term\n: a", "Term\na"),
  ])
  func `blocks of MyST are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .myst) == text)
  }

  @Test(arguments: [
    ("::: {.note}\na\n:::", "Note\na"), ("::: warning :::::\na\n:::::::", "Warning\na"),
    ("::: {.callout-tip}\n## T\n\na\n:::", "T\na"),
    ("::: {.a}\n::: {.b}\nc\n:::\nd\n:::\ne", "c\nd\ne"),
  ])
  func `blocks of Pandoc are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .pandoc) == text)
  }

  @Test(arguments: [
    ("{% include a.html %}\n\ntext {% b %}c {{ d }}", "text c {{ d }}"),
    ("a\n{% raw %}\nb\n{% endraw %}\nc", "a\nb\nc"), ("{% include x\n  a=\"b\"\n%}\nc", "c"),
    ("{% highlight ruby %}\n# no heading\n\nx\n{% endhighlight %}\nb", "# no heading\n\nx\nb"),
    ("{% comment %}\na\n\nb\n{% endcomment %}\nc", "c"), ("{% a\n\nb", "{% a\nb"),
    ("{%- a -%}\nb", "b"),
    ("{% comment %}\na", "a"),
  ])
  func `blocks of Jekyll are rendered`(markdown: String, text: String) {
    #expect(Self.text(markdown, .jekyll) == text)
  }

  @Test func `a callout's label maps to its source`() throws {
    let source = MarkdownSource("> [!NOTE]\n> words\n")
    let document = ParsedDocument(parsing: source)
    let label = try #require(
      document.blocks.first { if case .calloutLabel = $0.kind { true } else { false } })
    #expect(document.map.source(of: label.text).map { source.text(in: $0) } == ["NOTE"])
    #expect(document.blocks[label.parent].kind == .blockQuote)
  }

  @Test func `a hidden block id is part of the link's destination`() {
    let document = ParsedDocument(
      parsing: MarkdownSource("[[Note#Part#^a-1]]"), options: MarkdownDialect.obsidian.options)
    #expect(document.text.string == "Note > Part")
    #expect(document.links.map(\.destination) == ["Note#Part#^a-1"])
    let parts = ["Note", "#", "Part"]
    #expect(document.map.runs.map { document.source.text(in: $0.source) } == parts)
  }

  // All names are in one table, sorted for binary search.
  @Test func `each of GitHub's emoji names is an emoji`() {
    let names = String(describing: emojiTable).split(separator: ";").map {
      $0.split(separator: " ", maxSplits: 1)
    }
    #expect(names.count == 1_913)
    for name in names {
      #expect(Self.text(":\(name[0]):", .github) == String(name[1]), "\(name[0])")
    }
    #expect(
      Self.text(":+1: :-1: :tada: :e-mail: :shipit:", .github) == "👍 👎 🎉 📧 :shipit:")
  }

  @Test func `the name of a note is a link to it`() {
    let document = ParsedDocument(
      parsing: MarkdownSource("[[a/Note#Part|alias]] ![[b.png]] [c](d)"),
      options: MarkdownDialect.obsidian.options)
    #expect(document.links.map(\.destination) == ["a/Note#Part", "b.png", "d"])
    #expect(document.links.map(\.isNote) == [true, true, false])
  }

  @Test(arguments: MarkdownDialect.allCases)
  func `generated documents satisfy the parser's guarantees`(dialect: MarkdownDialect) {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var documents = DocumentGenerator(seed: seed)
    for _ in 0..<800 {
      let bytes = documents.nextInDialect()
      do { try DocumentCheck.run(bytes, dialect.options) } catch {
        Issue.record("\(error) in \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
      var owners = [Bool](repeating: false, count: bytes.count)
      ParsedDocument(parsing: MarkdownSource(bytes), options: dialect.options)
        .eachClaim { range, kind in
          for index in range {
            if owners[index] {
              Issue.record(
                """
                byte \(index) is claimed twice: \
                \(String(decoding: bytes, as: UTF8.self).debugDescription)
                """)
            }
            owners[index] = true
          }
        }
    }
  }

  @Test(arguments: [PathologicalInputs.everyDialect, MarkdownOptions.standard])
  func `hostile inputs satisfy the parser's guarantees`(options: MarkdownOptions) throws {
    for input in PathologicalInputs.ofDialects {
      do { try DocumentCheck.run(Array(input.make(24).utf8), options) } catch {
        Issue.record("\(error) in \(input)")
      }
    }
  }

  // The limit is for endless loops only, because it includes the time of other tests.
  @Test(.timeLimit(.minutes(60))) func `hostile inputs of dialects are parsed`() {
    for input in PathologicalInputs.ofDialects {
      let document = ParsedDocument(
        parsing: MarkdownSource(input.make(input.name.contains("then") ? 300 : 3_000)),
        options: PathologicalInputs.everyDialect)
      #expect(document.map.runs.last?.text.utf16.upperBound ?? 0 == document.text.count)
    }
  }
}
