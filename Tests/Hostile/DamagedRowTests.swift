import Foundation
import Testing

/// Tests rows with invalid values. A command reports the damaged value with exit code 8, or skips
/// it and shows the other rows. It never crashes.
@Suite struct DamagedRowTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/good.md", "Some words here, and more words.\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "good.md").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"words\"#1").code == 0)
    #expect(try victim.diple("mark", "good.md", "\"more\"").code == 0)
  }

  /// The columns of all tables, except SQLite's internal and virtual ones.
  private func columns() throws -> [(table: String, column: String)] {
    try victim.sql(
      """
      SELECT m.name || ' ' || p.name FROM sqlite_schema m, pragma_table_info(m.name) p
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
        AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1;
      """
    ).split(separator: "\n").map {
      let words = $0.split(separator: " ").map(String.init)
      return (words[0], words[1])
    }
  }

  @Test func `an invalid value in any row never crashes a command`() throws {
    try victim.shell("cp .diple/library.sqlite ../whole.sqlite")
    var crashed: [String] = []
    for (table, column) in try columns() {
      for value in ["-1", "9223372036854775807", "'x'", "x'00ff'", "NULL"] {
        try victim.shell("rm -f .diple/library.sqlite*; cp ../whole.sqlite .diple/library.sqlite")
        let changed = try victim.run(
          "sqlite3",
          [
            ".diple/library.sqlite",
            "PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(value);",
          ])
        guard changed.code == 0 else { continue }
        for words in [["list"], ["show", "good.md"], ["history"]] {
          let result = try victim.run("diple", words)
          if ![0, 1, 3, 4, 6, 8].contains(result.code) {
            crashed.append("\(table).\(column) = \(value): \(words[0]) ended with \(result.code)")
          }
        }
      }
    }
    #expect(crashed.isEmpty, "\(crashed.count): \(crashed.joined(separator: "\n"))")
  }
}
