import Editing
import LibraryFormatting
package import Model
package import RichText
import SystemSupport
import Workspace

/// Shows the default format of a document, or of new documents.
package struct ShowDefaultFormat: Action {
  package static let name = "format.default"
  package static let summary = "Shows the default format of a document, or of new documents."
  package static let effect = ActionEffect.reads
  package static let parameters = [DefaultFormatOutcome.subject]
  package static let examples = [ShowDefaultFormat(document: .example)]

  package var document: Document.ID?

  package init(document: Document.ID? = nil) { self.document = document }

  package func run(in session: ActionSession) async throws -> DefaultFormatOutcome {
    let document = try await session.optionalDocument(document)
    return DefaultFormatOutcome(
      document: document, defaults: try await session.library.defaultFormat(of: document))
  }
}

/// Changes the default format of a document, or of new documents.
package struct SetDefaultFormat: Action {
  package static let name = "format.set"
  package static let summary = "Changes the default format of a document, or of new documents."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    DefaultFormatOutcome.subject,
    ActionParameter(
      "set", .values(FormatAttributeParser.names),
      "Attributes with their values, as `diple format` takes them."),
    ActionParameter(
      "reset", .flag, "Removes the document's own default format, or restores Diple's."),
    ActionParameter("preset", .choice(presets.keys.sorted()), "A predefined format."),
    ActionParameter("source", .identifier(.document), "The document of 'passage'."),
    ActionParameter("passage", .passage, "The passage whose format becomes the default."),
    .dryRun,
  ]
  package static let examples = [
    SetDefaultFormat(document: .example, set: ["size": "12"], dryRun: true),
    SetDefaultFormat(reset: true), SetDefaultFormat(preset: "scrivener-3"),
    SetDefaultFormat(
      source: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9)))),
  ]

  /// The predefined formats, by name.
  package static let presets: [String: FormatDefaults] = [
    "diple": .standard, "scrivener-3": .scrivener3,
  ]

  package var document: Document.ID?
  package var set: [String: String]?
  package var reset: Bool?
  package var preset: String?
  package var source: Document.ID?
  package var passage: RequestedPassage?
  package var dryRun: Bool?

  /// Creates the action. Exactly one of `set`, `reset`, `preset`, and `source` with `passage` must
  /// be set.
  package init(
    document: Document.ID? = nil, set: [String: String]? = nil, reset: Bool? = nil,
    preset: String? = nil, source: Document.ID? = nil, passage: RequestedPassage? = nil,
    dryRun: Bool? = nil
  ) {
    (self.document, self.set, self.reset, self.preset) = (document, set, reset, preset)
    (self.source, self.passage, self.dryRun) = (source, passage, dryRun)
  }

  package func run(in session: ActionSession) async throws -> DefaultFormatOutcome {
    let requests = [set != nil, reset == true, preset != nil, passage != nil].count { $0 }
    guard requests == 1, (source == nil) == (passage == nil) else {
      throw UserError(
        .usage, "exactly one of 'set', 'reset', 'preset' and 'source' with 'passage' is needed")
    }
    let library = session.library
    let document = try await session.optionalDocument(document)
    if reset == true, let document {
      try await library.resetDefaultFormat(of: document, dryRun: dryRun == true)
      return DefaultFormatOutcome(
        document: document,
        defaults: dryRun == true ? .standard : try await library.defaultFormat(of: document))
    }
    let new = try await defaults(for: document, in: session)
    try await library.setDefaultFormat(new, of: document, dryRun: dryRun == true)
    return DefaultFormatOutcome(document: document, defaults: new)
  }

  /// Returns the new default format.
  private func defaults(for document: Document?, in session: ActionSession) async throws
    -> FormatDefaults
  {
    let library = session.library
    if let set {
      let change = try FormatChange(set)
      guard !change.onlyClears else {
        throw UserError(
          .usage, "'none' is not possible here: each attribute of the default format has a value",
          hint: "\(action: SetDefaultFormat.name, ["reset": .flag(true)]) restores Diple's default")
      }
      var new = try await library.defaultFormat(of: document)
      new.characters = new.characters.applying(change.characters)
      new.paragraphs = new.paragraphs.applying(change.paragraphs)
      return new
    }
    if let source, let passage {
      let source = try await session.document(source)
      let copied = try await library.format(
        at: try await passage.spec(in: source, of: library), of: source)
      return FormatDefaults(
        characters: copied.characters.removing([.bold, .italic, .underline, .strikethrough, .link]),
        paragraphs: copied.paragraphs.removing([.style, .list]))
    }
    return preset.flatMap { Self.presets[$0] } ?? .standard
  }
}

/// A default format.
package struct DefaultFormatOutcome: ActionOutcome {
  /// The document; nil for new documents.
  package var document: Document?
  package var defaults: FormatDefaults

  fileprivate static let subject = ActionParameter(
    "document", .identifier(.document), "The document; when omitted, new documents.")

  /// The attributes with their values.
  package var attributes: [FormatRecord.AttributeRecord] {
    FormatRecord.lines(defaults.characters, defaults.paragraphs)
  }

  /// The record `diple.default-format/1`.
  private struct Record: Encodable {
    @Nullable var document: HighlightRecord.DocumentReference?
    var attributes: [FormatRecord.AttributeRecord]
  }

  package var json: String {
    JSON.line(
      "diple.default-format/1",
      Record(document: document.map { .init($0) }, attributes: attributes))
  }
}

/// Copies the format of a passage under a name, to apply it to other passages.
package struct CopyFormat: Action {
  package static let name = "format.copy"
  package static let summary = "Copies the format of a passage, to apply it to other passages."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.document,
    ActionParameter("passage", .passage, "The passage.", isRequired: true),
    ActionParameter("as", .text, "The name of the copied format; \"default\" when omitted."),
  ]
  package static let examples = [
    CopyFormat(
      document: .example, passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))), as: "x")
  ]

  package var document: Document.ID
  package var passage: RequestedPassage
  package var `as`: String?

  package init(document: Document.ID, passage: RequestedPassage, as name: String? = nil) {
    (self.document, self.passage, self.as) = (document, passage, name)
  }

  /// The record `diple.copied-format/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package var name: String
    package var attributes: [FormatRecord.AttributeRecord]

    package var json: String { JSON.line("diple.copied-format/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    let name = `as` ?? "default"
    let copied = try await session.library.copyFormat(
      of: document, try await passage.spec(in: document, of: session.library), as: name)
    return Outcome(
      name: name, attributes: FormatRecord.lines(copied.characters, copied.paragraphs))
  }
}

/// Sets the margins of a document's pages.
package struct SetMargins: Action {
  package static let name = "format.margins"
  package static let summary = "Sets the margins of a document."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.document,
    ActionParameter(
      "margins", .choice(EditorMargins.Name.allCases.map(\.rawValue)), "The margins.",
      isRequired: true),
    .dryRun,
  ]
  package static let examples = [SetMargins(document: .example, margins: .wide, dryRun: true)]

  package var document: Document.ID
  package var margins: EditorMargins.Name
  package var dryRun: Bool?

  package init(document: Document.ID, margins: EditorMargins.Name, dryRun: Bool? = nil) {
    (self.document, self.margins, self.dryRun) = (document, margins, dryRun)
  }

  package struct Outcome: ActionOutcome {
    package var document: Document
    package var margins: EditorMargins.Name

    /// The record `diple.margins/1`, in points.
    private struct Record: Encodable {
      var document: HighlightRecord.DocumentReference
      var margins: String
      var sides: Int
      var ends: Int
    }

    package var json: String {
      JSON.line(
        "diple.margins/1",
        Record(
          document: .init(document), margins: margins.rawValue,
          sides: margins.margins.sides.count / 20, ends: margins.margins.ends.count / 20))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    try await session.library.setMargins(margins, of: document, dryRun: dryRun == true)
    return Outcome(document: document, margins: margins)
  }
}

extension EditorMargins.Name: Codable {}

extension ActionSession {
  /// Returns the document with an id; nil for nil.
  fileprivate func optionalDocument(_ id: Document.ID?) async throws -> Document? {
    guard let id else { return nil }
    return try await document(id)
  }
}
