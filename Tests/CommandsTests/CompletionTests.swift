import Commands
import Console
import Foundation
import SystemSupport
import Testing

/// Tests the completions at positions of a command line.
@Suite struct CompletionTests {
  private let folder: URL
  private let context: CommandContext
  private let shell: CommandContext

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("essay.md")
    try Data("# My essay\n\nThe quick fox and the lazy dog.\n".utf8).write(to: file)
    let environment = [
      "HOME": folder.path, "DIPLE_LIBRARY": folder.appendingPathComponent(".diple").path,
    ]
    let null = Output(descriptor: open("/dev/null", O_WRONLY))
    context = CommandContext(
      Terminal(environment: environment, output: null, errors: null, isInteractive: true))
    shell = CommandContext(
      Terminal(environment: environment, output: null, errors: null, isInteractive: false))
    #expect(await Diple.run(["add", file.path], in: context) == 0)
    for line in ["mark \"quick fox\" --tag animals", "mark \"lazy dog\"", "query save foxes fox"] {
      #expect(await Diple.run(try Diple.words(in: line), in: context) == 0, "\(line)")
    }
  }

  private func offered(_ line: String, in context: CommandContext? = nil) async throws -> [String] {
    let line = ShellLine(line)
    return await (context ?? self.context).completions(after: line.words, start: line.start)
      .candidates.map(\.text)
  }

  @Test(arguments: [
    ("sho", ["show"]), ("hl re", ["reattach", "remove", "restore"]), ("hl lo", ["log"]),
    ("anchor re", ["reattach", "reject", "review"]), ("help hl lo", ["log"]),
    ("query r", ["remove", "run"]), ("help mar", ["mark"]), ("help key", ["keys"]),
    ("completion ", ["bash", "fish", "zsh"]),
    ("mark --stra", ["--strategy"]), ("mark --color gr", ["green"]),
    ("list --state dou", ["doubtful"]),
    ("list --sort u", ["updated"]), ("show --color al", ["always"]), ("search --in no", ["notes"]),
    ("mark --strategy sent", ["sentence"]), ("search --strategy lit", ["literal"]),
    ("export --to mark", ["markdown"]), ("share --theme n", ["night"]),
    ("show --renderer pl", ["plain"]),
    ("config get reader.w", ["reader.width"]), ("config set reader.mouse ", ["false", "true"]),
    ("config set copy.as m", ["md"]), ("mark essay.md x --tag ", ["animals"]),
    ("hl tag 4 an", ["animals"]),
    ("query run ", ["foxes"]), ("list --dry", []), ("adjust end ", ["+1", "-1"]),
    ("adjust end +1 sen", ["sentence"]), ("format hea", ["heading"]),
    ("format heading n", ["none"]), ("format margins no", ["none"]),
    ("format default set mar", ["margins"]), ("format default set margins wi", ["wide"]),
    ("format default set align j", ["justified"]), ("format default reset scr", ["scrivener-3"]),
    ("color label gr", ["green"]), ("mark --color green --color", []),
    ("daemon sta", ["start", "status"]),
    ("copy --to x", ["xclip", "xsel"]), ("mark -- --co", []),
  ])
  func `the words that can follow are completed`(line: String, words: [String]) async throws {
    #expect(try await offered(line) == words)
  }

  @Test func `documents, highlights and the trash are completed from the library`() async throws {
    #expect(try await offered("show My") == ["My essay"])
    #expect(try await offered("format bold My") == ["My essay"])
    #expect(try await offered("find My") == ["My essay"])
    #expect(try await offered("find 'My essay' My") == [])
    let ids = try await offered("hl show ")
    #expect(ids.count == 2)
    #expect(try await offered("hl restore ") == [])
    #expect(await Diple.run(["hl", "remove", ids[0]], in: context) == 0)
    #expect(try await offered("hl restore ") == [ids[0]])
    #expect(try await offered("hl show ") == [ids[1]])
    #expect(try await offered("copy \(ids[1])") == [ids[1]])
  }

  @Test func `a document is completed by its path as seen from the current folder`() async throws {
    let path = FileSystem.shown(folder.path + "/essay.md")
    #expect(try await offered("show \(path.dropLast(4))") == [path])
    #expect(try await offered("hl remove My") == [])
    #expect(try await offered("remove \(path.dropLast(4))") == [path])
  }

  @Test func `commands that are not possible now are not completed`() async throws {
    #expect(try await offered("ne") == [])
    #expect(try await offered("pre") == [])
    #expect(try await offered("cle") == [])
    #expect(try await offered("rep") == ["replace"])
    #expect(try await offered("rep", in: shell) == ["repl", "replace"])
    #expect(await Diple.run(["find", "fox"], in: context) == 0)
    #expect(await Diple.run(["select", "fox"], in: context) == 0)
    #expect(try await offered("ne") == ["next"])
    #expect(try await offered("pre") == ["prev"])
    #expect(try await offered("cle") == ["clear"])
    #expect(try await offered("ne", in: shell) == [])
  }

  @Test func `files are completed at arguments that accept a path`() async throws {
    for line in ["add ", "doc link essay.md ", "export -o ", "list --library "] {
      let line = ShellLine(line)
      let found = await context.completions(after: line.words, start: line.start)
      #expect(found.takesPath, "\(line.words)")
    }
    #expect(await !context.completions(after: ["show"], start: "").takesPath)
    #expect(await shell.completions(after: ["show"], start: "").takesPath)
  }
}
