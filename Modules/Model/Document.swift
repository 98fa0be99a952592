package import FoundationEssentials

/// A Markdown file that the user added to the library.
///
/// Diple reads the file and writes to it only when the user asks for a replacement or for
/// formatting.
public struct Document: Hashable, Sendable, Identifiable {
  /// Identifies a document in every replica.
  public typealias ID = Identifier<Document>

  /// The document's identity. It does not depend on the path, which may change.
  public var id: ID
  /// The path of the file on this device.
  package var path: DocumentPath
  /// The title shown in lists, from the front matter, the first heading or the file name.
  package var title: String
  /// Whether the file exists.
  package var state: DocumentState
  /// The time at which the document was added.
  package var created: Date
  /// The time of the user's last change to the document's record.
  package var updated: Date
  /// The number in this copy of the library, by which people name the document. It is never given
  /// to another document. Nil if the library gave it none.
  package var number: Int?

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
  /// The shortest name that commands accept and print: the number, such as `7`, or the id if there
  /// is no number.
  package var shortID: String { number.map(String.init) ?? id.description }
}

/// Whether a document's file exists. Only the user sets `removed`. Diple sets the other states when
/// it checks the file.
package enum DocumentState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The file existed at the last check.
  case present
  /// The file was missing at the last check. Its highlights are kept and reappear with the file.
  case missing
  /// The user removed the document from the library; `doc restore` restores it.
  case removed
}

/// The path of a document's file: relative to the library's root folder if the file is below it,
/// absolute otherwise.
///
/// Components are separated by `/`. There are no `.` or `..` components, except in paths received
/// from other devices.
package struct DocumentPath: Hashable, Comparable, Sendable {
  package var string: String
  /// Whether the path is known only from another device. Such a path is never opened on this one.
  package var isElsewhere: Bool

  /// Creates a path from text that is already normalized.
  package init(_ string: String, isElsewhere: Bool = false) {
    self.string = string
    self.isElsewhere = isElsewhere
  }

  /// The last component; the whole path if it has no components.
  package var name: String { string.split(separator: "/").last.map(String.init) ?? string }
  /// Whether the path starts at the root of the file system.
  package var isAbsolute: Bool { string.hasPrefix("/") }

  /// Orders paths by their text.
  package static func < (a: DocumentPath, b: DocumentPath) -> Bool { a.string < b.string }
}
