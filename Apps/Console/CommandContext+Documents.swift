package import ArgumentParser
import Files
package import Model
import Rendering
package import SystemSupport
package import Workspace

extension CommandContext {
  /// The documents that a command's words mean, each once: a folder stands for those below it. Nil,
  /// which is all of them, when none is named.
  ///
  /// - Parameter toChange: whether the command writes something: then what is missing is left out of
  ///   a folder, and a document has to be named as for `document`.
  package func documents(
    _ names: [String], in library: Library, toChange: Bool = false
  ) async throws -> [Document]? {
    if names.isEmpty { return nil }
    var found: [Document] = []
    for name in names {
      if let below = try await library.documents(below: name) {
        found += toChange ? below.filter { $0.state == .present } : below
      } else {
        let document = try await document(name, in: library, toChange: toChange)
        // A list of contents stands for what it lists.
        found += toChange ? [document] : try await library.members(of: document) ?? [document]
      }
    }
    var seen: Set<Document.ID> = []
    return found.filter { seen.insert($0.id).inserted }
  }

  /// The colours that a person means by their names or labels, of which each may be several.
  package func colors(_ names: [ColorName], in library: Library) async throws -> [HighlightColor] {
    var colors: [HighlightColor] = []
    for name in names { colors += try await library.colors(named: name.text) }
    return colors
  }

  /// The one colour that a name or label means; nil for none.
  package func color(_ name: ColorName?, in library: Library) async throws -> HighlightColor? {
    guard let name else { return nil }
    let found = try await library.colors(named: name.text)
    guard found.count == 1 else {
      throw UserError(
        .ambiguous, "'\(name.text)' is the label of \(found.count.counted("color"))",
        candidates: found.map(\.rawValue))
    }
    return found[0]
  }

  /// Writes a line on the error stream, with commands as they are typed here.
  package func say(_ hint: Hint) {
    terminal.errors.line(hint.text(in: terminal.typing).sanitizedForTerminal)
  }

  /// Says on the error stream why there is nothing to show, and gives the exit code for it. JSON
  /// says it by itself.
  package func nothing(
    _ reason: Hint, in library: Library? = nil, _ options: GlobalOptions
  ) -> ExitCode {
    if !options.json {
      say(
        library?.isAbsent == true
          ? "there is no library at \(library?.location.folder ?? ""); \(command: "add", "FILE") makes one"
          : reason)
    }
    return ExitCode(1)
  }

  /// Writes a command's answer into a file that a person named, as a whole.
  ///
  /// - Parameter force: whether another file that is there is replaced; never a document of the
  ///   library, or the library itself.
  package func write(
    _ bytes: [UInt8], toFile path: String, force: Bool, _ options: GlobalOptions
  ) async throws {
    if libraries.hasPlace(options) {
      try await libraries.library(options, .readOnlyOrEmpty).requireForeign(path)
    }
    try OutputFile.write(bytes, to: path, replacing: force)
  }
}

/// A colour as a person names it: by its own name, or by its label in the library.
package struct ColorName: ExpressibleByArgument, Hashable, Sendable {
  /// What was written.
  package let text: String

  package init(argument: String) { text = argument }

  package static var allValueStrings: [String] { HighlightColor.allCases.map(\.rawValue) }
}
