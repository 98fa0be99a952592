import Console
import Foundation
import SystemSupport
import Testing

/// Tests external editors with scripts in place of an editor. The last argument of a script is the
/// path of the file.
@Suite final class ExternalEditorTests {
  private let folder = NSTemporaryDirectory() + "/diple-editor-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func editor(_ command: String) -> ExternalEditor {
    ExternalEditor(command, environment: ["TMPDIR": folder])
  }

  /// Writes a script and returns the command line that runs it with the option `--wait`, as users
  /// set their editor.
  private func script(_ lines: String) throws -> String {
    let path = folder + "/my editor"
    try Data("#!/bin/sh\n[ \"$1\" = --wait ] || exit 9; shift\n\(lines)\n".utf8)
      .write(to: URL(filePath: path))
    // `sh` reads the script. Executing it directly could fail with ETXTBSY, because a process that
    // another test starts at this moment may inherit the descriptor by which it was written.
    return "sh '\(path)' --wait"
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "my editor" }
  }

  @Test
  func
    `the editor receives the text in a file with the same extension, and its result is returned`()
    throws
  {
    let command = try script(
      "case $1 in *.toml) ;; *) exit 8;; esac; [ \"$(stat -c %a \"$1\")\" = 600 ] || exit 7; "
        + "sed -i s/old/new/ \"$1\"")
    #expect(try editor(command).edit("the old 日本\n\n", as: "config.toml") == "the new 日本\n\n")
    #expect(try files().isEmpty, "the file is deleted")
  }

  @Test func `a note is returned without trailing line ends`() throws {
    #expect(
      try editor(try script("printf 'two\\nlines\\n\\n' > \"$1\"")).edit(note: "") == "two\nlines")
    #expect(try editor(try script("[ ! -s \"$1\" ]")).edit(note: "") == "")
    // An editor that does nothing leaves the note unchanged.
    // The comment with the quote is removed from a note that was added above it.
    let above = "grep -q '^the quote$' \"$1\" && sed -i '1i new' \"$1\""
    #expect(try editor(try script(above)).edit(note: "old", about: "the\nquote") == "new\nold")
    // Lines below the comment are kept.
    let below = "echo more >> \"$1\""
    #expect(try editor(try script(below)).edit(note: "old", about: "the\nquote") == "old\n\nmore")
    #expect(try editor(try script("[ \"$(cat \"$1\")\" = note ]")).edit(note: "note") == "note")
  }

  @Test(arguments: [
    ("exit 3", "the editor ended with 3"), ("kill -9 $$", "the editor ended with 137"),
  ])
  func `a failing editor is reported with its exit code, and its file is deleted`(
    lines: String, says: String
  ) throws {
    do {
      _ = try editor(try script(lines)).edit(note: "note")
      Issue.record("the note is accepted")
    } catch {
      #expect((error as? UserError)?.code == .plugin && "\(error)".contains(says), "\(error)")
    }
    #expect(try files().isEmpty)
  }

  @Test func `a file that was deleted or cannot be created is reported`() throws {
    do {
      _ = try editor(try script("rm \"$1\"")).edit(note: "note")
      Issue.record("the deleted file is read")
    } catch { #expect((error as? UserError)?.code == .notFound) }
    do {
      let nowhere = ExternalEditor("true", environment: ["TMPDIR": folder + "/nowhere"])
      _ = try nowhere.edit(note: "note")
      Issue.record("a file was created")
    } catch { #expect(error.code == .conflict) }
  }
}
