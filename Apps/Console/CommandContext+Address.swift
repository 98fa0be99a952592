package import Model
import Rendering
package import SystemSupport
package import Workspace

/// The document or highlight that an address refers to.
package struct AddressedPassage: Sendable {
  /// The options of the command, with the folder of the library that contains the target.
  package var options: GlobalOptions
  /// The document, or the document of the highlight.
  package var document: Document
  /// The highlight. Nil if the address refers to a whole document.
  package var highlight: Highlight?
}

extension CommandContext {
  /// Finds the target of a `diple:` address. Searches the library that the options name, then the
  /// libraries for which the user has created addresses. Other libraries aren't opened, and nothing
  /// is changed.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the address is invalid, `notFound` if none of
  ///   these libraries contains the target.
  package func passage(at word: String, _ options: GlobalOptions) async throws -> AddressedPassage {
    guard let address = LibraryAddress(word) else {
      throw UserError(
        .usage, "'\(word.sanitizedForTerminal)' is not an address of Diple",
        hint: "an address looks like diple:hl/42-9f3c0a5517e2b846")
    }
    if let found = try await passage(address.target, options) { return found }
    let known = options.library == nil ? knownFolders(first: address.library) : []
    for folder in known {
      var others = options
      others.library = folder
      // Skip a library that is unavailable, so that the search continues with the others.
      guard let location = try? libraries.location(others), location.exists,
        (try? location.requireOwn()) != nil,
        let found = try? await passage(address.target, others)
      else { continue }
      guard !terminal.isInteractive else {
        throw UserError(
          .notFound, "the address belongs to the library \(folder)",
          hint: "open it with --library \(folder)")
      }
      return found
    }
    throw UserError(
      .notFound, "\(address.target.name) is in no library that has exported addresses",
      hint: "name its library with --library DIR")
  }

  private func knownFolders(first library: ReplicaID?) -> [String] {
    let known = KnownLibraries(environment: terminal.environment).entries
    let named = known.filter { $0.library == library }
    return (named + known.filter { $0.library != library }).map(\.folder)
  }

  private func passage(_ target: LibraryAddress.Target, _ options: GlobalOptions) async throws
    -> AddressedPassage?
  {
    guard libraries.hasPlace(options) else { return nil }
    let library = try libraries.library(options, .readOnlyOrEmpty)
    guard try await library.holds(target) else { return nil }
    switch target {
    case .highlight(let id):
      let highlight = try await library.highlight(id: id)
      let document = try await library.document(id: highlight.document)
      return AddressedPassage(options: options, document: document, highlight: highlight)
    case .document(let id):
      return AddressedPassage(
        options: options, document: try await library.document(id: id), highlight: nil)
    }
  }
}

extension OpenDocument {
  /// Returns the start of an address's target in the text. A document starts at offset 0.
  ///
  /// - Throws: ``UserError`` with the code `nothing` if the highlight has no position in the text.
  package func start(of passage: AddressedPassage) throws(UserError) -> TextOffset {
    guard let highlight = passage.highlight else { return TextOffset(utf16: 0) }
    guard let range = highlights.first(where: { $0.id == highlight.id })?.anchor.range else {
      throw UserError(
        .nothing,
        highlight.isTrashed
          ? "highlight \(highlight.shortID) is in the trash"
          : "highlight \(highlight.shortID) has no place in the text",
        hint: "\(command: "highlight", "show", .word(highlight.shortID)) shows it")
    }
    return range.lowerBound
  }
}

extension LibraryAddress.Target {
  fileprivate var name: String {
    switch self {
    case .highlight(let id): "highlight \(id)"
    case .document(let id): "document \(id)"
    }
  }
}
