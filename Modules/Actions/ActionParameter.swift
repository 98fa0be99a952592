import Model

/// A member of an action's request.
package struct ActionParameter: Hashable, Sendable {
  /// The kind of a value, with its JSON schema.
  package indirect enum Kind: Hashable, Sendable {
    case text
    case integer
    case flag
    /// The id of a record, as `4-7f3a0c5d9e1b2846`.
    case identifier(Record)
    /// A digest of a rendered text, in hexadecimal digits.
    case digest
    /// A passage: `{"spec": …}`, or `{"ranges": […], "text": …}`.
    case passage
    /// One of the given words.
    case choice([String])
    /// An object with texts as values. Its members can have these names, or any name if nil.
    case values([String]?)
    case list(Kind)
    /// An object with these members.
    case object([ActionParameter])

    /// One of the four colours.
    static let color = Kind.choice(HighlightColor.allCases.map(\.rawValue))
  }

  /// The kind of a record.
  package enum Record: String, Hashable, Sendable { case document, highlight }

  package var name: String
  package var kind: Kind
  /// Whether a request without this member is refused.
  package var isRequired: Bool
  /// A sentence that describes the value.
  package var summary: String

  init(_ name: String, _ kind: Kind, _ summary: String, isRequired: Bool = false) {
    (self.name, self.kind, self.isRequired, self.summary) = (name, kind, isRequired, summary)
  }

  static let document = ActionParameter(
    "document", .identifier(.document), "The document.", isRequired: true)
  static let documents = ActionParameter(
    "documents", .list(.identifier(.document)), "The documents; all when omitted.")
  static let highlight = ActionParameter(
    "highlight", .identifier(.highlight), "The highlight.", isRequired: true)
  static let highlights = ActionParameter(
    "highlights", .list(.identifier(.highlight)), "The highlights.", isRequired: true)
  static let chosenHighlights = ActionParameter(
    "highlights", .list(.identifier(.highlight)), "The highlights, unless there is a filter.")
  static let chosenByFilter = ActionParameter(
    "filter", .text, "Chooses the highlights by a filter, such as \"color:green -#old\".")
  static let filter = ActionParameter(
    "filter", .text, "Only highlights that a filter matches, such as \"color:green -#old\".")
  static let dryRun = ActionParameter(
    "dryRun", .flag, "Reports the change and stores nothing.")

  /// The members that all searches in texts have.
  static let matching = [
    ActionParameter("query", .text, "The text or pattern.", isRequired: true),
    ActionParameter("strategy", .text, "The search strategy; literal when omitted."),
    ActionParameter(
      "case", .choice(SearchLibrary.Case.allCases.map(\.rawValue)),
      "Whether case matters; smart, the default, ignores case unless the query has a capital."),
    ActionParameter("wholeWords", .flag, "Finds whole words only."),
    ActionParameter("ignoreDiacritics", .flag, "Ignores diacritics."),
  ]

  /// The members that choose highlights.
  static let filters = [
    documents,
    ActionParameter("colors", .list(.color), "Only highlights of one of these colours."),
    ActionParameter("tags", .list(.text), "Only highlights with all of these tags."),
    ActionParameter(
      "states", .list(.choice(AnchorState.allCases.map(\.rawValue))),
      "Only highlights in one of these states."),
    ActionParameter(
      "since", .text,
      "Only highlights created or changed since this time, such as 2026-01-31T12:00:00Z, "
        + "2026-01-31 or 7d."),
  ]
}

/// The schema of a request, in the part of JSON Schema that requests need.
package final class ActionSchema: Encodable, Sendable {
  // A class, because a schema contains schemas.
  let type: String?
  let description: String?
  let pattern: String?
  let minimum: Int?
  let `enum`: [String]?
  let items: ActionSchema?
  let properties: [String: ActionSchema]?
  let required: [String]?
  let additionalProperties: Bool?
  let oneOf: [ActionSchema]?

  private init(
    type: String? = nil, description: String? = nil, pattern: String? = nil, minimum: Int? = nil,
    choices: [String]? = nil, items: ActionSchema? = nil,
    properties: [String: ActionSchema]? = nil, required: [String]? = nil,
    oneOf: [ActionSchema]? = nil
  ) {
    (self.type, self.description, self.pattern, self.minimum) =
      (type, description, pattern, minimum)
    (self.`enum`, self.items, self.properties, self.required, self.oneOf) =
      (choices, items, properties, required, oneOf)
    additionalProperties = properties == nil ? nil : false
  }

  /// Creates the schema of an action's request.
  package convenience init(of action: any Action.Type) {
    self.init(of: action.parameters, action.summary)
  }

  private convenience init(of members: [ActionParameter], _ summary: String) {
    self.init(
      object: members.map { ($0.name, ActionSchema(of: $0.kind, $0.summary)) },
      required: members.filter(\.isRequired).map(\.name), summary)
  }

  private convenience init(
    object members: [(String, ActionSchema)], required: [String], _ summary: String
  ) {
    self.init(
      type: "object", description: summary, properties: Dictionary(uniqueKeysWithValues: members),
      required: required)
  }

  private convenience init(of kind: ActionParameter.Kind, _ summary: String) {
    switch kind {
    case .text: self.init(type: "string", description: summary)
    case .integer: self.init(type: "integer", description: summary, minimum: 0)
    case .flag: self.init(type: "boolean", description: summary)
    case .identifier:
      self.init(type: "string", description: summary, pattern: "^[1-9][0-9]*-[0-9a-f]{16}$")
    case .digest: self.init(type: "string", description: summary, pattern: "^[0-9a-f]{64}$")
    case .choice(let words): self.init(type: "string", description: summary, choices: words)
    case .values(nil): self.init(type: "object", description: summary)
    case .values(let names?):
      self.init(object: names.map { ($0, ActionSchema(of: .text, "")) }, required: [], summary)
    case .object(let members): self.init(of: members, summary)
    case .list(let kind):
      self.init(type: "array", description: summary, items: ActionSchema(of: kind, ""))
    case .passage:
      let offset = ActionSchema(of: .integer, "An offset in UTF-16 units of the rendered text.")
      let range = ActionSchema(
        object: [("start", offset), ("end", offset)], required: ["start", "end"],
        "A range; the end is the first unit after it.")
      self.init(
        description: summary,
        oneOf: [
          ActionSchema(
            object: [
              (
                "spec",
                ActionSchema(of: .text, "A SPEC, as in `diple mark`, such as \"exact words\".")
              )
            ],
            required: ["spec"], "A passage by a SPEC, in the current text."),
          ActionSchema(
            object: [
              (
                "ranges",
                ActionSchema(type: "array", description: "1 to 100 ranges.", items: range)
              ),
              ("text", ActionSchema(of: .digest, "The digest of the text that was shown.")),
            ],
            required: ["ranges", "text"], "Ranges of a text that was shown."),
        ])
    }
  }
}

extension Identifier {
  /// An id for examples of requests.
  static var example: Self { Self(Dot(replica: ReplicaID(rawValue: 1), sequence: 4)) }
}
