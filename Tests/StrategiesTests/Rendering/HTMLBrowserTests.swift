import CodeLexers
import Foundation
import MarkdownChecks
import MarkdownParse
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

@testable import Rendering

/// Tests the HTML in a browser, which corrects invalid HTML.
@Suite struct HTMLBrowserTests {
  private struct Case: Encodable {
    var text: String
    var html: String
  }

  private static let isThere: Bool = {
    ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/chromium")
    } == true
  }()

  private static let script = """
    const failures = [];
    const cases = JSON.parse(document.getElementById("cases").textContent);
    cases.forEach(({text, html}, index) => {
      const page = new DOMParser().parseFromString("<!DOCTYPE html><body>" + html, "text/html");
      let position = 0;
      const gap = place => /^[\\n\\t]*$/.test(text.slice(position, place)) && place >= position;
      let fault = "";
      for (const run of page.querySelectorAll("[data-o]")) {
        const start = Number(run.closest("[data-b]").dataset.b) + Number(run.dataset.o);
        const length = Number(run.dataset.n);
        const shown = run.tagName === "IMG" ? run.alt : run.textContent;
        if (shown !== text.substr(start, length)) fault ||= "run " + start + ": " + JSON.stringify(shown);
        if (!gap(start)) fault ||= "gap " + position + " to " + start;
        position = start + length;
      }
      if (!gap(text.length)) fault ||= "gap at the end, from " + position;
      for (const run of page.querySelectorAll("[data-o], [data-x]")) run.remove();
      if (page.body.textContent.trim() !== "") fault ||= "text of nobody: " + page.body.textContent.trim();
      const active = page.querySelector("script, style, iframe, object, embed, form, base, meta, link, svg, math");
      if (active) fault ||= "an element " + active.tagName;
      if (fault) failures.push(index + ": " + fault);
    });
    document.body.textContent = "RESULT " + cases.length + " " + failures.length + " " + failures.slice(0, 5).join(" | ");
    """

  @Test(.enabled(if: isThere, "chromium is not installed"))
  func `a browser finds each part of the text at its offset`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    let count =
      ProcessInfo.processInfo.environment["DIPLE_HTML_DOCUMENTS"].flatMap { Int($0) } ?? 1_000
    var generator = DocumentGenerator(seed: seed)
    var sources = (Specification.commonMark.examples + Specification.gfm.examples).map {
      Array($0.markdown.utf8)
    }
    sources += (PathologicalInputs.all + PathologicalInputs.ofDialects).map {
      Array($0.make(120).utf8)
    }
    for round in 0..<count {
      sources.append(round.isMultiple(of: 2) ? generator.next() : generator.nextInDialect())
    }
    var random = SeededGenerator(seed: seed)
    let cases = try sources.map { source in
      let dialect = MarkdownDialect.allCases.randomElement(using: &random)!
      let document = ParsedDocument(parsing: MarkdownSource(source), options: dialect.options)
      var overlays: [Overlay] = []
      if document.text.count > 1 {
        let start = Int.random(in: 0..<document.text.count, using: &random)
        let end = Int.random(in: start...document.text.count, using: &random)
        overlays = [Overlay(range: TextRange(utf16: start..<end), color: .green, id: "1")]
      }
      var options = HTMLOptions()
      options.pictureAddress = { $0.hasPrefix("u") ? "data:image/png;base64,AA" : nil }
      var page = Page(document: document, overlays: overlays, lexers: [TableLexer()])
      if Bool.random(using: &random) {
        page.format = try RandomFormat.format(of: document.text.utf16, &random)
      }
      return Case(text: document.text.string, html: HTMLBody(page, options: options).html)
    }
    let json = String(decoding: try JSONEncoder().encode(cases), as: UTF8.self)
      .replacing("<", with: "\\u003c")
    let folder = try WorkFolder()
    try folder.write(
      "check.html",
      "<!DOCTYPE html><meta charset=utf-8><body><script id=cases type=application/json>\(json)</script>"
        + "<script>\(Self.script)</script>")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "timeout", "120", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
      "--user-data-dir=\(folder.path)/profile", "--dump-dom", "file://\(folder.path)/check.html",
    ]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    let dom = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let result = try #require(
      dom.firstMatch(of: /RESULT ([0-9]+) ([0-9]+) ([^<]*)/), "\(dom.prefix(300))")
    #expect(Int(result.1) == cases.count)
    #expect(result.2 == "0", "\(result.3)")
  }
}
