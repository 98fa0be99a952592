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

  func mark(
    _ range: TextRange, color: HighlightColor? = nil, note: String? = nil, tags: [String]? = nil
  ) async throws {
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
    _ = try await perform(
      MarkPassages(
        document: document.id, passage: .spec(SelectionSpec(units: range)),
        color: color ?? defaultColor,
        note: note, tags: tags))
    // The selected passage is now a highlight.
    reader.collapse()
  }

  /// Goes to the likeliest place of a highlight that needs a review, and shows its score.
  func findPlace(of id: Highlight.ID) async throws {
    let highlight = try await library.highlight(id: id)
    guard let place = try await library.candidates(for: highlight).first else {
      reader.message = "no similar passage for “\(highlight.selector.exact.shortened)”"
      return
    }
    let score = "\(Int((place.score * 100).rounded(.down)))%"
    if place.document.id == open.document?.id {
      reader.select(Selection(place.range, in: reader.textUnits))
    } else {
      try await visit(.place(place.document.id, place.line))
    }
    reader.message =
      "the likeliest place of highlight \(highlight.shortID), \(score) certain; i lists it: "
      + "a accepts, r rejects"
  }

  func tag(_ subject: Reader.Subject, _ tags: [String]) async throws {
    switch subject {
    case .highlight(let id):
      _ = try await perform(ChangeHighlight(highlight: id, addTags: tags))
    case .passage(let range): try await mark(range, tags: tags)
    }
    reader.message = "tagged " + tags.map { "#\($0)" }.joined(separator: " ")
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
    guard new != old else {
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
    reader.message = "added to the library in \(library.location.folder)"
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
