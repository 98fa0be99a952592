import Actions
import Foundation
import Model
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests requests of all actions.
@Suite struct ActionTests {
  private typealias Members = [String: NSObject]

  /// Returns the examples of an action as JSON objects.
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
  func `each action accepts exactly its listed parameters`(_ name: String) throws {
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

  @Test func `a request that is not a JSON object is rejected`() {
    for text in ["", "{", "[]", "null", "1", "{\"document\":}"] {
      #expect(throws: UserError.self) { try DocumentStatistics(json: Array(text.utf8)) }
    }
  }

  @Test(arguments: [
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"color":"yelow"}"#, "color",
      "'color' must be one of yellow, green, blue, pink, not 'yelow'", "did you mean 'yellow'?",
      "yellow green blue pink"
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"colour":"pink"}"#, "colour",
      "highlight.mark has no member 'colour'", "did you mean 'color'?",
      "document passage color note tags strategy"
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"a"},"tags":["x",7]}"#, "tags.1",
      "'tags.1' must be a string, not 7", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"spec":"lines:3..1"}}"#, "passage.spec",
      "write lines:1..3", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{}}"#, "passage",
      "'passage' has neither 'spec' nor 'ranges'", #"it must be {"spec": "\"exact words\""} or"#,
      #"{"spec": "\"exact words\""} {"ranges": [{"start": 0, "end": 5}], "text": DIGEST}"#
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":0,"end":2},{"start":1}]}}"#,
      "passage.ranges.1.end", "'passage.ranges.1.end' is missing", "it must be a whole number", ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":3,"end":2}],"text":"0"}}"#,
      "passage.ranges.0", "'passage.ranges.0' ends before its start", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[{"start":-1,"end":2}],"text":"0"}}"#,
      "passage.ranges.0.start", "must be a whole number from 0, not -1", nil, ""
    ),
    (
      #"{"document":"4-0000000000000001","passage":{"ranges":[],"text":"abc"}}"#, "passage.text",
      "'passage.text' must be a digest of 64 hexadecimal digits, not 'abc'", nil, ""
    ),
    (
      #"{"passage":{"spec":"a"}}"#, "document", "'document' is missing",
      "it must be the id of a document", ""
    ),
  ])
  func `an error contains the parameter, its value and the allowed values`(
    _ json: String, _ parameter: String, _ message: String, _ hint: String?, _ allowed: String
  ) throws {
    let error = try #require(
      throws: UserError.self, performing: { try MarkPassages(json: Array(json.utf8)) })
    #expect(error.code == .usage && error.parameter == parameter, "\(error)")
    #expect(error.message.contains(message), "\(error)")
    #expect(error.hint == nil ? hint == nil : error.description.contains(hint ?? "?"), "\(error)")
    #expect(error.allowed.joined(separator: " ") == allowed)
    #expect(ErrorRecord(error).where == parameter)
  }

  @Test func `errors suggest similar actions, documents and highlights`() async throws {
    let folder = try WorkFolder()
    try folder.write("cats.md", "# Cats\n\nOne cat, two cats.\n")
    try folder.write("dogs.md", "# Dogs\n\nNo cats.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/cats.md").id
    let session = ActionSession(library)
    func refusal(_ action: String, _ json: String) async throws -> UserError {
      do {
        let outcome = try await session.run(action, json: Array(json.utf8))
        Issue.record("\(outcome.json)")
      } catch let error as UserError { return error }
      return UserError(.nothing, "")
    }

    let action = try await refusal("highlight.makr", "{}")
    #expect(action.code == .notFound && action.candidates == ["highlight.mark"])
    #expect(action.allowed.count == ActionList.all.count)
    let named = try await refusal("document.statistics", #"{"document":"Cats"}"#)
    #expect(named.code == .usage && named.parameter == "document")
    #expect(named.candidates == ["\(id)  cats.md  Cats"])
    let prefix = try await refusal(
      "document.statistics", "{\"document\":\"\(id.description.dropLast(4))\"}")
    #expect(prefix.candidates == named.candidates)
    let part = try await refusal("document.statistics", #"{"document":".md"}"#)
    #expect(part.candidates.count == 2)
    let missing = try await refusal("document.statistics", #"{"document":"9-0000000000000001"}"#)
    #expect(missing.code == .notFound && missing.parameter == "document")

    func mark(_ rest: String) -> String { "{\"document\":\"\(id)\",\(rest)}" }
    let ambiguous = try await refusal("highlight.mark", mark(#""passage":{"spec":"cat"}"#))
    #expect(ambiguous.code == .ambiguous && ambiguous.parameter == "passage.spec")
    #expect(ambiguous.candidates.count == 2)
    let strategy = try await refusal(
      "highlight.mark", mark(#""passage":{"spec":"One"},"strategy":"sentense""#))
    #expect(strategy.parameter == "strategy" && strategy.allowed.contains("sentence"))
    #expect(try await session.library.highlights(HighlightFilter()).isEmpty)

    let made = try await session.run(
      "highlight.mark", json: Array(mark(#""passage":{"spec":"One"}"#).utf8))
    let marked = try #require((made as? MarkPassages.Outcome)?.highlights.first)
    let short = try await refusal(
      "highlight.remove", "{\"highlights\":[\"\(marked.shortID)\"]}")
    #expect(short.parameter == "highlights.0" && short.candidates == ["\(marked.id)  One"])
    let gone = try await refusal("highlight.remove", #"{"highlights":["9-0000000000000001"]}"#)
    #expect(gone.code == .notFound && gone.parameter == "highlights.0")
  }
}
