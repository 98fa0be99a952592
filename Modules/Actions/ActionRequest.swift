import Editing
import FoundationEssentials
import Model
package import SystemSupport
import Workspace

extension ActionSession {
  /// Runs an action from the JSON of a request.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if no action has the name; the errors of
  ///   `init(json:)`, with the records that an invalid id may refer to; the errors of the action.
  package func run(_ name: String, json: [UInt8]) async throws -> any ActionOutcome {
    guard let action = ActionList.action(named: name) else { throw ActionList.noAction(name) }
    return try await run(action, json)
  }

  private func run<Request: Action>(_ action: Request.Type, _ json: [UInt8]) async throws
    -> any ActionOutcome
  {
    let request: Request
    do throws(UserError) { request = try Request(json: json) } catch {
      throw try await withRecords(error, json, action.parameters)
    }
    return try await request.run(in: self)
  }

  /// Adds candidates to an error about an invalid id: for a highlight, the highlights whose id
  /// begins with it; for a document, those of `Library.documentCandidates`. Throws ``UserError`` if
  /// the library cannot be read.
  private func withRecords(
    _ error: UserError, _ json: [UInt8], _ parameters: [ActionParameter]
  ) async throws -> UserError {
    guard let path = error.parameter, case .text(let name)? = JSONValue(json)?.value(at: path),
      let parameter = parameters.first(where: { path.prefix { $0 != "." } == $0.name })
    else { return error }
    var error = error
    switch parameter.kind {
    case .identifier(.document): error.candidates = try await library.documentCandidates(name)
    case .identifier(.highlight), .list(.identifier):
      error.candidates = try await library.highlightCandidates(name)
    default: break
    }
    return error
  }
}

extension Action {
  /// Creates an action from the JSON of a request.
  ///
  /// - Throws: ``UserError`` with the code `usage` and the path of the invalid member, if the JSON
  ///   is not a request for this action or has an unknown member.
  package init(json: [UInt8]) throws(UserError) {
    do {
      self = try JSONDecoder().decode(CheckedRequest<Self>.self, from: Data(json)).action
    } catch let error as UserError { throw error } catch {
      throw RequestCheck.notAnObject(Self.self)
    }
  }
}

/// A request that is checked while its JSON is decoded.
private struct CheckedRequest<Request: Action>: Decodable {
  let action: Request

  init(from decoder: any Decoder) throws {
    try RequestCheck.check(try JSONValue(from: decoder), Request.self)
    do { action = try Request(from: decoder) } catch {
      throw UserError(.usage, "invalid request for \(Request.name)")
    }
  }
}

/// Validates the JSON of a request by the parameters of its action. An error reports the member,
/// its value and the valid values.
enum RequestCheck {
  /// Checks a request.
  ///
  /// - Throws: ``UserError`` with the code `usage` and the path of the first invalid member.
  static func check(_ request: JSONValue, _ action: any Action.Type) throws(UserError) {
    guard case .object(let members) = request else { throw notAnObject(action) }
    try check(members, action.parameters, of: action.name, at: "")
  }

  static func notAnObject(_ action: any Action.Type) -> UserError {
    UserError(
      .usage, "the body of a request for \(action.name) must be a JSON object",
      hint: "without parameters it is {}")
  }

  private static func check(
    _ members: [String: JSONValue], _ parameters: [ActionParameter], of owner: String,
    at path: String
  ) throws(UserError) {
    try checkNames(Array(members.keys), parameters.map(\.name), of: owner, at: path)
    for parameter in parameters {
      let value = members[parameter.name] ?? .null
      if value == .null {
        if parameter.isRequired { throw missing(path + parameter.name, parameter.kind) }
      } else {
        try check(value, parameter.kind, at: path + parameter.name)
      }
    }
  }

  /// The forms of a passage, for errors.
  private static let passages = [
    #"{"spec": "\"exact words\""}"#, #"{"ranges": [{"start": 0, "end": 5}], "text": DIGEST}"#,
  ]

  private static func check(_ value: JSONValue, _ kind: ActionParameter.Kind, at path: String)
    throws(UserError)
  {
    switch (kind, value) {
    case (.text, .text), (.flag, .flag): return
    case (.integer, .number(let number)) where number >= 0 && Int32(exactly: number) != nil: return
    case (.identifier, .text(let text)) where Identifier<Document>(text) != nil: return
    case (.digest, .text(let text)) where ContentDigest(text) != nil: return
    case (.choice(let words), .text(let text)) where words.contains(text): return
    case (.list(let kind), .list(let list)):
      for (index, element) in list.enumerated() { try check(element, kind, at: "\(path).\(index)") }
    case (.object(let parameters), .object(let members)):
      try check(members, parameters, of: "'\(path)'", at: path + ".")
    case (.values(let names), .object(let members)):
      let known = Array(members.keys)
      try checkNames(known, names ?? known, of: "'\(path)'", at: path + ".")
      for (name, value) in members { try check(value, .text, at: "\(path).\(name)") }
    case (.passage, .object(let members)): try checkPassage(members, at: path)
    default: throw invalid(value, kind, at: path)
    }
  }

  private static func checkPassage(_ members: [String: JSONValue], at path: String)
    throws(UserError)
  {
    try checkNames(
      Array(members.keys), ["spec", "ranges", "text"], of: "'\(path)'", at: path + ".")
    if let spec = members["spec"] {
      guard case .text(let text) = spec else { throw invalid(spec, .text, at: "\(path).spec") }
      do { _ = try SelectionSpec(parsing: text) } catch {
        throw UserError(.usage, error.description).about("\(path).spec")
      }
      return
    }
    guard let ranges = members["ranges"] else { throw missing(path, .passage, in: members) }
    guard case .list(let list) = ranges else {
      throw invalid(ranges, .passage, at: "\(path).ranges")
    }
    for (index, range) in list.enumerated() {
      let place = "\(path).ranges.\(index)"
      guard case .object(let ends) = range else { throw invalid(range, .passage, at: place) }
      for name in ["start", "end"] {
        guard let end = ends[name] else { throw missing("\(place).\(name)", .integer) }
        try check(end, .integer, at: "\(place).\(name)")
      }
      if case (.number(let start)?, .number(let end)?) = (ends["start"], ends["end"]), start > end {
        throw UserError(.usage, "'\(place)' ends before its start").about(place)
      }
    }
    guard let text = members["text"] else { throw missing("\(path).text", .digest) }
    try check(text, .digest, at: "\(path).text")
  }

  private static func checkNames(
    _ names: [String], _ allowed: [String], of owner: String, at path: String
  ) throws(UserError) {
    guard let other = names.filter({ !allowed.contains($0) }).min() else { return }
    let near = Spelling.nearest(to: other, among: allowed)
    var error = UserError(
      .usage, "\(owner) has no member '\(other)'",
      hint: near.map { Hint(Spelling.question($0)) }
        ?? (allowed.isEmpty
          ? "it has no members" : "its members are \(allowed.joined(separator: ", "))"),
      candidates: near.map { [$0] } ?? [])
    (error.parameter, error.allowed) = (path + other, allowed)
    throw error
  }

  /// Returns the error for a member that is missing.
  ///
  /// - Parameter members: The present members, for a passage without `spec` and `ranges`.
  private static func missing(
    _ path: String, _ kind: ActionParameter.Kind, in members: [String: JSONValue]? = nil
  ) -> UserError {
    var error = UserError(
      .usage,
      members == nil ? "'\(path)' is missing" : "'\(path)' has neither 'spec' nor 'ranges'",
      hint: Hint("it must be \(description(of: kind))"))
    (error.parameter, error.allowed) = (path, allowed(kind))
    return error
  }

  private static func invalid(_ value: JSONValue, _ kind: ActionParameter.Kind, at path: String)
    -> UserError
  {
    var near: String?
    if case (.choice(let words), .text(let text)) = (kind, value) {
      near = Spelling.nearest(to: text.lowercased(), among: words)
    }
    var error = UserError(
      .usage, "'\(path)' must be \(description(of: kind)), not \(short(value))",
      hint: near.map { Hint(Spelling.question($0)) }, candidates: near.map { [$0] } ?? [])
    (error.parameter, error.allowed) = (path, allowed(kind))
    return error
  }

  private static func allowed(_ kind: ActionParameter.Kind) -> [String] {
    switch kind {
    case .choice(let words), .values(let words?): words
    case .object(let parameters): parameters.map(\.name)
    case .passage: passages
    case .flag: ["true", "false"]
    case .list(let kind): allowed(kind)
    default: []
    }
  }

  private static func description(of kind: ActionParameter.Kind) -> String {
    switch kind {
    case .text: "a string"
    case .integer: "a whole number from 0"
    case .flag: "true or false"
    case .identifier(let record): "the id of a \(record), such as 4-7f3a0c5d9e1b2846"
    case .digest: "a digest of 64 hexadecimal digits"
    case .passage: passages.joined(separator: " or ")
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .object(let parameters):
      "an object with members of \(parameters.map(\.name).joined(separator: ", "))"
    case .values(nil): "an object"
    case .values(let names?): "an object with members of \(names.joined(separator: ", "))"
    case .list(let kind): "a list, each element \(description(of: kind))"
    }
  }

  /// Returns a short form of a value for errors.
  private static func short(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number, .decimal: value.text
    case .text(let text): "'\(text.prefix(60))'"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// Returns the value at a path of names and indices, such as `passage.ranges.0`; null if there is
  /// none.
  func value(at path: String) -> JSONValue {
    path.split(separator: ".").reduce(self) { value, name in
      guard case .list(let list) = value else { return value[String(name)] }
      return Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil } ?? .null
    }
  }
}
