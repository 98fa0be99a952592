package import Editing
import FoundationEssentials
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Storage
package import SystemSupport

extension JSONValue {
  /// The value as JSON with sorted keys, on one line.
  var stored: String {
    guard let data = try? JSONEncoder.ordered().encode(self) else {
      preconditionFailure("a value of JSON is JSON")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Library {
  /// The style that a person means: by its id or title, whatever their case.
  ///
  /// - Throws: `notFound` with a near name.
  package func style(_ name: String) throws(UserError) -> NamedStyle {
    let styles = try styles().styles
    let folded = name.lowercased()
    if let style = styles.first(where: { $0.id.name == folded || $0.title.lowercased() == folded })
    {
      return style
    }
    throw UserError(
      .notFound, "there is no style '\(name.oneLine)'",
      hint: nearestMatch(to: folded, among: styles.map(\.id.name)).map { "did you mean '\($0)'?" }
        ?? "\(command: "style", "list") shows the styles")
  }

  /// Stores what a passage has of its own as a style; text that uses the style follows.
  ///
  /// - Returns: the style, and whether there was one of that name.
  package func saveStyle(
    _ title: String, of document: Document, _ spec: SelectionSpec, basedOn base: String? = nil,
    dryRun: Bool = false
  ) throws(UserError) -> (style: NamedStyle, isNew: Bool) {
    let base = try base.map { (name) throws(UserError) in try style(name).id }
    let open = try open(document)
    let range = try select(spec, in: open)
    var format = try format(of: open)
    let isNew = StyleID(title: title).map { format.text.styles[$0] == nil } ?? true
    var saved: NamedStyle
    do {
      saved = try format.text.saveStyle(title: title, from: range.utf16, format.context)
      if let base { saved.basedOn = base }
      try format.text.styles.store(saved)
    } catch { throw UserError(.usage, error.description) }
    try set(saved, dryRun: dryRun)
    return (saved, isNew)
  }

  /// Changes what a style says; text that uses it follows.
  ///
  /// - Throws: `nothing` when it says that already, `usage` for values out of their limits.
  package func change(_ style: NamedStyle, _ change: FormatChange, dryRun: Bool = false)
    throws(UserError) -> NamedStyle
  {
    if let problem = change.problem(within: .commands) {
      throw UserError(.usage, problem.description)
    }
    var style = style
    style.characters = style.characters.applying(change.characters)
    style.paragraphs = style.paragraphs.applying(change.paragraphs)
    try set(style, dryRun: dryRun)
    return style
  }

  private func set(_ style: NamedStyle, dryRun: Bool) throws(UserError) {
    var sheet = try styles()
    do { try sheet.store(style) } catch { throw UserError(.usage, error.description) }
    let value = StyleSheet.builtIn.contains(style) ? "" : style.json.stored
    let changed = try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(JournalStep(label: "set the style '\(style.title)'"))
        return try transaction.setProperty(.style(style.id.name), value, of: .library)
      }
    }
    guard changed else { throw UserError(.nothing, "the style '\(style.title)' says that already") }
  }

  /// Removes a style of the library's own; a style that every library has is as it was. Text that uses a
  /// removed one looks like the body's, and gets its look again when the style comes back.
  ///
  /// - Throws: `nothing` for a style that every library has, and nobody changed.
  package func removeStyle(_ style: NamedStyle, dryRun: Bool = false) throws(UserError) {
    var sheet = try styles()
    let isBuiltIn = StyleSheet.isBuiltIn(style.id)
    if isBuiltIn, StyleSheet.builtIn.contains(style) {
      throw UserError(.nothing, "the style '\(style.title)' was never changed")
    }
    let heirs = sheet.styles.filter { $0.basedOn == style.id }
    if !isBuiltIn {
      do { try sheet.remove(style.id) } catch { throw UserError(.usage, error.description) }
    }
    let now = sheet
    try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(
          JournalStep(label: "\(isBuiltIn ? "reset" : "removed") the style '\(style.title)'"))
        _ = try transaction.setProperty(.style(style.id.name), "", of: .library)
        // What inherited from it inherits from what it inherited from.
        for heir in isBuiltIn ? [] : heirs {
          guard let heir = now[heir.id] else { continue }
          _ = try transaction.setProperty(.style(heir.id.name), heir.json.stored, of: .library)
        }
      }
    }
  }

  // MARK: - Defaults

  /// The format of text for which nothing else says one: of documents that are added from now on, or of
  /// one document.
  package func defaultFormat(of document: Document? = nil) throws(UserError) -> FormatDefaults {
    guard let document else {
      return try storage {
        try store.read {
          defaults(try $0.properties()[.defaultFormat], else: .standard, in: $0)
        }
      }
    }
    let open = try open(document)
    let format = try format(of: open)
    return FormatDefaults(
      characters: format.text.defaults.characters.inheriting(format.context.application.characters),
      paragraphs: format.text.defaults.paragraphs.inheriting(format.context.application.paragraphs))
  }

  /// Sets the format of documents that are added from now on, or of one document. Documents that are
  /// there keep theirs.
  ///
  /// - Throws: `nothing` when it is so already, `usage` for values out of their limits, links and styles.
  package func setDefaultFormat(
    _ defaults: FormatDefaults, of document: Document? = nil, dryRun: Bool = false
  ) throws(UserError) {
    let change = FormatChange(
      characters: defaults.characters.values.map { .set($0) },
      paragraphs: defaults.paragraphs.values.map { .set($0) })
    if let problem = change.problem(within: .commands) {
      throw UserError(.usage, problem.description)
    }
    let isStandard = document == nil && defaults == .standard
    let value = isStandard ? "" : defaults.json.stored
    try setProperty(
      .defaultFormat, value, of: document, dryRun: dryRun,
      label: document.map { "set the default format of \($0.path.string)" }
        ?? "set the default format", same: "that is the default already")
  }

  /// Lets a document have the format that was the default when it was added.
  package func resetDefaultFormat(of document: Document, dryRun: Bool = false) throws(UserError) {
    try setProperty(
      .defaultFormat, "", of: document, dryRun: dryRun,
      label: "reset the default format of \(document.path.string)",
      same: "\(document.path.string) has no default format of its own")
  }

  // MARK: - Margins and notes

  /// The margins around a document in an editor.
  package func margins(of document: Document) throws(UserError) -> EditorMargins.Name {
    try property(.margins, of: document).flatMap(EditorMargins.Name.init) ?? .standard
  }

  /// Sets the margins around a document in an editor.
  package func setMargins(
    _ margins: EditorMargins.Name, of document: Document, dryRun: Bool = false
  )
    throws(UserError)
  {
    try setProperty(
      .margins, margins == .standard ? "" : margins.rawValue, of: document, dryRun: dryRun,
      label: "set the margins of \(document.path.string): \(margins.rawValue)",
      same: "the margins of \(document.path.string) are \(margins.rawValue) already")
  }

  /// The note on a document; nil when there is none.
  package func note(of document: Document) throws(UserError) -> AttributedText? {
    let stored = try storage { try store.read { try $0.values(of: .note, in: document.id) } }
    var notes: [AttributedText] = []
    for (_, value) in stored {
      let note: AttributedText
      do { note = try AttributedText(json: Array(value.utf8)) } catch {
        throw UserError(.damaged, "the note of \(document.path.string) cannot be read: \(error)")
      }
      if !notes.contains(note) { notes.append(note) }
    }
    // Two devices had the document, each with a note, before it was known to be one.
    return notes.count > 1 ? Self.joined(notes) : notes.first
  }

  /// One note of several, one after the other.
  static func joined(_ notes: [AttributedText]) -> AttributedText {
    let text = notes.map(markdown).joined(separator: "\n\n")
    return AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(text)))
  }

  /// A note as Markdown, without empty lines around it.
  static func markdown(_ note: AttributedText) -> String {
    let lines = MarkdownConversion(note).markdown
    return String(lines.drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed())
  }

  /// Sets the note on a document; nil removes it.
  package func setNote(_ note: AttributedText?, of document: Document, dryRun: Bool = false)
    throws(UserError)
  {
    var value = ""
    if let note {
      guard let json = try? note.json(), json.count <= Self.noteLimit else {
        throw UserError(.usage, "the note is longer than \(Self.noteLimit >> 20) MiB")
      }
      value = String(decoding: json, as: UTF8.self)
    }
    try setProperty(
      .note, value, of: document, dryRun: dryRun,
      label: "\(note == nil ? "removed" : "set") the note of \(document.path.string)",
      same: note == nil
        ? "\(document.path.string) has no note"
        : "the note of \(document.path.string) says that already")
  }

  /// The longest note as it is stored, in bytes.
  private static let noteLimit = 1 << 20

  private func property(_ name: PropertyName, of document: Document) throws(UserError) -> String? {
    try storage { try store.read { try $0.properties(of: document.id)[name] } }
  }

  private func setProperty(
    _ name: PropertyName, _ value: String, of document: Document?, dryRun: Bool, label: String,
    same: String
  ) throws(UserError) {
    if let document { try requirePresent(document) }
    let changed = try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(JournalStep(label: label))
        guard let document else {
          return try transaction.setProperty(name, value, of: .library)
        }
        var isChanged = try transaction.setProperty(name, value, of: .document(document.id))
        // It takes the place of all that is shown.
        for (other, _) in try transaction.values(of: name, in: document.id)
        where other != document.id {
          if try transaction.setProperty(name, "", of: .document(other)) { isChanged = true }
        }
        return isChanged
      }
    }
    guard changed else { throw UserError(.nothing, same) }
  }
}
