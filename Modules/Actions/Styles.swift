import Editing
import LibraryFormatting
package import Model
import RichText
import SystemSupport
import Workspace

/// Lists the styles of paragraphs.
package struct ListStyles: Action {
  package static let name = "style.list"
  package static let summary = "Lists the styles of paragraphs, built-in ones included."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListStyles()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var styles: [StyleRecord]

    package var json: String { JSON.line("diple.styles/1", styles) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let sheet = try await session.library.styles()
    return Outcome(styles: sheet.styles.map { StyleRecord($0, sheet) })
  }
}

/// Shows a style.
package struct ShowStyle: Action {
  package static let name = "style.show"
  package static let summary = "Shows the attributes of a style."
  package static let effect = ActionEffect.reads
  package static let parameters = [StyleRecord.style]
  package static let examples = [ShowStyle(style: "Block Quote")]

  package var style: String

  package init(style: String) { self.style = style }

  package func run(in session: ActionSession) async throws -> StyleOutcome {
    let style = try await session.style(style)
    let sheet = try await session.library.styles()
    let whole = sheet.resolved(style.id)
    var outcome = StyleOutcome(style, sheet)
    outcome.resolved = FormatRecord.lines(whole.characters, whole.paragraphs)
    return outcome
  }
}

/// Saves the format of a passage as a style, or changes the style of that name.
package struct SaveStyle: Action {
  package static let name = "style.save"
  package static let summary = "Saves the attributes that are set on a passage as a style."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    StyleRecord.style, .document,
    ActionParameter("passage", .passage, "The passage, a SPEC.", isRequired: true),
    ActionParameter("basedOn", .text, "The style to inherit from."), .dryRun,
  ]
  package static let examples = [
    SaveStyle(
      style: "Aside", document: .example,
      passage: .spec(SelectionSpec(units: TextRange(utf16: 3..<9))), basedOn: "body", dryRun: true)
  ]

  package var style: String
  package var document: Document.ID
  package var passage: RequestedPassage
  package var basedOn: String?
  package var dryRun: Bool?

  package init(
    style: String, document: Document.ID, passage: RequestedPassage, basedOn: String? = nil,
    dryRun: Bool? = nil
  ) {
    (self.style, self.document, self.passage) = (style, document, passage)
    (self.basedOn, self.dryRun) = (basedOn, dryRun)
  }

  package func run(in session: ActionSession) async throws -> StyleOutcome {
    guard style.lowercased() != "none" else {
      throw UserError(.usage, "'none' cannot be the name of a style").about("style")
    }
    let document = try await session.document(document)
    let (style, isNew) = try await session.library.saveStyle(
      style, of: document, passage.spec(), basedOn: basedOn, dryRun: dryRun ?? false)
    var outcome = StyleOutcome(style, try await session.library.styles())
    outcome.isNew = isNew
    return outcome
  }
}

/// Changes attributes of a style.
package struct ChangeStyle: Action {
  package static let name = "style.change"
  package static let summary = "Changes attributes of a style."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    StyleRecord.style,
    ActionParameter(
      "set", .values(FormatAttributeParser.names),
      "Attributes with their values; 'none' lets an attribute be inherited."),
    ActionParameter(
      "key", .text, "The digit that applies the style in palettes; \"none\" for the usual one."),
    .dryRun,
  ]
  package static let examples = [
    ChangeStyle(style: "Block Quote", set: ["indent head": "24"], dryRun: true),
    ChangeStyle(style: "Block Quote", key: "9", dryRun: true),
  ]

  package var style: String
  package var set: [String: String]?
  package var key: String?
  package var dryRun: Bool?

  /// Creates the action. Either `set` or `key` must be set.
  package init(
    style: String, set: [String: String]? = nil, key: String? = nil, dryRun: Bool? = nil
  ) {
    (self.style, self.set, self.key, self.dryRun) = (style, set, key, dryRun)
  }

  package func run(in session: ActionSession) async throws -> StyleOutcome {
    let style = try await session.style(style)
    guard (set == nil) != (key == nil) else {
      throw UserError(.usage, "exactly one of 'set' and 'key' is needed")
    }
    let before = try await session.library.styles()
    let changed: NamedStyle
    if let key {
      guard key == "none" || Int(key) != nil else {
        throw UserError(
          .usage, "the key of a style is a digit, 0 to 9, or none, not '\(key.oneLine)'"
        ).about("key")
      }
      changed = try await session.library.setKey(Int(key), of: style, dryRun: dryRun ?? false)
    } else {
      changed = try await session.library.change(
        style, try FormatChange(set ?? [:]), dryRun: dryRun ?? false)
    }
    var outcome = StyleOutcome(changed, try await session.library.styles())
    if let digit = key.flatMap({ Int($0) }) {
      outcome.formerKeyHolder =
        before.styles.first {
          $0.id != style.id && before.key(of: $0) == digit
        }?.title
    }
    return outcome
  }
}

/// Removes a style, or restores a built-in one.
package struct RemoveStyle: Action {
  package static let name = "style.remove"
  package static let summary = "Removes a style, or undoes the changes of a built-in one."
  package static let effect = ActionEffect.writes
  package static let parameters = [StyleRecord.style, .dryRun]
  package static let examples = [RemoveStyle(style: "Aside", dryRun: true)]

  package var style: String
  package var dryRun: Bool?

  package init(style: String, dryRun: Bool? = nil) { (self.style, self.dryRun) = (style, dryRun) }

  package func run(in session: ActionSession) async throws -> StyleOutcome {
    let style = try await session.style(style)
    let sheet = try await session.library.styles()
    try await session.library.removeStyle(style, dryRun: dryRun ?? false)
    return StyleOutcome(style, sheet)
  }
}

/// A style that was shown, changed or removed.
package struct StyleOutcome: ActionOutcome {
  package var style: StyleRecord
  /// Whether the action created the style.
  package var isNew = false
  /// The title of the style that lost its digit to the changed one; nil if none did.
  package var formerKeyHolder: String?
  /// All attributes, including inherited ones. Only `ShowStyle` sets them.
  package var resolved: [FormatRecord.AttributeRecord] = []

  /// Creates the outcome for a style of a sheet, or for a preview of its change.
  init(_ style: NamedStyle, _ sheet: StyleSheet) { self.style = StyleRecord(style, sheet) }

  package var json: String { JSON.line("diple.style/1", style) }
}

/// A style, a record of the schema `diple.style/1`. The attributes are those of the style itself,
/// without inherited ones.
package struct StyleRecord: Encodable, Sendable {
  package var id: String
  package var title: String
  @Nullable package var basedOn: String?
  package var builtIn: Bool
  package var changed: Bool
  /// The digit that applies the style in palettes; nil if there is none.
  @Nullable package var key: Int?
  package var attributes: [FormatRecord.AttributeRecord]

  // The parameter that the actions share.
  fileprivate static let style = ActionParameter(
    "style", .text, "The name of the style.", isRequired: true)

  init(_ style: NamedStyle, _ sheet: StyleSheet) {
    id = style.id.name
    title = style.title
    basedOn = style.basedOn?.name
    builtIn = StyleSheet.isBuiltIn(style.id)
    changed = builtIn && !StyleSheet.builtIn.contains(style)
    key = style.key ?? sheet.key(of: style)
    attributes = FormatRecord.lines(style.characters, style.paragraphs)
  }
}

extension ActionSession {
  /// Returns the style with a name. Throws `notFound` if it does not exist.
  fileprivate func style(_ name: String) async throws -> NamedStyle {
    do throws(UserError) { return try await library.style(name) } catch {
      throw error.about("style")
    }
  }
}
