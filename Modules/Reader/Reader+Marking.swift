import Editing
import MarkdownParse
import Model

/// The keys that change highlights. They apply to the selection or, without one, to the highlight at
/// the caret.
extension Reader {
  /// The highlight or passage to which the keys apply, or nil if nothing is selected and the caret
  /// isn't in a highlight.
  var subject: Subject? {
    if let highlight = currentHighlight { return .highlight(highlight.id) }
    return selection.isCaret ? nil : .passage(selection.range)
  }

  /// The range of the subject.
  private var subjectRange: TextRange? {
    selection.isCaret ? currentHighlight?.range : selection.range
  }

  /// Returns the colour of a digit key, or nil for other digits.
  static func color(numbered digit: Int) -> HighlightColor? {
    let colors = HighlightColor.allCases
    return colors.indices.contains(digit - 1) ? colors[digit - 1] : nil
  }

  /// The message without a subject.
  private var noSubject: String {
    options.isSelectable
      ? "nothing is selected; e selects a word, ] a highlight"
      : "the caret is not in a highlight; ] goes to one"
  }

  /// The subject, if it can be changed. Otherwise nil, with the reason as a message.
  private mutating func changeableSubject() -> Subject? {
    guard let subject else {
      message = noSubject
      return nil
    }
    guard text.canMark || text.canAdd else {
      message = text.refusal ?? "highlights cannot be changed here"
      return nil
    }
    return subject
  }

  /// Highlights the selection, or changes the colour of the highlight.
  mutating func mark(in color: HighlightColor) -> [Effect] {
    switch changeableSubject() {
    case .highlight(let id): return [.recolor(id: id, color)]
    case .passage(let range): return [.mark(range, color)]
    case nil: return []
    }
  }

  /// Asks for the note of the subject in one line. A note of several lines is edited in the editor.
  mutating func note() -> [Effect] {
    guard let subject = changeableSubject() else { return [] }
    let old = currentHighlight?.note ?? ""
    if old.contains(where: \.isNewline) { return [.note(subject)] }
    let text = unsavedNote.flatMap { $0.subject == subject ? $0.text : nil } ?? old
    unsavedNote = nil
    askForNote(subject, text, old: old)
    return []
  }

  /// Asks for the note of a subject in one line.
  ///
  /// - Parameters:
  ///   - draft: the text to begin with.
  ///   - old: the stored note.
  package mutating func askForNote(_ subject: Subject, _ draft: String, old: String) {
    mode = .prompt(.note(subject, old: old), LineField(draft))
  }

  /// Keeps a note that could not be stored. The next time that the user writes a note on the subject,
  /// the line begins with it.
  package mutating func keep(unsavedNote note: String, of subject: Subject) {
    unsavedNote = (subject, note)
    say("\(isShowingMatches ? ":note" : "n") continues your note")
  }

  /// Stores the typed note unless it is unchanged.
  mutating func finish(_ note: String, of subject: Subject, old: String) -> [Effect] {
    guard note != old else {
      message = "note unchanged"
      return []
    }
    return [.setNote(subject, note, seen: old)]
  }

  /// Stores a note that the command line contains.
  mutating func note(_ text: String) -> [Effect] {
    guard let subject = changeableSubject() else { return [] }
    return finish(text, of: subject, old: currentHighlight?.note ?? "")
  }

  /// Asks for tags of the subject.
  mutating func tag() -> [Effect] {
    if let subject = changeableSubject() { mode = .prompt(.tag(subject), LineField()) }
    return []
  }

  /// Deletes the highlight.
  mutating func remove() -> [Effect] {
    guard let highlight = currentHighlight else {
      message = "no highlight here; ] goes to the next one"
      return []
    }
    guard text.canMark else {
      message = text.refusal ?? "highlights cannot be changed here"
      return []
    }
    return [.remove(id: highlight.id)]
  }

  /// Copies the subject. Without one the clipboard is unchanged.
  mutating func copy(_ format: Format) -> [Effect] {
    guard let range = subjectRange else {
      message = noSubject
      return []
    }
    // A selection in the source is copied as source.
    return [.copy(range, showsSource && format == .usual ? .markdown : format)]
  }

  /// Opens the command line with the command that draws a card of the subject. The user completes
  /// or runs it.
  mutating func share() -> [Effect] {
    guard let range = subjectRange else {
      message = noSubject
      return []
    }
    let name = Self.fileName(of: text.document.text.substring(range))
    let subject = currentHighlight.map { $0.shortID + " " } ?? ""
    openCommandLine("share \(subject)-o \(name)")
    return []
  }

  /// The maximum number of words and characters of a card's file name.
  private static let nameLimits = (words: 4, characters: 40)

  /// Returns a file name for a card, from the first words of its text.
  private static func fileName(of text: String) -> String {
    let words = text.prefix(200).lowercased()
      .split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let name = words.prefix(nameLimits.words).joined(separator: "-").prefix(nameLimits.characters)
    return (name.isEmpty ? "card" : name) + ".png"
  }

  /// Moves the end of the selection by a unit. If nothing is selected, makes the text wider or
  /// narrower.
  mutating func adjust(by count: Int) {
    if selection.isCaret {
      changeMeasure(by: count)
    } else {
      selection.adjust(.end, by: count, options.unit, in: units)
    }
  }
}
