import Foundation
import Testing

@testable import Commands

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
}
