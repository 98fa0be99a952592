import Foundation
import Testing

/// Tests the output of `export`, and the cases in which it fails.
@Suite struct ExportTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "# A\n\nSome words of a.\n\nMore of it.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "\"words\"", "--note", "why\u{1B}[31m\u{7}", "--tag", "t")
  }

  @Test(arguments: [
    "markdown", "html", "json", "csv", "org", "anki", "w3c", "hypothesis", "readwise",
  ])
  func `exports contain no control characters`(_ format: String) throws {
    try bench.write("b.md", "ab\u{1B}[2Jcd \u{7} ef\n")
    try bench.diple("add", "b.md")
    try bench.diple("mark", "b.md", "u16:0-9")
    for words in [[], ["-o", "out"]] as [[String]] {
      let result = try bench.run("diple", ["export", "--to", format] + words)
      let text = words.isEmpty ? result.output : try bench.read("out")
      #expect(result.code == 0 && text.contains("why"), "\(result)")
      let raw = text.unicodeScalars.filter {
        $0.value < 0x20 && !"\n\t\r".unicodeScalars.contains($0)
      }
      #expect(raw.isEmpty, "\(raw.map(\.value)) in \(text)")
    }
  }

  @Test func `an export with losses lists them and writes nothing`() throws {
    let lossy = try bench.diple("export", "--to", "anki", "--fail-on-loss", "-o", "cards.tsv")
    #expect(lossy.code == 10 && lossy.output.isEmpty, "\(lossy)")
    #expect(
      lossy.errors.contains("anki would omit dates, the words before and after"), "\(lossy)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("cards.tsv")))
    #expect(try bench.diple("export", "--to", "json", "--fail-on-loss", "-o", "all.json").code == 0)
    // The default colour isn't a loss.
    #expect(!lossy.errors.contains("colours"))
    try bench.diple("mark", "a.md", "\"More\"", "--color", "pink")
    #expect(try bench.diple("export", "--to", "anki", "--fail-on-loss").errors.contains("colours"))
  }

  private func address() throws -> String {
    let table = try bench.diple("export", "--to", "csv", "--links").output
    return String(try #require(table.firstMatch(of: #/diple:hl[^\s,]+/#)).0)
  }

  @Test func `goto follows an address from any folder`() throws {
    let address = try address()
    for words in [["goto", address], ["goto", address.replacing("diple:", with: "diple://")]] {
      let result = try bench.run("diple", words)
      #expect(result.code == 0 && result.output == "Some words of a.\n", "\(result)")
    }
    let followed = try bench.diple("follow", address)
    #expect(followed.code == 0 && followed.output == "a.md\n", "\(followed)")
    // The library is found without being named, because an address in it was created before.
    bench.environment["DIPLE_LIBRARY"] = nil
    #expect(try bench.diple("goto", address).output == "Some words of a.\n")
  }

  @Test func `goto does not open a library that was never used for an address`() throws {
    let address = try address()
    try bench.shell(
      "mkdir -p evil && mv library evil/lib && rm -rf .local/state/diple/libraries")
    bench.environment["DIPLE_LIBRARY"] = nil
    let result = try bench.diple("goto", address)
    #expect(
      result.code == 4 && result.errors.contains("is in no library that has exported addresses"),
      "\(result)")
    #expect(
      try bench.diple("goto", "diple:hl/1-0000000000000001?library=" + bench.path("evil")).code == 2
    )
    // A library that another user can write is skipped, even if it is known.
    let id = try #require(address.split(separator: "=").last)
    try bench.shell(
      "mkdir -p .local/state/diple && echo '\(id) \(bench.path("evil/lib"))' > .local/state/diple/libraries"
    )
    #expect(try bench.diple("goto", address).code == 0)
    try bench.shell("chmod 777 evil/lib")
    #expect(try bench.diple("goto", address).code == 4)
  }

  @Test func `an export to a file says how much it wrote, on the error stream`() throws {
    try bench.diple("mark", "a.md", "\"More\"", "--color", "blue")
    for (words, message) in [
      (["a.csv", "--to", "csv"], "wrote a.csv (2 highlights)\n"),
      (["b.csv", "--to", "csv", "--color", "blue"], "wrote b.csv (1 highlight)\n"),
      (["a.rtf", "--to", "rtf"], "wrote a.rtf (1 document)\n"),
      (["a.csv", "--to", "csv", "--force", "--json"], ""),
    ] {
      let result = try bench.run("diple", ["export", "-o"] + words)
      #expect(
        result.code == 0 && result.errors.hasPrefix(message)
          && result.errors.isEmpty == message.isEmpty, "\(result)")
      #expect(result.output.isEmpty == !words.contains("--json"), "\(result)")
    }
    let whole = try bench.diple("export", "--everything", "-o", "whole.jsonl")
    #expect(whole.errors.hasPrefix("wrote whole.jsonl ("), "\(whole)")
  }

  @Test func `a library with integrity errors is exported completely, with an error`() throws {
    #expect(try bench.diple("export", "--everything", "-o", "whole.jsonl").code == 0)
    guard try bench.run("sqlite3", ["--version"]).code == 0 else { return }
    #expect(
      try bench.run(
        "sqlite3", [bench.path("library/library.sqlite"), "UPDATE highlight SET note = 'other'"]
      ).code == 0)
    for words in [["-o", "whole.jsonl", "--force"], []] as [[String]] {
      let result = try bench.run("diple", ["export", "--everything"] + words)
      #expect(result.code == 8 && result.errors.contains("has integrity errors"), "\(result)")
    }
    #expect(try bench.read("whole.jsonl").contains("\"other\""))
  }

  @Test func `a source with NUL characters is not taken for a document`() throws {
    try bench.write(
      "notes.json",
      #"[{"@context":"http://www.w3.org/ns/anno.jsonld","type":"Annotation","id":"x","target":{"source":"a.md\u0000.txt","selector":{"type":"TextQuoteSelector","exact":"words"}}}]"#
    )
    let result = try bench.diple("import", "--from", "w3c", "notes.json")
    #expect(!result.output.contains("a.md:") && !result.output.contains("in a.md"), "\(result)")
    #expect(
      try bench.diple("list", "--json", "a.md").output.ranges(of: "\"quote\":\"words\"").count == 1)
  }

  @Test func `an export with a wrong row count is rejected with both counts`() throws {
    try bench.diple("export", "--everything", "-o", "whole.jsonl")
    let text = try bench.read("whole.jsonl")
    for (line, words) in [
      ("{\"end\":true,\"rows\":0}", "it states 0 rows, but there are "),
      ("{\"end\":true}", "the number of rows is missing"),
    ] {
      try bench.write("other.jsonl", text.replacing(#/\{"end":true.*/#, with: line))
      let result = try bench.diple("import", "--library", "other/.diple", "other.jsonl")
      #expect(result.code == 8 && result.errors.contains(words), "\(result)")
    }
  }

  @Test func `an HTML export contains the text, the picture and the notes`() throws {
    try bench.shell(
      "printf 'GIF89a\\001\\000\\001\\000\\200\\000\\000\\000\\000\\000\\377\\377\\377,\\000\\000\\000\\000\\001\\000\\001\\000\\000\\002\\002D\\001\\000;' > p.gif"
    )
    try bench.write(
      "a.md", "# A\n\nSome words of a. ![dot](p.gif) ![far](http://x/y.png)\n\nMore of it.\n")
    try bench.diple("export", "a.md", "--to", "html", "-o", "a.html")
    let html = try bench.read("a.html")
    #expect(html.contains("More of it.") && html.contains("src=\"data:image/gif;base64,R0lGODlh"))
    #expect(html.ranges(of: "<img ").count == 1 && html.contains("why&#27;[31m"))
    // A named document is exported even without highlights.
    try bench.write("plain.md", "Nothing here.\n")
    try bench.diple("add", "plain.md")
    let plain = try bench.diple("export", "plain.md", "--to", "html")
    #expect(plain.code == 0 && plain.output.contains("Nothing here."), "\(plain)")
  }

  @Test(.enabled(if: (try? Workbench().run("desktop-file-validate", ["--help"]).code) == 0))
  func `the desktop file passes desktop-file-validate`() throws {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let result = try bench.run(
      project.appendingPathComponent("Tooling/desktop").path, [bench.path("applications")])
    #expect(result.code == 0, "\(result)")
    let checked = try bench.run("desktop-file-validate", [bench.path("applications/diple.desktop")])
    #expect(checked.code == 0 && checked.output.isEmpty, "\(checked)")
  }

  @Test func `exports contain nothing that controls a terminal or Emacs`() throws {
    try bench.write("c.md", "Some \u{9B}31m words [[elisp:(y)][x]] and src_sh{id}.\n")
    try bench.diple("add", "c.md")
    try bench.diple("mark", "c.md", "para:1", "--note", "[[shell:id]] {{{x}}}")
    for format in [
      "markdown", "html", "csv", "org", "anki", "readwise", "json", "w3c", "hypothesis",
    ] {
      let text = try bench.diple("export", "c.md", "--to", format).output
      #expect(!text.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) }, "\(format)")
      if format == "json" || format == "w3c" { #expect(text.contains("\\u009b31m")) }
      guard format == "org" else { continue }
      for sign in ["[[e", "[[s", "elisp:", "shell:", "src_", "{{{"] {
        #expect(!text.contains(sign), "\(sign): \(text)")
      }
    }
  }
}
