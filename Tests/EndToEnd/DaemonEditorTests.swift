import DaemonKit
import Foundation
import Testing
import Workspace

/// Tests the ways in which editors write files. None of them may lose a highlight.
@Suite struct DaemonEditorTests {
  struct Editor: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Inserts a line before the text of `notes/a.md`, or moves the file.
    var script: String
    /// The path of the document afterwards.
    var path = "notes/a.md"
    var needs = "sh"
  }

  private static func vim(_ name: String, _ options: String) -> Editor {
    Editor(
      testDescription: name,
      script: """
        vim -Nu NONE -es -c 'set \(options)' -c '0put =\\"A new line.\\"' -c '1put =\\"\\"' -c 'x' \
        notes/a.md </dev/null
        """, needs: "vim")
  }

  static let editors = [
    Editor(
      testDescription: "echo",
      script: "t=$(cat notes/a.md); printf 'A new line.\\n\\n%s\\n' \"$t\" > notes/a.md"),
    Editor(
      testDescription: "mv over it",
      script: """
        (printf 'A new line.\\n\\n'; cat notes/a.md) > notes/.a.tmp && mv notes/.a.tmp notes/a.md
        """),
    Editor(
      testDescription: "mv of a Markdown file over it",
      script: """
        (printf 'A new line.\\n\\n'; cat notes/a.md) > notes/new.md && mv notes/new.md notes/a.md
        """),
    Editor(testDescription: "sed -i", script: "sed -i '1i A new line.\\n' notes/a.md"),
    vim("vim, backup by copy", "backupcopy=yes"),
    vim("vim, backup by rename", "backupcopy=no writebackup"),
    vim("vim, backup by rename that stays", "backupcopy=no backup backupext=.bak.md"),
    Editor(
      testDescription: "a slow editor, backup by rename",
      script: """
        cd notes && mv a.md a.md~ && sleep 0.5 && t=$(sed '1i A new line.\\n' a.md~) &&
        printf '%s\\n' "$t" > a.md && sleep 0.5 && rm a.md~
        """),
    Editor(
      testDescription: "git checkout away and back",
      script: """
        git init -q . && git config user.email a@b.c && git config user.name A &&
        git commit -q --allow-empty -m none && git branch other &&
        git add notes && git commit -qm notes &&
        git checkout -q other && sleep 0.4 && test ! -e notes/a.md && git checkout -q -
        """, needs: "git"),
    Editor(
      testDescription: "git checkout away and back at once",
      script: """
        git init -q . && git config user.email a@b.c && git config user.name A &&
        git commit -q --allow-empty -m none && git branch other &&
        git add notes && git commit -qm notes && git checkout -q other && git checkout -q -
        """, needs: "git"),
    Editor(
      testDescription: "directory move", script: "mv notes moved", path: "moved/a.md"),
    Editor(
      testDescription: "directory move twice, with an edit between",
      script: """
        mv notes one && sed -i '1i A new line.\\n' one/a.md && mkdir deep && mv one deep/two
        """, path: "deep/two/a.md"),
    Editor(testDescription: "mv", script: "mv notes/a.md notes/other.md", path: "notes/other.md"),
    Editor(
      testDescription: "mv and an edit", script: "mv notes/a.md b.md && echo more >> b.md",
      path: "b.md"),
    Editor(
      testDescription: "a clock that steps back",
      script: """
        cp -p notes/a.md old && sed -i 's/last/next/' notes/a.md && touch -r old notes/a.md &&
        sleep 0.3 && touch -d 2001-01-01 notes/a.md && sed -i 's/ends the file/is the end/' notes/a.md &&
        touch -d 2099-01-01 notes/a.md
        """),
  ]

  @Test(arguments: editors)
  func `highlights survive saving by each kind of editor`(editor: Editor) throws {
    if try Workbench().run("sh", ["-c", "command -v \(editor.needs)"]).code != 0 {
      try Test.cancel("\(editor.needs) is not installed")
    }
    // The library is in the folder of the notes, a common setup.
    let watched = try WatchedBench(files: ["a.md", "b.md", "sub/c.md"])
    let bench = watched.bench
    try bench.shell("mkdir .diple && mv library/* .diple/")
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    try bench.shell(
      "sqlite3 .diple/library.sqlite \"UPDATE document SET path = replace(path, '$PWD/', '')\"")
    try watched.start()
    try watched.settle()
    try bench.shell(editor.script)
    let events = try watched.settle()

    let changes = events.flatMap(\.documents)
    let listed = try bench.highlights()
    #expect(listed.count == 3 && listed.allSatisfy { $0.state == "exact" }, "\(listed)")
    let documents = try bench.run(
      "sqlite3", [".diple/library.sqlite", "SELECT path FROM document WHERE present"]
    ).lines
    #expect(documents.contains(editor.path) && documents.count == 3, "\(documents)")
    #expect(!changes.contains { $0.path.hasSuffix("~") || $0.path.hasSuffix(".bak.md") })
    #expect(changes.allSatisfy { $0.lost.isEmpty }, "\(changes)")
    #expect(try watched.stop().code == 0)
  }
}
