import BuiltIn
package import Editing
import MarkdownParse
package import Model
package import SystemSupport
package import TestSupport
package import Testing
package import Workspace

/// A folder with files and the library that belongs to it.
package final class LibraryFolder: WorkFolder {
  /// Returns the library after adding all Markdown files of the folder.
  package func library() async throws -> Library {
    let library = try Library(
      at: LibraryLocation(folder: path + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([path])
    return library
  }
}

extension Library {
  /// Highlights the selection of a SPEC.
  package func mark(_ name: String, _ spec: String, note: String = "") throws -> Highlight {
    var request = MarkRequest()
    request.note = note
    let marked = try mark(try document(name), try SelectionSpec(parsing: spec), request)
    return try #require(marked.highlights.first)
  }

  /// Highlights the passage of a SPEC in the current text of a document.
  @discardableResult
  package func mark(
    _ document: Document, _ spec: SelectionSpec, _ request: MarkRequest = MarkRequest()
  ) throws(UserError) -> MarkedPassages {
    let open = try openToMark(document)
    return try mark(try select(spec, in: open), request, in: open)
  }

  /// Returns the highlight after its file was checked.
  package func fresh(_ highlight: Highlight) throws -> Highlight {
    _ = try refresh()
    return try self.highlight(highlight.id.description)
  }

  /// Returns the words at a highlight's anchor in the current file, or nil if it has none.
  package func words(at highlight: Highlight) throws -> String? {
    let highlight = try fresh(highlight)
    guard let range = highlight.anchor.range else { return nil }
    return try open(try document(highlight.document.description)).parsed.text.substring(range)
  }
}

/// Returns the error that a closure throws. Records an issue if it throws none.
package func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> UserError {
  do { try await body() } catch {
    return try #require(error as? UserError, "\(error)", sourceLocation: sourceLocation)
  }
  Issue.record("no error was thrown", sourceLocation: sourceLocation)
  return UserError(.nothing, "no error")
}
