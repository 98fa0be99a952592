import Actions
import BuiltIn
import Editing
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// The requests of actions, over the whole list.
@Suite struct ActionTests {
  private typealias Members = [String: NSObject]

  /// The examples of an action as JSON objects.
  private func examples<Request: Action>(_ action: Request.Type) throws -> [Members] {
    try action.examples.map { example in
      let json = try JSONEncoder().encode(example)
      #expect(try Request(json: Array(json)) == example, "\(action.name)")
      return try #require(try JSONSerialization.jsonObject(with: json) as? Members)
    }
  }

  private func refusal(_ action: (some Action).Type, _ members: Members) throws -> UserError? {
    let json = try JSONSerialization.data(withJSONObject: members)
    do throws(UserError) { _ = try action.init(json: Array(json)) } catch { return error }
    return nil
  }

  @Test(arguments: ActionList.all.map { $0.name })
  func `a request has the members that the list names`(_ name: String) throws {
    let action = try #require(ActionList.action(named: name))
    let examples = try examples(action)
    let used = examples.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
    #expect(used == Set(action.parameters.map(\.name)))
    for example in examples {
      for parameter in action.parameters where example[parameter.name] != nil {
        var members = example
        members[parameter.name] = nil
        let refusal = try refusal(action, members)
        #expect((refusal != nil) == parameter.isRequired, "\(name) without \(parameter.name)")
        if let refusal {
          #expect(refusal.code == .usage && refusal.message.contains("'\(parameter.name)'"))
        }
        members[parameter.name] = NSArray(array: [NSNull()])
        #expect(try self.refusal(action, members)?.code == .usage, "\(name): \(parameter.name)")
      }
      var members = example
      members["other"] = NSNumber(value: 1)
      #expect(try refusal(action, members)?.message == "\(name) has no member 'other'")
    }
    #expect(name.wholeMatch(of: #/[a-z]+\.[a-z]+/#) != nil)
    #expect(action.summary.hasSuffix(".") && !action.summary.contains("\n"))
  }

  @Test func `what is no JSON object is refused`() {
    for text in ["", "{", "[]", "null", "1", "{\"document\":}"] {
      #expect(throws: UserError.self) { try DocumentStatistics(json: Array(text.utf8)) }
    }
  }

  @Test func `the words and highlights of a document are counted`() async throws {
    let folder = try WorkFolder()
    let words = String(repeating: "word ", count: 300)
    try folder.write("a.md", "# One title\n\n\(words)\n\n**Caf\u{E9}** two.\n")
    let library = try Library(
      at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([folder.path])
    let document = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    for (spec, color) in [("\"One\"", HighlightColor.green), ("\"two\"", .pink)] {
      _ = try await MarkPassages(
        document: document, passage: .spec(try SelectionSpec(parsing: spec)), color: color
      ).run(in: session)
    }
    let outcome = try await DocumentStatistics(document: document).run(in: session)
    #expect(outcome.words == 304)
    #expect(outcome.minutes == 2)
    #expect(outcome.count(.green) == 1)
    #expect(outcome.count(.yellow) == 0)
    #expect(outcome.count(AnchorState.exact) == 2)
    #expect(outcome.json.hasSuffix("\"words\":304},\"schema\":\"diple.statistics/1\"}"))
  }

  @Test func `a removed highlight is named only where the trash is shown`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "Some words.\n")
    let library = try Library(
      at: LibraryLocation(folder: folder.path + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([folder.path])
    let document = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    let made = try await MarkPassages(
      document: document, passage: .spec(try SelectionSpec(parsing: "\"words\""))
    ).run(in: session)
    let id = try #require(made.highlights.first?.id)
    _ = try await RemoveHighlights([id]).run(in: session)
    #expect(try await ShowHighlight(highlight: id).run(in: session).highlight.isTrashed)
    session.seesTrash = false
    let page = session
    await #expect(throws: UserError.self) {
      try await ChangeHighlight(highlight: id, color: .blue).run(in: page)
    }
    _ = try await RestoreHighlights([id]).run(in: page)
    #expect(try await ShowHighlight(highlight: id).run(in: page).highlight.id == id)
    _ = try await UndoStep(document: document).run(in: page)
    await #expect(throws: UserError.self) { try await ShowHighlight(highlight: id).run(in: page) }
  }
}
