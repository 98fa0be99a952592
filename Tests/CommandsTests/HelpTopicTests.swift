import Foundation
import Testing

@testable import Commands
@testable import Interchange
@testable import Model
@testable import SystemSupport

/// Tests the topics of `help` that are not commands.
@Suite struct HelpTopicTests {
  @Test func `the documentation has every form of a passage that the help lists`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Documentation/command-line.md"), encoding: .utf8)
    let table = page.components(separatedBy: "| SPEC | passage |")[1]
    for form in HelpTopic.specs.flatMap({ $0.form.components(separatedBy: "  ") }) {
      #expect(table.contains("`\(form)`"), "\(form)")
    }
    #expect(HelpTopic.specs.count > 10)
  }

  @Test func `filters, dates and templates of the help are valid`() throws {
    for form in HelpTopic.dateForms.flatMap({ $0.form.components(separatedBy: "  ") }) {
      #expect(LocalTime.seconds(of: form, now: 1_800_000_000) != nil, "\(form)")
    }
    let names = HighlightCondition.Names(
      colors: { _ in [.green] }, colorNames: ["green"], date: { _ in Date() })
    for form in HelpTopic.filters.flatMap({ $0.form.components(separatedBy: "  ") }) {
      #expect(try !HighlightCondition.parse(form, names: names).isEmpty, "\(form)")
    }
    for name in HelpTopic.templates.flatMap({ $0.form.components(separatedBy: "  ") }) {
      #expect(throws: Never.self, "\(name)") { _ = try Template(line: "{{\(name)}}") }
    }
    for topic in HelpTopic.allCases {
      #expect(topic.lines.allSatisfy { $0.count <= 80 }, "\(topic)")
      #expect(topic.lines.last != "", "\(topic)")
    }
  }
}
