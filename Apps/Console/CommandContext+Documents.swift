import ArgumentParser
import Files
import LibraryExchange
package import Model
import Rendering
import SystemSupport
package import Workspace

extension CommandContext {
  /// Returns the documents that a command's arguments name, without duplicates. A folder is
  /// replaced by the documents below it. Returns nil, which means all documents, if `names` is
  /// empty.
  ///
  /// - Parameter toChange: whether the command writes. Then missing documents in a folder are
  ///   skipped, and a document must be named in full, as in
  ///   ``document(_:in:makesCurrent:toChange:)``.
  /// - Throws: ``UserError`` with the code `notFound` or `ambiguous` if a name does not refer to
  ///   one document or folder.
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
        // A table of contents is replaced by the documents it lists.
        found += toChange ? [document] : try await library.members(of: document) ?? [document]
      }
    }
    var seen: Set<Document.ID> = []
    return found.filter { seen.insert($0.id).inserted }
  }

  /// Returns the colours with the given names or labels. A label may match several colours.
  ///
  /// - Throws: ``UserError`` with the code `usage` if one of the names is neither that of a colour
  ///   nor a label.
  package func colors(_ names: [ColorName], in library: Library) async throws -> [HighlightColor] {
    var colors: [HighlightColor] = []
    for name in names { colors += try await library.colors(named: name.text) }
    return colors
  }

  /// Returns the colour with a name or label, or nil if `name` is nil.
  ///
  /// - Throws: ``UserError`` with the code `usage` if no colour has the name or label, `ambiguous`
  ///   if several have the label.
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

  /// Writes a command's output to a file named by the user. The file is replaced as a whole.
  ///
  /// - Parameter force: whether an existing file may be replaced. Documents of the library and the
  ///   library itself are never replaced.
  /// - Throws: ``UserError`` with the code `conflict` if the file must not be replaced or can't be
  ///   written.
  package func write(
    _ bytes: [UInt8], toFile path: String, force: Bool, _ options: GlobalOptions
  ) async throws {
    if libraries.hasPlace(options) {
      try await libraries.library(options, .readOnlyOrEmpty).requireForeign(path)
    }
    try OutputFile.write(bytes, to: path, replacing: force)
  }
}

/// A colour named by the user: the colour's own name, or its label in the library.
package struct ColorName: ExpressibleByArgument, Hashable, Sendable {
  /// The name or label. It isn't validated.
  package let text: String

  package init(argument: String) { text = argument }

  package static var allValueStrings: [String] { HighlightColor.allCases.map(\.rawValue) }
}
