package import SystemSupport
package import Workspace

/// An operation on a library that every front-end offers in the same way.
///
/// A command creates an action from its options. A page of `diple serve` creates it from JSON. Both
/// run the action in a session and present the same typed outcome.
///
/// ```swift
/// let change = ChangeHighlight(highlight: id, color: .green, addTags: ["todo"])
/// let outcome = try await change.run(in: ActionSession(library))
/// print(outcome.json)  // {"data":{…},"schema":"diple.highlight/1"}
/// ```
package protocol Action: Codable, Hashable, Sendable {
  associatedtype Outcome: ActionOutcome

  /// The name in requests, as `subject.verb`, such as `highlight.mark`.
  static var name: String { get }
  /// A sentence that describes the action in lists.
  static var summary: String { get }
  /// The permission that a caller needs.
  static var effect: ActionEffect { get }
  /// The way in which a front-end opens the library for the action. By default, a reading action
  /// opens the library read-only, or uses an empty one if it does not exist. Other actions need an
  /// existing library.
  static var opening: Library.Opening { get }
  /// The members of the request, in the order in which they are listed. A test compares them with
  /// the JSON of `examples`.
  static var parameters: [ActionParameter] { get }
  /// Requests that together use every parameter.
  static var examples: [Self] { get }

  /// Runs the action.
  ///
  /// - Throws: ``UserError``; ``ActionRefusal`` if the caller needs additional values to choose the
  ///   next step.
  func run(in session: ActionSession) async throws -> Outcome
}

extension Action {
  package static var opening: Library.Opening { effect == .reads ? .readOnlyOrEmpty : .existing }
}

/// The result of an action.
package protocol ActionOutcome: Sendable {
  /// The JSON for programs, the same in every front-end: `data` and the name of its `schema`.
  var json: String { get }
}

/// The effect of an action on the library.
package enum ActionEffect: String, Hashable, Sendable, Encodable {
  /// Reads the library and its files. Updates the places of highlights if a file has changed.
  case reads
  /// Changes the library or files below it.
  case writes
  /// Adds, removes or relinks documents, imports, deletes permanently, or changes syncing or
  /// settings. Only the user of the machine may do this, not a device on the network.
  case administers
}

/// An error with values that let the user choose the next step.
package struct ActionRefusal: Error {
  /// The error that a front-end without details would show.
  package var error: UserError
  /// The values, such as the candidates for a passage.
  package var details: any Encodable & Sendable

  init(_ error: UserError, _ details: any Encodable & Sendable) {
    (self.error, self.details) = (error, details)
  }
}
