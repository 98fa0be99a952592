package import FoundationEssentials

/// A Markdown file that a person brought into the library. Only a replacement or a formatting that
/// the person asks for writes it.
public struct Document: Hashable, Sendable, Identifiable {
  /// Names a document in every replica.
  public typealias ID = Identifier<Document>

  /// The identity; a path is none.
  public var id: ID
  /// Where the file stands on this machine.
  package var path: DocumentPath
  /// What it is called in lists: from the front matter, the first heading or the file's name.
  package var title: String
  /// Whether the file is there.
  package var state: DocumentState
  /// When it was added.
  package var created: Date
  /// When the person last changed something about it.
  package var updated: Date
  /// Whether another document, of another machine, has the same number.
  package var hasNamesake = false

  /// Makes a document of its parts.
  package init(
    id: ID, path: DocumentPath, title: String, state: DocumentState, created: Date, updated: Date
  ) {
    self.id = id
    self.path = path
    self.title = title
    self.state = state
    self.created = created
    self.updated = updated
  }
}

extension Document {
  /// The short name by which a person calls it.
  package var shortID: String { id.dot.shortName(withReplica: hasNamesake) }
}

/// Whether a document's file is there. Only `removed` is a person's decision.
package enum DocumentState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The file was there when it was last looked for.
  case present
  /// The file was not there; its highlights are kept and return with it.
  case missing
  /// A person took the document out of the library; `doc restore` brings it back.
  case removed
}

/// A file's place: relative to the library's root folder when below it, absolute otherwise.
/// Components are joined by `/`; there are no `.` or `..` components, but in what another machine said.
package struct DocumentPath: Hashable, Comparable, Sendable {
  /// The path as text.
  package var string: String
  /// Whether it was said on another machine only: nothing on this one is opened by it.
  package var isElsewhere: Bool

  /// Takes a path that is already in normal form.
  package init(_ string: String, isElsewhere: Bool = false) {
    self.string = string
    self.isElsewhere = isElsewhere
  }

  /// The last component.
  package var name: String { string.split(separator: "/").last.map(String.init) ?? string }
  /// Whether the path starts at the file system's root.
  package var isAbsolute: Bool { string.hasPrefix("/") }

  /// Orders paths by their text.
  package static func < (a: DocumentPath, b: DocumentPath) -> Bool { a.string < b.string }
}
