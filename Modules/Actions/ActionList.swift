import FoundationEssentials
package import SystemSupport

/// All actions.
package enum ActionList {
  /// The actions, in the order of a list. A new action needs a line here and its own file.
  package static let all: [any Action.Type] = [
    MarkPassages.self, ShowHighlight.self, ChangeHighlight.self, RemoveHighlights.self,
    RestoreHighlights.self, AcceptPlace.self, DetachHighlight.self, ListTags.self,
    ListColors.self, DocumentStatistics.self, UndoStep.self, RedoStep.self,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the action with a name, or nil.
  package static func action(named name: String) -> (any Action.Type)? { byName[name] }

  /// The actions as `diple.actions/1`.
  package static var json: String { JSON.line("diple.actions/1", all.map(ActionRecord.init)) }
}

extension Action {
  /// Creates an action from the JSON of a request.
  ///
  /// - Throws: ``UserError`` with the code `usage`, which names the member, if the JSON is no
  ///   request of this kind or has an unknown member.
  package init(json: [UInt8]) throws(UserError) {
    let decoder = JSONDecoder()
    let names = Set(Self.parameters.map(\.name))
    do {
      let members = try decoder.decode([String: Ignored].self, from: Data(json))
      if let other = members.keys.filter({ !names.contains($0) }).min() {
        throw UserError(
          .usage, "\(Self.name) has no member '\(other)'",
          hint: names.isEmpty ? "it has none" : "it has \(names.sorted().joined(separator: ", "))")
      }
      self = try decoder.decode(Self.self, from: Data(json))
    } catch let error as UserError {
      throw error
    } catch let error as DecodingError {
      throw UserError(.usage, "invalid request for \(Self.name): \(error.place)")
    } catch {
      throw UserError(.usage, "invalid request for \(Self.name)")
    }
  }
}

/// Any JSON value, of which only the presence counts.
private struct Ignored: Decodable {
  init(from decoder: any Decoder) {}
}

extension DecodingError {
  /// The member that is missing or wrong.
  fileprivate var place: String {
    func name(_ path: [any CodingKey]) -> String {
      let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
      return names.isEmpty ? "the body" : "'\(names.joined(separator: "."))'"
    }
    return switch self {
    case .keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      "\(name(context.codingPath)) is not valid"
    @unknown default: "it cannot be read"
    }
  }
}

/// An action, an element of `diple.actions/1`.
private struct ActionRecord: Encodable {
  var name: String
  var summary: String
  var effect: ActionEffect
  /// The JSON schema of the request.
  var request: ActionSchema

  init(_ action: any Action.Type) {
    (name, summary, effect) = (action.name, action.summary, action.effect)
    request = ActionSchema(of: action)
  }
}
