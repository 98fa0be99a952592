import Foundation
import Testing

/// Runs the commands of each transcript in a new folder with a separate library and compares their
/// output with the transcript. `DIPLE_UPDATE_TRANSCRIPTS=1` writes the actual output to the files
/// instead, for review.
@Suite struct TranscriptTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Transcripts")
  private static let isUpdating =
    ProcessInfo.processInfo.environment["DIPLE_UPDATE_TRANSCRIPTS"]?.isEmpty == false

  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".transcript") }.sorted()

  @Test func `there are transcripts, and each contains steps`() throws {
    #expect(Self.names.count >= 10)
    for name in Self.names {
      let text = try String(
        contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
      #expect(!Transcript(text).steps.isEmpty, "\(name)")
    }
  }

  @Test(arguments: names) func `the programs print the output of the transcript`(_ name: String)
    throws
  {
    let file = Self.folder.appendingPathComponent(name)
    let transcript = Transcript(try String(contentsOf: file, encoding: .utf8))
    let bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    bench.environment["PATH"] = Workbench.programs.path + ":" + (bench.environment["PATH"] ?? "")
    var now = transcript
    for index in transcript.steps.indices {
      let step = transcript.steps[index]
      now.steps[index].answer = Transcript.answer(
        of: try bench.run("sh", ["-c", step.command]), in: bench.folder.path)
      if !Self.isUpdating {
        #expect(now.steps[index].answer == step.answer, "\(name): $ \(step.command)")
      }
    }
    if Self.isUpdating { try Data(now.description.utf8).write(to: file) }
    #expect(Self.isUpdating || now.description == transcript.description)
  }

  /// Tests the examples in the README, in which both output streams are combined.
  @Test func `the programs print the output in the README`() throws {
    let project = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = project.appendingPathComponent("README.md")
    var text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.firstRange(of: "```\n$ diple add")?.lowerBound)
    let first = text.index(start, offsetBy: 4)
    let end = try #require(text[first...].firstRange(of: "\n```")?.lowerBound)
    let shown = Transcript(String(text[first...end]))
    let bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    bench.environment["PATH"] = Workbench.programs.path + ":" + (bench.environment["PATH"] ?? "")
    try bench.write(
      "signs.md",
      try String(contentsOf: project.appendingPathComponent("Tooling/article.md"), encoding: .utf8))
    var now = shown
    for index in shown.steps.indices {
      let both = "{ \(shown.steps[index].command)\n} 2>&1"
      now.steps[index].answer = Transcript.answer(
        of: try bench.run("sh", ["-c", both]), in: bench.folder.path)
    }
    guard Self.isUpdating else {
      #expect(now.description == shown.description)
      return
    }
    text.replaceSubrange(first...end, with: now.description)
    try Data(text.utf8).write(to: file)
  }

  @Test func `every command occurs in a transcript`() throws {
    let texts = try Self.names.map {
      try String(contentsOf: Self.folder.appendingPathComponent($0), encoding: .utf8)
    }
    let typed = texts.flatMap { Transcript($0).steps.map(\.command) }
    for command in try Workbench().commands() {
      let short = command.replacing("highlight ", with: "hl ")
      #expect(
        typed.contains { $0.hasPrefix("diple \(command)") || $0.hasPrefix("diple \(short)") },
        "\(command)")
    }
  }

  @Test func `a transcript is equal after parsing and printing`() {
    let text = """
      // What it is about.

      $ printf 'a\\n
      > b\\n'
      a

      b
      2> something is wrong
      [exit 3]

      $ true

      """
    let transcript = Transcript(text)
    #expect(transcript.description == text)
    #expect(transcript.steps.map(\.command) == ["printf 'a\\n\nb\\n'", "true"])
    #expect(transcript.steps[0].answer == "a\n\nb\n2> something is wrong\n[exit 3]")
    let result = Workbench.Result(code: 3, output: "a\n\nb\n", errors: "something is wrong\n")
    #expect(Transcript.answer(of: result, in: "/x") == transcript.steps[0].answer)
  }
}

/// The transcript of a shell session. The first line of a command begins with `$ `, its other lines
/// with `> `. The next lines are its output, its errors, which begin with `2> `, and its exit code
/// unless it is 0. Comments begin with `// `.
///
/// ```swift
/// let transcript = Transcript("$ echo a\na\n")
/// #expect(transcript.steps[0].answer == "a")
/// ```
struct Transcript: CustomStringConvertible {
  struct Step {
    /// The comment lines before the command.
    var notes: [String] = []
    /// The command, without `$ ` and `> `.
    var command = ""
    /// The expected output, without a line feed at its end.
    var answer = ""
  }

  var steps: [Step] = []

  init(_ text: String) {
    var notes: [String] = []
    var isCommand = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("// ") {
        notes.append(line)
      } else if line.hasPrefix("$ ") {
        steps.append(Step(notes: notes, command: String(line.dropFirst(2))))
        (notes, isCommand) = ([], true)
      } else if isCommand, line.hasPrefix("> ") {
        steps[steps.count - 1].command += "\n" + line.dropFirst(2)
      } else if notes.isEmpty, !steps.isEmpty {
        isCommand = false
        steps[steps.count - 1].answer += line + "\n"
      }
    }
    for index in steps.indices { steps[index].answer = Self.trimmed(steps[index].answer) }
  }

  /// The transcript in canonical form, with a blank line between the steps.
  var description: String {
    steps.map { step in
      let notes = step.notes.isEmpty ? "" : step.notes.joined(separator: "\n") + "\n\n"
      let command = "$ " + step.command.replacing("\n", with: "\n> ") + "\n"
      return notes + command + (step.answer.isEmpty ? "" : step.answer + "\n")
    }.joined(separator: "\n")
  }

  /// Returns the output of a program. The path of the folder, the replica part of ids, and times
  /// are replaced by placeholders, because they differ between runs.
  static func answer(of result: Workbench.Result, in folder: String) -> String {
    var text = result.output
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    for line in result.errors.split(separator: "\n") { text += "2> \(line)\n" }
    if result.code != 0 { text += "[exit \(result.code)]\n" }
    text = text.replacing(folder, with: "<folder>")
      .replacing(#/\b([0-9]+)-[0-9a-f]{16}\b/#) { "\($0.1)-<replica>" }
      .replacing(
        #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})/#
      ) { _ in "<time>" }
    return trimmed(text)
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
