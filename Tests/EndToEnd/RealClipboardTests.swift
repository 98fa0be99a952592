import Foundation
import TestSupport
import Testing

/// A virtual X display.
private final class Display {
  static let isThere = ["Xvfb", "xclip", "xsel"].allSatisfy { program in
    (try? Workbench().run("sh", ["-c", "command -v \(program)"]).code) == 0
  }

  private let process: Process
  let name: String

  init(_ bench: Workbench) throws {
    let place = bench.path("display")
    let process = Process()
    self.process = process
    // Xvfb selects the first free number and prints it when it is ready.
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "exec Xvfb -displayfd 3 -screen 0 64x64x8 -nolisten tcp 3>'\(place)' >/dev/null 2>&1",
    ]
    try Workbench.unblockingSignals { try process.run() }
    let number = try eventually("Xvfb prints its display or ends") {
      (try? bench.read("display")) ?? ""
    } until: { [process] in
      $0.hasSuffix("\n") || !process.isRunning
    }
    try #require(number.hasSuffix("\n"), "Xvfb does not start")
    name = ":" + number.filter(\.isNumber)
  }

  deinit {
    process.terminate()
    _ = try? process.end(within: 20)
  }
}

/// Tests copying with the real clipboard of a virtual X display.
@Suite(.enabled(if: Display.isThere, "Xvfb, xclip or xsel is not installed"))
struct RealClipboardTests {
  /// Runs a command that leaves a program in the background to serve the clipboard. The program
  /// must not inherit the descriptor by which the end of the process is detected.
  private func run(_ bench: Workbench, _ words: String..., input: String = "") throws
    -> Workbench.Result
  {
    let closing =
      "for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval \"exec $fd>&-\"; done; "
    let own = Workbench.programs.appendingPathComponent(words[0]).path
    let isOwn = FileManager.default.isExecutableFile(atPath: own)
    let all = [isOwn ? own : words[0]] + words.dropFirst()
    return try bench.run("bash", ["-c", closing + "exec \"$@\"", "bash"] + all, input: input)
  }

  private static let passage = "Größe, “quoted” $HOME `x`\\ 日本 👩‍👩‍👧"

  @Test func `other programs paste exactly the copied bytes`() throws {
    let bench = try Workbench()
    let display = try Display(bench)
    bench.environment["DISPLAY"] = display.name
    // Backslashes and backticks are plain text in an indented code block.
    try bench.write("essay.md", "# Essay\n\n    \(Self.passage)\n\nThe **quick** fox.\n")
    let copied = try run(bench, "diple", "copy", "essay.md", "para:2")
    #expect(
      copied.output == "copied \(Self.passage.count) characters to the clipboard\n", "\(copied)")
    #expect(try bench.run("xclip", ["-selection", "clipboard", "-o"]).output == Self.passage)
    #expect(try bench.run("xsel", ["--clipboard", "--output"]).output == Self.passage)
    #expect(try run(bench, "diple", "copy", "essay.md", "\"quick fox\"", "--to", "xsel").code == 0)
    // The xsel in the background may take over the clipboard after the one in front has ended.
    for _ in 1...50 {
      if try bench.run("xclip", ["-selection", "clipboard", "-o"]).output == "quick fox" { break }
      usleep(100_000)
    }
    #expect(try bench.run("xclip", ["-selection", "clipboard", "-o"]).output == "quick fox")
    // A command that copies nothing doesn't change the clipboard.
    #expect(try bench.diple("copy", "essay.md", "\"nowhere\"").code == 1)
    #expect(try bench.run("xsel", ["--clipboard", "--output"]).output == "quick fox")
    let cited = try run(
      bench, "diple", "copy", "essay.md", "\"quick fox\"", "--cite", "--as", "html")
    #expect(cited.code == 0)
    #expect(
      try bench.run("xclip", ["-selection", "clipboard", "-o"]).output == """
        <blockquote>
        <p><strong>quick</strong> fox</p>
        <footer>— <cite>Essay</cite></footer>
        </blockquote>

        """)
  }

  @Test func `highlights are imported from the clipboard`() throws {
    let bench = try Workbench()
    let display = try Display(bench)
    bench.environment["DISPLAY"] = display.name
    try bench.write("essay.md", "# Essay\n\nThe quick fox.\n")
    try bench.diple("add", "essay.md")
    let empty = try bench.diple("import", "--clipboard")
    #expect(empty.code == 9 || empty.code == 1, "\(empty)")
    let annotation = """
      {"type": "Annotation", "target": {"source": "essay.md",
        "selector": {"type": "TextQuoteSelector", "exact": "quick fox"}}}
      """
    // The program continues in the background and must not inherit the output.
    let copied = try run(
      bench, "sh", "-c", "xclip -selection clipboard >/dev/null 2>&1", input: annotation)
    #expect(copied.code == 0)
    let imported = try bench.diple("import", "--clipboard")
    #expect(imported.code == 0, "\(imported)")
    #expect(try bench.highlights().map(\.quote) == ["quick fox"])
    bench.environment["DISPLAY"] = nil
    let none = try bench.diple("import", "--clipboard")
    #expect(none.code == 2 && none.errors.contains("there is no clipboard here"))
    #expect(try bench.diple("import").code == 2)
  }
}
