import Actions
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import Reader
import SystemSupport
import Workspace

extension ReaderController {
  /// Runs an action in the reader's library.
  func perform<Request: Action>(_ action: Request) async throws -> Request.Outcome {
    try await context.perform(action, globals)
  }

  /// Highlights a passage of the open text, which is added to the library first if necessary.
  ///
  /// - Returns: the result in one line.
  @discardableResult
  func mark(
    _ range: TextRange, color: HighlightColor? = nil, note: String? = nil, tags: [String]? = nil
  ) async throws -> String {
    // The offsets refer to the text on the screen, so the file must not have changed.
    let before = open.parsed
    await takeChanges()
    guard open.parsed.isSame(as: before) else {
      throw UserError(.conflict, "the file changed just now", hint: "mark the passage again")
    }
    if open.document == nil { try await addFile() }
    guard let document = open.document else {
      throw UserError.inNoLibrary(hint: "add the file first")
    }
    let defaultColor = try context.libraries.settings(globals).highlightColor
    var request = MarkRequest(color: color ?? defaultColor)
    (request.note, request.tags) = (note ?? "", tags ?? [])
    let outcome = try await perform(
      MarkPassages(
        document: document.id, passage: .spec(SelectionSpec(units: range)),
        color: request.color, note: note, tags: tags))
    // The selected passage is now a highlight.
    reader.collapse()
    made = outcome.highlights.first?.id
    return outcome.summary(request)
  }

  /// The passage of an orphaned highlight that the user has seen.
  struct SeenPlace {
    var highlight: Highlight.ID
    var words: String
  }

  /// Goes to the likeliest place of an orphaned highlight, and shows its score.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if the file changed during the search.
  func findPlace(of id: Highlight.ID) async throws {
    // The candidates are passages of the current text of the file, which the screen may not show.
    await reload()
    let shown = reader.text.highlights.first { $0.id == id }
    if let shown, reader.select(highlight: id) {
      reader.message =
        "highlight \(shown.shortID) "
        + (shown.needsReview
          ? "may belong here" + decisionKeys(shown.shortID, isElsewhere: false)
          : "is here again")
      return
    }
    let highlight = try await library.highlight(id: id)
    guard let place = try await library.likeliestPlace(of: highlight) else {
      reader.message = "no similar passage for “\(highlight.selector.exact.shortened)”"
      return
    }
    let isElsewhere = try await openDocument(with: place.document.id)
    guard place.range.utf16.upperBound <= open.parsed.text.count,
      open.parsed.text.substring(place.range) == place.words
    else {
      throw UserError(.conflict, "the file changed just now", hint: "choose the highlight again")
    }
    reader.select(Selection(place.range, in: reader.textUnits))
    if isElsewhere { reader.arrive() }
    seenPlace = SeenPlace(highlight: id, words: place.words)
    let score = "\(Int((place.score * 100).rounded(.down)))%"
    reader.message =
      "the likeliest place of highlight \(highlight.shortID), \(score) certain"
      + decisionKeys(highlight.shortID, isElsewhere: isElsewhere)
  }

  /// How the user can accept or reject the shown place of a highlight, to follow a message. Empty
  /// if the library is read-only.
  private func decisionKeys(_ name: String, isElsewhere: Bool) -> String {
    if !reader.text.canMark { return "" }
    // The list of highlights to review has only those of the open document.
    if isElsewhere { return "; :anchor accept \(name) -c 1 moves it here" }
    return (reader.isReviewing ? "; " : "; i lists it: ") + "a accepts, r rejects"
  }

  /// Accepts the range of a doubtful highlight, or the place of an orphaned one that the user has
  /// seen. Shows that place if the user has not seen it yet.
  func accept(_ id: Highlight.ID) async throws {
    let range = reader.text.highlights.first { $0.id == id }?.range
    let seen = seenPlace.flatMap { $0.highlight == id ? $0.words : nil }
    guard let words = range.map(open.parsed.text.substring) ?? seen else {
      return try await findPlace(of: id)
    }
    let outcome = try await perform(AcceptPlace(highlight: id, candidate: 1, quote: words))
    await reload()
    // Show the place, which may be elsewhere in the text.
    reader.select(highlight: id)
    reader.message = "highlight \(outcome.highlight.shortID) accepted here; u undoes"
  }

  func tag(_ subject: Reader.Subject, _ tags: [String]) async throws {
    switch subject {
    case .highlight(let id):
      _ = try await perform(ChangeHighlight(highlight: id, addTags: tags))
    case .passage(let range): try await mark(range, tags: tags)
    }
    reader.message = "tagged " + tags.map(\.asTag).joined(separator: " ")
  }

  /// Edits a note in the user's editor.
  ///
  /// - Parameter draft: the text with which the editor begins; nil for the present note.
  func editNote(
    _ subject: Reader.Subject, _ draft: String?, _ seen: String?,
    _ suspendingTerminal: (() -> Void) -> Void
  ) async throws {
    var (old, quote) = ("", "")
    switch subject {
    case .highlight(let id):
      let highlight = try await library.highlight(id: id)
      (old, quote) = (highlight.note, highlight.selector.exact)
    case .passage(let range): quote = open.parsed.text.substring(range)
    }
    let command = try context.libraries.settings(globals).text(.editor)
    let editor = ExternalEditor(command, environment: context.terminal.environment)
    var result: Result<String, UserError> = .success(old)
    suspendingTerminal {
      result = Result { () throws(UserError) in try editor.edit(note: draft ?? old, about: quote) }
    }
    let new = try result.get()
    // The editor's text has no final line breaks.
    if let draft, new == draft.withoutFinalNewlines {
      // The user typed the draft, but did not change it in the editor and may have left that with
      // `:q!`. The line that asks for the note shows it again.
      reader.askForNote(subject, draft, old: seen ?? old)
      return
    }
    guard new != old.withoutFinalNewlines else {
      reader.message = "note unchanged"
      return
    }
    try await editor.storing(new, as: "note.md") {
      try await store(new, of: subject, seen: seen ?? old)
    }
  }

  /// Stores a note.
  ///
  /// - Parameter seen: the note that the user saw before.
  /// - Throws: `conflict` if the stored note is another one.
  func store(_ note: String, of subject: Reader.Subject, seen: String) async throws {
    switch subject {
    case .highlight(let id):
      _ = try await perform(ChangeHighlight(highlight: id, note: note, seenNote: seen))
    case .passage(let range): try await mark(range, note: note)
    }
    reader.message = note.isEmpty ? "note removed" : "note saved"
  }

  /// Adds the file to the library, so that the selection can be highlighted.
  func add() async throws {
    try await addFile()
    if !reader.selection.isCaret { reader.openMenu() }
    reader.message = addition
  }

  /// The message about a file that was added, with the library's folder.
  var addition: String {
    "added to the library in \(context.paths.name(ofFile: library.location.folder))"
  }

  private func addFile() async throws {
    if isInput { throw Self.inputIsNotStored }
    let total = try await context.libraries.library(globals, .create).add([file])
    if let problem = total.problems.first { throw problem }
    library = try context.libraries.library(globals, .readOnlyOrEmpty)
    open = try await context.open(file, globals)
    reader.replace(await Self.text(open, file, library)) { $0 }
    becomeCurrent(file)
  }
}
