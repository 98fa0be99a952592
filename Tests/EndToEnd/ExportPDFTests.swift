import Foundation
import TestSupport
import Testing

/// Tests highlights that go to PDF files and come back. LibreOffice makes the pages.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/soffice")))
struct ExportPDFTests {
  private static let texts = [
    """
    # Rivers

    A river is **never kept** by its banks.[^1] A link is [here](https://example.org/a).

    > It forgets slowly, and what it forgets it forgets downstream.

    | Station | Level |
    |---|---|
    | Mill bridge | 87 cm |

        code = sum(levels)

    [^1]: A note.

    """,
    "# نهر\n\nالنهر لا تحفظه ضفتاه. ولا تحتفظ المدينة إلا باسمه وصوته.\n\nمثل 1954 و Mill bridge.\n",
  ]
  private static let marks = [
    ["kept by its banks.[1] A link", "it forgets it forgets", "Mill bridge", "sum(levels)"],
    ["تحفظه ضفتاه. ولا تحتفظ المدينة إلا باسمه", "مثل 1954 و Mill"],
  ]

  @Test(arguments: [0, 1])
  func `highlights of a PDF file come back to the document`(_ index: Int) throws {
    let bench = try Workbench()
    try bench.write("a.md", Self.texts[index])
    try bench.diple("add", "a.md")
    let colors = ["green", "blue", "pink", "yellow"]
    for (words, color) in zip(Self.marks[index], colors) {
      let marked = try bench.diple(
        "mark", "a.md", "\"\(words)\"", "--color", color, "--note", "*Why* \(color)?", "--tag",
        "to read", "--tag", color)
      #expect(marked.code == 0, "\(marked)")
    }
    let before = try bench.highlights()
    #expect(before.count == Self.marks[index].count)
    let exported = try bench.diple("export", "a.md", "--to", "pdf", "-o", "a.pdf")
    #expect(exported.code == 0 && !exported.errors.contains("highlight"), "\(exported)")
    // The same library has them already.
    let known = try bench.diple("import", "a.pdf")
    #expect(known.errors.contains("imported 0, \(before.count) already present"), "\(known)")
    let other = try Workbench()
    try other.write("a.md", Self.texts[index])
    try other.diple("add", "a.md")
    try FileManager.default.copyItem(atPath: bench.path("a.pdf"), toPath: other.path("a.pdf"))
    let imported = try other.diple("import", "a.pdf")
    #expect(imported.code == 0, "\(imported)")
    let after = try other.highlights()
    #expect(after.map(\.quote).sorted() == before.map(\.quote).sorted())
    #expect(after.allSatisfy { $0.state == "exact" }, "\(after)")
    let listed = try other.diple("list").output
    for color in colors.prefix(before.count) {
      #expect(listed.contains("— *Why* \(color)?"), "\(listed)")
      #expect(listed.contains("#\(color)") && listed.contains(##"#"to read""##), "\(listed)")
    }
    #expect(try other.diple("import", "a.pdf").errors.contains("imported 0"))
  }
}
