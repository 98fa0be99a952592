import Foundation
import Model
import TestSupport
import Testing

@testable import Interchange

@Suite struct TemplateTests {
  private func record(
    _ id: String, in source: String = "a.md", _ quote: String = "q", note: String = ""
  )
    -> AnnotationRecord
  {
    var record = AnnotationRecord(
      id: "urn:diple:\(id)", quote: quote, source: source, title: "T \(source)", color: .blue,
      note: note, tags: ["x", "y z"], created: Date(timeIntervalSince1970: 0))
    record.documentID = "7-00"
    return record
  }

  private func text(_ template: String, _ records: [AnnotationRecord]) throws -> String {
    var output = ""
    try Template(template).render(records, to: &output)
    return output
  }

  @Test(arguments: [
    ("1. no list", "1\\. no list"), ("12) no list", "12\\) no list"), ("- no", "\\- no"),
    ("a - b. c", "a - b. c"), ("*stars* and `code`", "\\*stars\\* and \\`code\\`"),
    ("größe_日本語", "größe\\_日本語"), ("", ""),
    // Escaping applies although a combining mark follows.
    ("*\u{308}a*", "\\*\u{308}a\\*"),
  ])
  func `a line is escaped if Markdown would change its meaning`(line: String, escaped: String) {
    #expect(line.escapedForMarkdown == escaped)
    #expect("x\(line)".dropFirst().escapedForMarkdown == escaped)
  }

  @Test func `the documentation has the standard template, and names no source files`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Documentation/exporting.md"), encoding: .utf8)
    let lines = Template.standardText.split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map { $0.isEmpty ? "" : "    " + $0 }
    #expect(text.contains("\n\n" + lines.joined(separator: "\n") + "\n\n"))
    #expect(!text.contains(".swift"))
  }

  @Test func `a template contains lists, sections and values`() throws {
    let template = """
      {{#documents}}
      # {{title}}
      {{#highlights}}
      - {{index}} {{quote}}{{^last}},{{/last}}{{#tags}} #{{name|tag}}{{/tags}}
      {{#note}}
        {{note}}
      {{/note}}
      {{^note}}
        no note
      {{/note}}
      {{/highlights}}
      {{! a remark }}
      {{/documents}}
      end

      """
    let records = [record("1", "one"), record("2", "two", note: "why"), record("3", in: "b.md")]
    #expect(
      try text(template, records) == """
        # T a.md
        - 1 one, #x #y-z
          no note
        - 2 two #x #y-z
          why
        # T b.md
        - 1 q #x #y-z
          no note
        end

        """)
  }

  @Test(arguments: [
    ("{{quote}}", "\\*a\\* &lt;b\\>\n\\# c"), ("{{{quote}}}", "*a* <b>\n# c"),
    ("{{& quote }}", "*a* <b>\n# c"),
    ("{{quote|quote}}", "> \\*a\\* &lt;b\\>\n> \\# c"),
    ("{{ quote | line }}", "\\*a\\* &lt;b\\> \\# c"),
    ("{{quote|yaml}}", "\"*a* <b>\\n# c\""), ("{{quote|html}}", "*a* &lt;b&gt;\n# c"),
    ("{{quote|url}}", "%2Aa%2A%20%3Cb%3E%0A%23%20c"), ("{{quote|tag}}", "a-b-c"),
    ("{{quote|markdown}}", "*a* &lt;b>\n# c"), ("{{created|date}}", "1970-01-01"),
  ])
  func `values are written with their filters`(template: String, output: String) throws {
    let found = try text("{{#highlights}}\(template){{/highlights}}", [record("1", "*a* <b>\n# c")])
    #expect(found == output)
  }

  @Test(arguments: [
    ("a\n{{titel}}", 2, "there is no 'titel' here"), ("{{#highlights}}\n\n", 1, "does not end"),
    ("{{#highlights}}\n{{/documents}}", 2, "ends {{#highlights}}, which began in line 1"),
    ("{{/highlights}}", 1, "did not begin"), ("x\n{{quote}}", 2, "only between {{#highlights}}"),
    ("{{#documents}}\n{{#documents}}{{/documents}}{{/documents}}", 2, "is inside another"),
    ("{{#highlights}}{{#highlights}}{{/highlights}}{{/highlights}}", 1, "is inside another"),
    ("{{highlights}}", 1, "is a list"), ("{{title|shout}}", 1, "there is no filter 'shout'"),
    ("{{title|line|raw}}", 1, "one filter at most"), ("{{> other}}", 1, "not supported"),
    ("{{=<% %>=}}", 1, "not supported"), ("a\n\n{{title", 3, "does not end"),
    ("{{}}", 1, "has no name"),
    ("{{#documents}}{{/documents}}\n{{title}}", 2, "only between {{#documents}}"),
    ("{{first}}", 1, "inside of a list"),
  ])
  func `an error in a template contains its line`(template: String, line: Int, reason: String) {
    #expect { _ = try Template(template) } throws: { error in
      guard let problem = error as? Template.Problem else { return false }
      return problem.line == line && problem.reason.contains(reason)
    }
  }

  private func line(_ template: String) throws -> String {
    var quote = record("1", "*a* <b>\n# c\td")
    (quote.line, quote.column, quote.title) = (3, 5, "A *title*")
    var output = ""
    try Template(line: template).render([quote, quote], to: &output)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "" && lines.count % 2 == 1, "\(output)")
    return lines.dropLast().prefix(lines.count / 2).joined(separator: "\n")
  }

  @Test(arguments: [
    ("{{path}}:{{line}}:{{column}}: {{quote}}", "a.md:3:5: *a* <b> # c d"),
    (#"{{title}}\t{{color}}"#, "A *title*\tblue"), (#"a\\tb\q"#, #"a\tb\q"#),
    (#"{{color}}\n{{color}}"#, "blue\nblue"), ("{{quote|raw}}", "*a* <b>\n# c\td"),
    ("{{quote|line}}", "\\*a\\* &lt;b\\> \\# c d"), ("{{quote|plain}}", "*a* <b> # c d"),
    ("{{#tags}}{{^first}},{{/first}}{{name}}{{/tags}}", "x,y z"),
    ("{{#note}}n{{/note}}{{^note}}no{{/note}}", "no"),
  ])
  func `a template of a line writes a line for each highlight`(
    template: String, output: String
  ) throws { #expect(try line(template) == output) }

  @Test(arguments: [
    ("é {{qoute}}", 3, "there is no 'qoute' here; did you mean 'quote'?"),
    ("{{zzz}}", 1, "there is no 'zzz' here; there are: title,"),
    ("ab {{#highlights}}{{/highlights}}", 4, "there is no 'highlights' here"),
    ("{{first}}", 1, "inside of a list"), ("a {{quote", 3, "{{ does not end"),
    ("{{quote}} {{#note}}", 11, "does not end"), ("a{{}}", 2, "has no name"),
    ("{{quote|shout}}", 1, "there is no filter 'shout'; there are: text, raw, plain"),
  ])
  func `an error in a line contains its character`(template: String, column: Int, reason: String)
    throws
  {
    let problem = try #require(
      throws: Template.Problem.self, performing: { try Template(line: template) })
    #expect(problem.column == column && problem.reason.contains(reason), "\(problem)")
    #expect(problem.description.hasPrefix("character \(column): "))
  }

  @Test func `a template for one document rejects several`() throws {
    let template = "---\ntitle: {{title|yaml}}\n---\n"
    #expect(try text(template, [record("1")]) == "---\ntitle: \"T a.md\"\n---\n")
    #expect(throws: Template.Problem.self) {
      try text(template, [record("1"), record("2", in: "b.md")])
    }
  }

  @Test func `the parts that a template omits are listed`() throws {
    #expect(try Template("{{title}}").omissions == RecordPart.allCases)
    #expect(
      try Template("{{#highlights}}{{facts}}{{note}}{{created}}{{suffix}}{{/highlights}}").omissions
        == [])
    #expect(Template.standard.omissions == [.dates, .context])
  }

  @Test func `a template that does not use sources has the same output without them`() throws {
    var bare = record("1")
    (bare.author, bare.work, bare.citation, bare.location) = ("", .null, "", "")
    (bare.sourceColor, bare.origin) = ("", nil)
    var full = bare
    (full.author, full.citation, full.location) = ("Reed", "Reed, Signs", "page 12")
    (full.work, full.sourceColor) = (.object(["title": .text("Signs")]), "red")
    (full.origin, full.created) = (RecordOrigin(format: "w3c"), .distantPast)
    for name in Template.Name.allCases where name.list == nil {
      let template =
        name == .name
        ? "{{#documents}}{{#highlights}}{{#tags}}{{name}}{{/tags}}{{/highlights}}{{/documents}}"
        : "{{#documents}}{{#highlights}}{{\(name.rawValue)}}{{/highlights}}{{/documents}}"
      let isSame = try text(template, [bare]) == text(template, [full])
      #expect(isSame == !(try Template(template).usesSources), "\(name)")
    }
    #expect(Template.standard.usesSources)
  }

  @Test func `random templates are parsed and rendered without a crash`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "{{", "}}", "{{{", "}}}", "#", "/", "^", "!", "&", "|", "documents", "highlights", "tags",
      "title",
      "quote", "note", "first", "\n", " ", "x", "{{#documents}}", "{{/documents}}",
      "{{#highlights}}",
      "{{/highlights}}", "{{#tags}}", "{{name}}", "{{/tags}}", "\u{FEFF}", "é",
    ]
    for _ in 0..<20_000 {
      let template = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        pieces.randomElement(using: &random)!
      }.joined()
      guard let read = try? Template(template) else { continue }
      var output = ""
      try? read.render([record("1"), record("2", note: "n")], to: &output)
      #expect(output.utf8.count < 10_000)
      _ = try? read.managed([record("1"), record("2", note: "n")])
    }
  }
}
