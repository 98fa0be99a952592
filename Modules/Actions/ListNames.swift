package import Model
package import Workspace

/// Lists the tags in use.
package struct ListTags: Action {
  package static let name = "library.tags"
  package static let summary = "Lists the tags in use, with the number of highlights."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListTags()]

  package init() {}

  package struct Outcome: ActionOutcome {
    /// A tag and the number of highlights that have it, an element of `diple.tags/1`.
    package struct Tag: Encodable, Sendable {
      package var name: String
      package var highlights: Int
    }

    /// The tags, sorted by name.
    package var tags: [Tag]

    package var json: String { JSON.line("diple.tags/1", tags) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(
      tags: try await session.library.tags().map {
        Outcome.Tag(name: $0.name, highlights: $0.count)
      })
  }
}

/// Lists the four colours with their names in the library.
package struct ListColors: Action {
  package static let name = "library.colors"
  package static let summary = "Lists the colours with their names in the library."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListColors()]

  package init() {}

  package func run(in session: ActionSession) async throws -> ColorsOutcome {
    ColorsOutcome(labels: try await session.library.labels())
  }
}

/// Sets the name of a colour. An empty name removes the name.
package struct LabelColor: Action {
  package static let name = "library.label"
  package static let summary = "Names a colour in the library."
  package static let effect = ActionEffect.writes
  package static let opening = Library.Opening.create
  package static let parameters = [
    ActionParameter("color", .color, "The colour.", isRequired: true),
    ActionParameter("label", .text, "The name; an empty one removes it.", isRequired: true),
    .dryRun,
  ]
  package static let examples = [LabelColor(color: .green, label: "question", dryRun: true)]

  package var color: HighlightColor
  package var label: String
  package var dryRun: Bool?

  package init(color: HighlightColor, label: String, dryRun: Bool? = nil) {
    (self.color, self.label, self.dryRun) = (color, label, dryRun)
  }

  package func run(in session: ActionSession) async throws -> ColorsOutcome {
    if dryRun != true { try await session.library.setLabel(color, label) }
    var outcome = ColorsOutcome(labels: try await session.library.labels())
    if dryRun == true { outcome.labels[color] = label.isEmpty ? nil : label }
    return outcome
  }
}

/// The colours and their names.
package struct ColorsOutcome: ActionOutcome {
  /// A colour and its name, an element of `diple.colors/1`.
  private struct Record: Encodable {
    var color: HighlightColor
    @Nullable var label: String?
  }

  /// The names of the colours that have one.
  package var labels: [HighlightColor: String]

  package init(labels: [HighlightColor: String]) { self.labels = labels }

  package var json: String {
    JSON.line(
      "diple.colors/1",
      HighlightColor.allCases.map { Record(color: $0, label: labels[$0]) })
  }
}
