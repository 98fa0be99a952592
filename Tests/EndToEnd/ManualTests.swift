import Foundation
import Testing

/// Tests that the manual page and the README are generated from the commands.
@Suite struct ManualTests {
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the table in the README lists all commands`() throws {
    let text = try String(
      contentsOf: Self.project.appendingPathComponent("README.md"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "<!-- commands: Tooling/manual --readme -->\n"))
    let end = try #require(text.firstRange(of: "<!-- end of commands -->"))
    let table = try Workbench().diple("---commands").output
    #expect(String(text[start.upperBound..<end.lowerBound]) == table, "run Tooling/manual --readme")
  }

  @Test func `the tables of keys in the documentation are those of the readers`() throws {
    let text = try String(
      contentsOf: Self.project.appendingPathComponent("Documentation/keys.md"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "<!-- keys: Tooling/manual --keys -->\n\n"))
    let tables = try Workbench().diple("---keys").output
    #expect(String(text[start.upperBound...]) == tables, "run Tooling/manual --keys")
  }

  @Test func `the manual page contains every command and option, and is valid roff`() throws {
    let bench = try Workbench()
    let page = try bench.diple("---manual").output
    for command in try bench.commands() {
      #expect(page.contains(".SS diple \(command.replacing("-", with: "\\-"))\n"), "\(command)")
    }
    #expect(page.contains("\\fB\\-\\-preserve\\-case\\fR"))
    try bench.write("diple.1", page)
    guard try bench.run("sh", ["-c", "command -v groff"]).code == 0 else { return }
    let shown = try bench.run("groff", ["-man", "-Kutf8", "-ww", "-Tutf8", bench.path("diple.1")])
    #expect(shown.code == 0 && shown.errors.isEmpty, "\(shown.errors)")
    #expect(shown.output.contains("diple mark essay.md '\"quick fox\"'"))
  }
}
