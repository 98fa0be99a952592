import Editing
import LibraryFormatting
package import Model
package import RichText
package import SystemSupport
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
      document: document, defaults: try await session.library.defaultFormat(of: document),
      margins: try await session.library.margins(of: document))
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
        defaults: dryRun == true ? .standard : try await library.defaultFormat(of: document),
        margins: try await library.margins(of: document))
    }
    if reset == true {
      try await library.resetDefaults(dryRun: dryRun == true)
      return DefaultFormatOutcome(document: nil, defaults: .standard, margins: nil)
    }
    let new = try await defaults(for: document, in: session)
    try await library.setDefaultFormat(new, of: document, dryRun: dryRun == true)
    return DefaultFormatOutcome(
      document: document, defaults: new, margins: try await library.margins(of: document))
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
      // Attributes that nothing sets on the page have the default values of the document.
      return FormatDefaults(
        characters: copied.characters.removing([.bold, .italic, .underline, .strikethrough, .link]),
        paragraphs: copied.paragraphs.removing([.style, .list])
      ).inheriting(try await library.defaultFormat(of: source))
    }
    return preset.flatMap { Self.presets[$0] } ?? .standard
  }
}

/// A default format, with the margins.
package struct DefaultFormatOutcome: ActionOutcome {
  /// The document; nil for new documents.
  package var document: Document?
  package var defaults: FormatDefaults
  /// The margins; nil if none are set.
  package var margins: EditorMargins?

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
    @Nullable var margins: MarginsRecord?
  }

  package var json: String {
    JSON.line(
      "diple.default-format/1",
      Record(
        document: document.map { .init($0) }, attributes: attributes,
        margins: margins.map(MarginsRecord.init)))
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

/// Sets the margins of a document, or of new documents.
package struct SetMargins: Action {
  package static let name = "format.margins"
  package static let summary = "Sets the margins of a document, or of new documents."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    DefaultFormatOutcome.subject,
    ActionParameter(
      "margins", .choice(names), "Predefined margins, or \"none\" to remove the margins."),
    ActionParameter("left", .text, "The left margin, such as 40, 1.5cm or 0.5in."),
    ActionParameter("right", .text, "The right margin."),
    ActionParameter("top", .text, "The margin above the text."),
    ActionParameter("bottom", .text, "The margin below the text."),
    .dryRun,
  ]
  package static let examples = [
    SetMargins(document: .example, margins: "wide", dryRun: true),
    SetMargins(document: .example, left: "50", right: "1.5cm", top: "20", bottom: "0.5in"),
    SetMargins(margins: "none"),
  ]

  /// The predefined margins, and `none`.
  package static let names = EditorMargins.Name.allCases.map(\.rawValue) + ["none"]

  package var document: Document.ID?
  package var margins: String?
  package var left: String?
  package var right: String?
  package var top: String?
  package var bottom: String?
  package var dryRun: Bool?

  /// Creates the action. Sides without a value are those of `margins` or, if that is nil, stay
  /// unchanged. At least one value must be set.
  package init(
    document: Document.ID? = nil, margins: String? = nil, left: String? = nil,
    right: String? = nil, top: String? = nil, bottom: String? = nil, dryRun: Bool? = nil
  ) {
    (self.document, self.margins, self.dryRun) = (document, margins, dryRun)
    (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
  }

  package struct Outcome: ActionOutcome {
    /// The document; nil for new documents.
    package var document: Document?
    /// The margins; nil if they were removed.
    package var margins: EditorMargins?

    private struct Record: Encodable {
      @Nullable var document: HighlightRecord.DocumentReference?
      @Nullable var margins: MarginsRecord?
    }

    package var json: String {
      JSON.line(
        "diple.margins/2",
        Record(document: document.map { .init($0) }, margins: margins.map(MarginsRecord.init)))
    }
  }

  /// Sets the margins.
  ///
  /// - Throws: `usage` for unknown margins, or if there is no value; the errors of
  ///   `Library.setMargins`.
  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.optionalDocument(document)
    let sides = [left, right, top, bottom]
    guard margins != nil || sides.contains(where: { $0 != nil }) else {
      throw UserError(.usage, "the request has no margins")
    }
    var new: EditorMargins?
    if margins != "none" {
      new = try await base(of: document, in: session)
    } else if sides.contains(where: { $0 != nil }) {
      throw UserError(.usage, "'none' cannot be combined with the margin of a side")
    }
    if let left { new?.left = try FormatAttributeParser.length(left, "left margin") }
    if let right { new?.right = try FormatAttributeParser.length(right, "right margin") }
    if let top { new?.top = try FormatAttributeParser.length(top, "top margin") }
    if let bottom { new?.bottom = try FormatAttributeParser.length(bottom, "bottom margin") }
    try await session.library.setMargins(new, of: document, dryRun: dryRun == true)
    return Outcome(document: document, margins: new)
  }

  /// Returns the margins of which sides are changed.
  private func base(of document: Document?, in session: ActionSession) async throws
    -> EditorMargins
  {
    try checkName()
    if let name = margins.flatMap(EditorMargins.Name.init) { return name.margins }
    return try await session.library.margins(of: document) ?? .standard
  }

  /// Checks the name of the predefined margins.
  ///
  /// - Throws: `usage` for an unknown name.
  package func checkName() throws(UserError) {
    guard let margins, !Self.names.contains(margins) else { return }
    throw UserError(
      .usage, "there are no margins '\(margins.oneLine)'",
      hint: Spelling.suggestion(for: margins, among: Self.names).map { Hint($0) }
        ?? Hint("one of \(Self.names.joined(separator: ", "))")
    ).about("margins")
  }
}

/// The margins of a document in JSON, in points.
package struct MarginsRecord: Encodable, Sendable {
  /// The name of predefined margins; nil for others.
  @Nullable var name: String?
  var left: Double
  var right: Double
  var top: Double
  var bottom: Double

  package init(_ margins: EditorMargins) {
    name = margins.name?.rawValue
    (left, right) = (margins.left.points, margins.right.points)
    (top, bottom) = (margins.top.points, margins.bottom.points)
  }
}

extension ActionSession {
  /// Returns the document with an id; nil for nil.
  fileprivate func optionalDocument(_ id: Document.ID?) async throws -> Document? {
    guard let id else { return nil }
    return try await document(id)
  }
}
