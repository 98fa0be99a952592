package import Editing
import FoundationEssentials
import MarkdownParse
package import Model
import RichMarkdown
package import RichText
import Storage
package import SystemSupport
package import Workspace

extension Library {
  /// Returns the style with an id or a title, ignoring case, or with a digit as its key.
  ///
  /// - Throws: `notFound`, with a similar name as a hint, if there is no such style.
  package func style(_ name: String) throws(UserError) -> NamedStyle {
    let styles = try styles().styles
    let folded = name.lowercased()
    if let style = styles.first(where: { $0.id.name == folded || $0.title.lowercased() == folded })
    {
      return style
    }
    if let key = Int(folded), 0...9 ~= key, let style = try self.styles().style(key: key) {
      return style
    }
    let near = Spelling.suggestion(for: folded, among: styles.map(\.id.name))
    throw UserError(
      .notFound, "there is no style '\(name.oneLine)'", hint: near.map { Hint($0) },
      remedy: near == nil ? .action("style.list", [:]) : nil)
  }

  /// Creates or replaces a style from the formatting of a passage. All text that uses the style
  /// changes with it.
  ///
  /// - Parameter base: the style that it inherits from; nil to choose it from the passage.
  /// - Returns: the style, and whether it is new.
  /// - Throws: `usage` if the title or a value is invalid; `notFound` if `base` does not exist;
  ///   `nothing` if the style is unchanged.
  package func saveStyle(
    _ title: String, of document: Document, _ spec: SelectionSpec, basedOn base: String? = nil,
    dryRun: Bool = false
  ) throws(UserError) -> (style: NamedStyle, isNew: Bool) {
    let base = try base.map { (name) throws(UserError) in try style(name).id }
    let open = try open(document)
    let range = try select(spec, in: open)
    var format = try format(of: open)
    let old = StyleID(title: title).flatMap { format.text.styles[$0] }
    let isNew = old == nil
    var saved: NamedStyle
    do {
      saved = try format.text.saveStyle(title: title, from: range.utf16, format.context)
      if let base { saved.basedOn = base }
      saved.key = old?.key
      try format.text.styles.store(saved)
    } catch { throw UserError(.usage, error.description) }
    try set(saved, dryRun: dryRun)
    return (saved, isNew)
  }

  /// Changes the attributes of a style. All text that uses the style changes with it.
  ///
  /// - Throws: `nothing` if the style is unchanged; `usage` if a value is out of range.
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

  /// Sets the digit that applies a style in palettes; nil restores the usual one. Another style with
  /// this digit loses it.
  ///
  /// - Throws: `nothing` if the style has the digit already; `usage` if it isn't 0 to 9.
  package func setKey(_ key: Int?, of style: NamedStyle, dryRun: Bool = false) throws(UserError)
    -> NamedStyle
  {
    if let key, !(0...9).contains(key) {
      throw UserError(.usage, "the key of a style is a digit, 0 to 9, not \(key)")
    }
    let sheet = try styles()
    var changed = style
    changed.key = key
    let others = sheet.styles.filter { $0.id != style.id && key != nil && $0.key == key }
    guard changed != style || !others.isEmpty else {
      throw UserError(.nothing, "the style '\(style.title)' is unchanged")
    }
    try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(JournalStep(label: "set the key of the style '\(style.title)'"))
        for var other in others {
          other.key = nil
          _ = try transaction.setProperty(
            .style(other.id.name), Self.stored(other), of: .library)
        }
        _ = try transaction.setProperty(
          .style(style.id.name), Self.stored(changed), of: .library)
      }
    }
    return changed
  }

  /// Returns the stored form of a style; empty for a built-in one that wasn't changed.
  private static func stored(_ style: NamedStyle) -> String {
    StyleSheet.builtIn.contains(style) ? "" : style.json.stored
  }

  private func set(_ style: NamedStyle, dryRun: Bool) throws(UserError) {
    var sheet = try styles()
    do { try sheet.store(style) } catch { throw UserError(.usage, error.description) }
    let value = Self.stored(style)
    let changed = try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(JournalStep(label: "set the style '\(style.title)'"))
        return try transaction.setProperty(.style(style.id.name), value, of: .library)
      }
    }
    guard changed else { throw UserError(.nothing, "the style '\(style.title)' is unchanged") }
  }

  /// Removes a style of the user, or resets a built-in style. Text that uses a removed style is
  /// shown in the body style; it has its former look again if the style is created again.
  ///
  /// - Throws: `nothing` if a built-in style was not changed.
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
        // Styles that inherited from the removed one inherit from its parent now.
        for heir in isBuiltIn ? [] : heirs {
          guard let heir = now[heir.id] else { continue }
          _ = try transaction.setProperty(.style(heir.id.name), heir.json.stored, of: .library)
        }
      }
    }
  }

  // MARK: - Defaults

  /// Returns the formatting of text for which nothing else is set.
  ///
  /// - Parameter document: the document whose defaults to return; nil for the defaults of documents
  ///   that are added from now on.
  /// - Throws: `notFound` if the document's file does not exist or cannot be read; `damaged` or
  ///   `conflict` if the library cannot be used.
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
    return format.completeDefaults
  }

  /// Sets the default formatting of one document, or of documents that are added from now on.
  /// Existing documents keep their defaults.
  ///
  /// - Throws: `nothing` if the defaults are unchanged; `usage` if a value is out of range, or they
  ///   contain a link or a style.
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
        ?? "set the default format", same: "the default format has this value already")
  }

  /// Resets the default formatting of a document to the defaults that the library had when the
  /// document was added.
  ///
  /// - Throws: `nothing` if the document has no defaults; `notFound` if it was removed.
  package func resetDefaultFormat(of document: Document, dryRun: Bool = false) throws(UserError) {
    try setProperty(
      .defaultFormat, "", of: document, dryRun: dryRun,
      label: "reset the default format of \(document.path.string)",
      same: "\(document.shownPath) has no default format")
  }

  /// Removes the default formatting and the margins of new documents in one step.
  ///
  /// - Throws: `nothing` if there are none.
  package func resetDefaults(dryRun: Bool = false) throws(UserError) {
    let changed = try storage {
      try store.write(dryRun: dryRun) { transaction in
        transaction.journal(JournalStep(label: "reset the default format"))
        let hadFormat = try transaction.setProperty(.defaultFormat, "", of: .library)
        return try transaction.setProperty(.margins, "", of: .library) || hadFormat
      }
    }
    guard changed else {
      throw UserError(.nothing, "the default format has this value already")
    }
  }

  // MARK: - Margins and notes

  /// Returns the margins of a document, or of documents that are added from now on; nil if none are
  /// set. A document without its own has those that the library had when it was added.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func margins(of document: Document? = nil) throws(UserError) -> EditorMargins? {
    if let document { return try storedMargins(of: document) }
    return try storage { try store.read { try $0.properties()[.margins] } }.flatMap(
      EditorMargins.init(stored:))
  }

  /// Sets the margins of a document, or of documents that are added from now on; nil removes them.
  ///
  /// - Throws: `nothing` if they are unchanged; `usage` if a margin is out of range; `notFound` if
  ///   the document was removed.
  package func setMargins(
    _ margins: EditorMargins?, of document: Document? = nil, dryRun: Bool = false
  ) throws(UserError) {
    if let problem = margins?.problem { throw UserError(.usage, problem.description) }
    let subject = document?.path.string ?? "new documents"
    let value = margins.map { $0.name?.rawValue ?? "own values" }
    try setProperty(
      .margins, margins?.stored ?? "", of: document, dryRun: dryRun,
      label: value.map { "set the margins of \(subject): \($0)" }
        ?? "removed the margins of \(subject)",
      same: value.map {
        $0 == "own values"
          ? "the margins of \(subject) are unchanged"
          : "the margins of \(subject) are \($0) already"
      } ?? "no margins are set for \(subject)")
  }

  /// Sets the note on a document; nil removes it.
  ///
  /// - Throws: `nothing` if the note is unchanged; `usage` if it is longer than 1 MiB as JSON;
  ///   `notFound` if the document was removed.
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
        ? "\(document.shownPath) has no note"
        : "the note of \(document.shownPath) is unchanged")
  }

  /// The maximum size in bytes of a note as JSON. A larger note is refused.
  private static let noteLimit = 1 << 20

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
        // The value replaces those of all merged documents.
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
