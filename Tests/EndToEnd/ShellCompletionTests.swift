import Foundation
import Testing

/// Tests completion in real shells, each in a terminal.
@Suite(.enabled(if: Terminal.isThere, "tmux is not installed")) struct ShellCompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var isThere: Bool { (try? Workbench().run(rawValue, ["-c", "true"]).code) == 0 }
    /// The command that starts the shell without the user's settings.
    var start: String {
      switch self {
      case .bash: "bash --norc --noprofile -i"
      case .zsh: "zsh -f -i"
      case .fish: "fish --no-config -i"
      }
    }
    /// The command that loads the script.
    var setUp: String {
      switch self {
      case .bash: "PS1='% '; source <(diple completion bash)"
      case .zsh: "PS1='%% '; autoload -Uz compinit; compinit -u -D; source <(diple completion zsh)"
      case .fish: "function fish_prompt; echo '% '; end; diple completion fish | source"
      }
    }
  }

  static let shells = Shell.allCases.filter(\.isThere)

  @Test(arguments: shells)
  func `a shell completes commands, options, values and names in the library`(
    shell: Shell
  ) throws {
    let bench = try Workbench()
    try bench.write("essay.md", "---\ntitle: On signs\n---\nThe diple is a sign.\n")
    try bench.diple("add", "essay.md")
    try bench.diple("mark", "essay.md", "\"diple\"", "--tag", "animals")
    let terminal = try Terminal(bench, shell: shell.start, columns: 90, rows: 24)
    try terminal.wait("the shell is there") { !$0.isEmpty }
    try terminal.press(shell.setUp, "Enter")
    try terminal.press("clear", "Enter")
    try terminal.wait("the script is loaded") { $0.split(separator: "\n").last == "%" }
    let id = String(try bench.highlights()[0].number)
    for (typed, completed) in [
      ("diple outl", "diple outline"), ("diple hl reat", "diple hl reattach"),
      ("diple mark --strat", "diple mark --strategy"), ("diple list --color gr", "--color green"),
      ("diple list --tag an", "--tag animals"), ("diple hl show ", "hl show \(id)"),
      ("diple config get reader.wi", "reader.width"), ("diple add ess", "add essay.md"),
      ("diple show On", #"show On\ signs"#), ("diple show 'On", "show 'On signs'"),
      ("diple sync init web", "sync init webdav"),
    ] {
      try terminal.press(typed, "Tab")
      try terminal.wait("\(shell): \(typed) is completed") { $0.contains(completed) }
      try terminal.press("C-u")
      try terminal.press("clear", "Enter")
      try terminal.wait("the line is empty") { $0.split(separator: "\n").last == "%" }
    }
  }

  @Test(arguments: shells)
  func `a completed tag is never evaluated, whatever quotation mark is open`(
    shell: Shell
  ) throws {
    let bench = try Workbench()
    try bench.write("essay.md", "The diple is a sign.\n")
    try bench.diple("add", "essay.md")
    let marks = ["", "'", "\""]
    let tags = [
      "$(touch ran)", "`touch ran`", "'$(touch ran)'", "\"$(touch ran)\"", "!!;touch ran;",
      "\\$(touch ran)", "'\"$(touch ran)\"'", ";touch ran;", "x\u{301}$(touch ran)",
    ]
    for (number, tag) in tags.enumerated() {
      let result = try bench.diple("mark", "essay.md", "\"diple\"", "--tag", "t\(number)\(tag)")
      #expect(result.code == 0, "\(result)")
    }
    let terminal = try Terminal(bench, shell: shell.start, columns: 120, rows: 24)
    try terminal.wait("the shell is there") { !$0.isEmpty }
    try terminal.press(shell.setUp, "Enter")
    try terminal.press("clear", "Enter")
    try terminal.wait("the script is loaded") { $0.split(separator: "\n").last == "%" }
    for mark in marks {
      for number in tags.indices {
        let typed = "echo a; diple list --tag \(mark)t\(number)"
        try terminal.press(typed, "Tab")
        try terminal.wait("\(shell): \(typed) is completed") { screen in
          screen.split(separator: "\n").last.map { $0.count > typed.count + 3 } ?? false
        }
        try terminal.press("Enter")
        // The command finds the highlight, so the tag arrived unchanged.
        try terminal.wait("\(shell): \(typed) finds it") {
          $0.contains("[Y:diple]") || $0.contains("essay.md")
        }
        #expect(!FileManager.default.fileExists(atPath: bench.path("ran")), "\(shell): \(typed)")
        try terminal.press("C-u")
        try terminal.press("clear", "Enter")
        try terminal.wait("the line is empty") { $0.split(separator: "\n").last == "%" }
      }
    }
  }

  @Test(arguments: Shell.allCases) func `the shell's syntax check accepts the script`(shell: Shell)
    throws
  {
    let bench = try Workbench()
    let script = try bench.diple("completion", shell.rawValue)
    #expect(script.code == 0 && script.output.contains("---complete \(shell.rawValue)"))
    try bench.write("script", script.output)
    guard shell.isThere else { return }
    let checked = try bench.run(shell.rawValue, ["-n", bench.path("script")])
    #expect(checked.code == 0 && checked.errors.isEmpty, "\(checked)")
  }

  @Test func `completions contain no control characters and no code`() throws {
    let bench = try Workbench()
    let name = "a\u{1B}[31m;$(touch x)"
    try bench.write("\(name).md", "A sign.\n")
    #expect(try bench.diple("add", "\(name).md").code == 0)
    #expect(try bench.diple("query", "save", "a;$(touch x)", "sign").code == 0)
    let documents = try bench.diple("---complete", "bash", "diple show ", "")
    #expect(!documents.output.contains("\u{1B}"), "\(documents)")
    #expect(try !bench.diple("---values", "document").output.contains("\u{1B}"))
    let queries = try bench.diple("---complete", "bash", "diple query run ", "")
    #expect(queries.output.contains(#"a\;\$\(touch\ x\)"#), "\(queries)")
  }
}
