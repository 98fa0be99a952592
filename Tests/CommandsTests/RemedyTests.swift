import Actions
import Commands
import Console
import SystemSupport
import Testing

/// The commands for the actions that errors offer.
@Suite struct RemedyTests {
  @Test func `each is an action, and its command exists`() throws {
    let worded = Remedy.wordedActions
    #expect(worded.count > 10)
    for (action, command) in worded {
      #expect(ActionList.action(named: action) != nil, "\(action)")
      var place = Diple.grammar.root
      for word in command where !word.hasPrefix("-") {
        place = try #require(place.subcommand(word), "\(command)")
      }
      let options = command.filter { $0.hasPrefix("-") }
      #expect(options.allSatisfy { place.options.flatMap(\.written).contains($0) }, "\(command)")
    }
  }

  @Test func `a remedy is a command in a shell, and an action for a page`() throws {
    let error = UserError(
      .notFound, "a.md was removed from the library",
      remedy: .action("document.restore", ["document": .text("4-7f3a0c5d9e1b2846")]))
    #expect(
      error.withCommand.description(in: .shell)
        == "a.md was removed from the library; `diple doc restore 4` restores it")
    #expect(
      error.withCommand.description(in: .lineEditor).hasSuffix("; `doc restore 4` restores it"))
    let shown = ErrorRecord(error, withCommands: false)
    #expect(shown.hint == nil && shown.remedy?.action == "document.restore")
    let setting = UserError(.usage, "selecting is off", remedy: .setting("reader.selectable"))
    #expect(
      setting.withCommand.description.hasSuffix(
        "`diple config show --origin` shows where it is set"))
    #expect(ErrorRecord(setting, withCommands: false).remedy?.setting == "reader.selectable")
    // An error that has a hint keeps it.
    let advised = UserError(
      .usage, "no", hint: "wait", remedy: .action("document.refresh", [:]))
    #expect(advised.withCommand.description == "no; wait")
  }
}
