import TestSupport
import Testing

/// Tests the import of plain text without a file name, which may be a text to read or quotes.
@Suite struct ImportProseTests {
  private let bench: Workbench
  private static let prose = "The map is not the territory.\n\nA word is not a thing.\n"

  init() throws {
    bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    // A clipboard that contains the file `copied`.
    try bench.shell("mkdir bin")
    try bench.write("bin/xclip", "#!/bin/sh\ncat '\(bench.path("copied"))'\n")
    try bench.shell("chmod +x bin/xclip")
    bench.environment["PATH"] = bench.path("bin") + ":/usr/bin:/bin"
    bench.environment["DISPLAY"] = ":77"
    try bench.write("copied", Self.prose)
  }

  @Test func `without a terminal, one line names both commands`() throws {
    let pasted = try bench.diple("import", "--clipboard")
    #expect(pasted.code == 2)
    #expect(
      pasted.errors
        == """
        diple: the clipboard is plain text, which may be a text to read or quotes; \
        `diple add --clipboard` adds it as a text to read; \
        `diple import --from text --clipboard` imports each paragraph as a quote

        """)
    let piped = try bench.diple("import", "-", input: Self.prose)
    #expect(piped.code == 2)
    #expect(piped.errors.contains("`diple add -` adds it"))
    #expect(piped.errors.contains("`diple import --from text -` imports"))
    try bench.shell("test ! -e .diple")
    #expect(try bench.diple("add", "--clipboard").output.hasPrefix("added The map is not"))
    let quotes = try bench.diple("import", "--from", "text", "--clipboard")
    #expect(quotes.errors.contains("imported 2"))
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need), arguments: ["t", "q", "n"])
  func `a terminal asks`(answer: String) throws {
    let terminal = try Terminal(bench, "diple", "import", "--clipboard")
    try terminal.wait("it asks") { $0.hasSuffix("[t = text, q = quotes, n = neither]") }
    try terminal.press("x", "Enter")
    try terminal.wait("it asks again") { $0.ranges(of: "Is this a text to read").count == 2 }
    try terminal.press(answer, "Enter")
    #expect(try terminal.exitCode() == (answer == "n" ? 1 : 0))
    switch answer {
    case "t":
      let name = "The map is not the territory. A word is not a thing.md"
      #expect(try bench.read(name) == Self.prose && bench.highlights().isEmpty)
    case "q": #expect(try bench.highlights().map(\.quote).count == 2)
    default: try bench.shell("test ! -e .diple")
    }
  }
}
