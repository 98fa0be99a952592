import Foundation
import MarkdownChecks
import Testing

@testable import MarkdownParse

@Suite struct SpecificationTests {
  @Test(
    .enabled(
      if: !Specification.commonMark.examples.isEmpty, "no CommonMark specification is installed"))
  func `the examples of CommonMark have the expected HTML`() {
    let specification = Specification.commonMark
    #expect(specification.examples.count >= 640)
    var failures = self.failures("CommonMark", specification.examples) { _ in .commonMark }
    // The packaged examples are those of 0.30. Version 0.31 parses these two HTML comments
    // differently.
    if specification.isVersion30 { failures.removeAll { [625, 626].contains($0) } }
    #expect(failures.isEmpty, "failing examples: \(failures)")
  }

  @Test(
    .enabled(if: !Specification.gfm.examples.isEmpty, "no specification of GFM is installed"))
  func `the examples of GFM have the expected HTML`() {
    let specification = Specification.gfm
    #expect(specification.examples.count >= 670)
    // The tag filter changes raw HTML, which this parser never renders.
    let examples = specification.examples.filter { $0.flavor != "tagfilter" }
    var failures = self.failures("GFM", examples) { example in
      var options = MarkdownOptions.commonMark
      switch example.flavor {
      case "": break
      case "table": options.tables = true
      case "strikethrough": options.strikethrough = true
      case "autolink": options.autolinks = true
      case "disabled": options.taskLists = true
      default: Issue.record("an unknown extension, \(example.flavor)")
      }
      return options
    }
    // GFM follows CommonMark 0.30. Version 0.31 parses these two HTML comments differently.
    failures.removeAll { [645, 646].contains($0) }
    #expect(failures.isEmpty, "failing examples: \(failures)")
  }

  /// Returns the numbers of the examples with other HTML.
  private func failures(
    _ name: String, _ examples: [Specification.Example],
    options: (Specification.Example) -> MarkdownOptions
  ) -> [Int] {
    let isVerbose = ProcessInfo.processInfo.environment["DIPLE_SPEC_VERBOSE"] != nil
    let failures = examples.filter { example in
      let html = HTMLWriter.html(example.markdown, options(example))
      let fails = normalized(html) != normalized(example.html)
      if fails, isVerbose {
        print("--- \(example.number)\n\(example.markdown)... want\n\(example.html)... got\n\(html)")
      }
      return fails
    }.map(\.number)
    print("\(name): \(examples.count - failures.count) of \(examples.count); not: \(failures)")
    return failures
  }

  /// Returns HTML without insignificant differences.
  private func normalized(_ html: String) -> String {
    html.replacing("&#x27;", with: "'").replacing("'", with: "%27")
      .trimmingCharacters(in: .newlines)
  }
}
