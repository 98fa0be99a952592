import Actions
import Commands
import Console
import SystemSupport
import Testing

/// Tests the commands for the actions that errors offer.
@Suite struct RemedyTests {
  @Test func `each offered action exists, and so does its command`() throws {
    let worded = Remedy.wordedActions
    #expect(worded.count > 10)
    for (action, command) in worded {
      #expect(ActionList.action(named: action) != nil, "\(action)")
      var place = Diple.grammar.root
      // `format` reads its words itself.
      for word in command where !word.hasPrefix("-") && place.commandName != "format" {
        place = try #require(place.subcommand(word), "\(command)")
      }
      let options = command.filter { $0.hasPrefix("-") }
      #expect(options.allSatisfy { place.options.flatMap(\.written).contains($0) }, "\(command)")
    }
  }

  @Test func `commands in hints name the library of the running command`() {
    let terminal = Terminal(environment: [:])
    let hint: Hint = "\(action: "document.list") or \(command: "add", "FILE")"
    #expect(hint.text(in: terminal.typing) == "`diple doc list` or `diple add FILE`")
    terminal.namedLibrary = "my notes"
    #expect(
      hint.text(in: terminal.typing)
        == "`diple --library 'my notes' doc list` or `diple --library 'my notes' add FILE`")
    #expect(
      UserError(.usage, "no", hint: hint).withCommand.description(in: terminal.typing)
        == "no; `diple --library 'my notes' doc list` or `diple --library 'my notes' add FILE`")
    let other: Hint = "\(action: "sync.admit") there, or \(command: "mark", "-h")"
    #expect(other.text(in: terminal.typing) == "`diple sync pair` there, or `diple mark -h`")
    let editor = Terminal(environment: [:], isInteractive: true)
    editor.namedLibrary = "my notes"
    #expect(hint.text(in: editor.typing) == "`doc list` or `add FILE`")
  }

  @Test func `a remedy is shown as a command in a shell, and sent to a page as an action`() throws {
    let error = UserError(
      .notFound, "a.md was removed from the library",
      remedy: .action("document.restore", ["document": .record("4-7f3a0c5d9e1b2846", name: "1")]))
    #expect(
      error.withCommand.description(in: .shell)
        == "a.md was removed from the library; `diple doc restore 1` restores it")
    #expect(
      error.withCommand.description(in: .lineEditor).hasSuffix("; `doc restore 1` restores it"))
    let shown = ErrorRecord(error, withCommands: false)
    #expect(shown.hint == nil && shown.remedy?.action == "document.restore")
    let setting = UserError(.usage, "selecting is off", remedy: .setting("reader.selectable"))
    #expect(
      setting.withCommand.description.hasSuffix(
        "`diple config show --origin` shows where it is set"))
    #expect(ErrorRecord(setting, withCommands: false).remedy?.setting == "reader.selectable")
    // A hint names actions as values. A page can run one that needs no further value.
    let synced = UserError(
      .conflict, "this library is synced", hint: "\(action: "sync.leave") ends that first")
    #expect(
      synced.withCommand.description(in: .shell)
        == "this library is synced; `diple sync leave` ends that first")
    #expect(
      synced.description(in: .lineEditor)
        == "this library is synced; `sync leave` ends that first")
    #expect("\(synced)" == "this library is synced; `sync.leave` ends that first")
    #expect(ErrorRecord(synced.withCommand).hint == "`diple sync leave` ends that first")
    let page = ErrorRecord(synced, withCommands: false)
    #expect(page.hint == nil && page.remedy?.action == "sync.leave")
    let asking = UserError(
      .notFound, "no document",
      hint: "\(action: "document.add", ["paths": .asked("file")]) adds one")
    #expect(asking.description(in: .shell) == "no document; `diple add FILE` adds one")
    #expect(ErrorRecord(asking, withCommands: false).remedy == nil)
    let undo: Hint =
      "\(action: "history.undo", ["document": .null]) or \(action: "history.undo", ["document": .record("4-7f3a0c5d9e1b2846", name: "1")])"
    #expect(undo.text(in: .lineEditor) == "`undo --all` or `undo`" && undo.remedy == nil)
    // An error that has a hint keeps it.
    let advised = UserError(
      .usage, "no", hint: "wait", remedy: .action("document.refresh", [:]))
    #expect(advised.withCommand.description == "no; wait")
  }
}
