/// One change by the user to one field of one record. Undo and synchronization work on operations.
///
/// Operations are only appended, never changed. A record is identified by the dot of its `created`
/// operation.
///
/// ```swift
/// let operation = Operation(
///   dot: Dot(replica: replica, sequence: 43), time: Timestamp(milliseconds: 1_790_000_000_000),
///   group: 43, record: .highlight(highlight.id), field: .note, value: .text("See chapter 2."))
/// ```
public struct Operation: Hashable, Sendable, Codable {
  /// The identity of the operation.
  public var dot: Dot
  /// The time of the change by the replica's hybrid logical clock.
  package var time: Timestamp
  /// The sequence of the first operation of the same command. A group is one undo step.
  package var group: Int64
  /// The changed document or highlight, or the library.
  package var record: RecordReference
  /// The changed field of the record.
  package var field: Field
  /// The new value.
  package var value: Value
  /// The previous value in this replica, for undo. It is never synchronized.
  package var previous: Value
  /// The operations on the same field that this one replaces, as known to its author. Only
  /// operations on notes have a basis; it allows both of two concurrent notes to be kept.
  package var basis: [Dot]

  /// Creates an operation. An operation from another replica has no `previous`.
  public init(
    dot: Dot, time: Timestamp, group: Int64, record: RecordReference, field: Field, value: Value,
    previous: Value = .none, basis: [Dot] = []
  ) {
    self.dot = dot
    self.time = time
    self.group = group
    self.record = record
    self.field = field
    self.value = value
    self.previous = previous
    self.basis = basis
  }

  /// The name of a field, in the form in which it is stored and sent.
  public struct Field: Hashable, Sendable, Codable, RawRepresentable {
    /// The stored name.
    public var rawValue: String
    /// Creates a field from its stored name. Unknown names are kept.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The creation of the record. For a highlight, the value is the identity of its document.
    package static let created = Field(rawValue: "created")
    /// The path of a document (text).
    package static let path = Field(rawValue: "path")
    /// The title of a document (text).
    public static let title = Field(rawValue: "title")
    /// Whether the record is in the trash (flag).
    package static let trashed = Field(rawValue: "trashed")
    /// Whether the record is permanently deleted (flag). It cannot be restored, and the values of
    /// its other operations are discarded.
    package static let purged = Field(rawValue: "purged")
    /// The selector of a highlight (selector).
    package static let selector = Field(rawValue: "selector")
    /// The document to which a highlight was moved (reference). Without such an operation, it is
    /// the document of the highlight's `created` operation.
    package static let document = Field(rawValue: "document")
    /// Whether the user declared a highlight's passage deleted (flag). Diple no longer looks for
    /// it.
    package static let detached = Field(rawValue: "detached")
    /// The colour of a highlight (text).
    package static let color = Field(rawValue: "color")
    /// The origin of an imported highlight (text).
    package static let origin = Field(rawValue: "origin")
    /// The note of a highlight (text).
    public static let note = Field(rawValue: "note")
    /// Whether two documents are the same (flag). The operation is on the document with the greater
    /// identity; its field contains the identity of the other one.
    package static func alias(_ other: Document.ID) -> Field {
      Field(rawValue: "alias/" + other.description)
    }

    /// The other document if this is an alias field; nil otherwise.
    package var alias: Document.ID? {
      rawValue.hasPrefix("alias/") ? Document.ID(String(rawValue.dropFirst(6))) : nil
    }

    /// Whether two concurrent values of this field are both kept. True for notes.
    package var keepsVersions: Bool { self == .note || property == .note }

    /// Whether a highlight has the tag (flag). Each tag has a separate field.
    package static func tag(_ name: String) -> Field { Field(rawValue: "tag/" + name) }

    /// The meaning of a colour in this library (text). Each colour has a separate field.
    package static func label(_ color: HighlightColor) -> Field {
      Field(rawValue: "label/" + color.rawValue)
    }

    /// The colour if this field stores the meaning of one; nil otherwise.
    package var labelled: HighlightColor? {
      rawValue.hasPrefix("label/") ? HighlightColor(rawValue: String(rawValue.dropFirst(6))) : nil
    }

    /// The value of a variable of a document's source, as JSON (text). Each variable has a separate
    /// field.
    package static func source(_ variable: Source.Variable) -> Field {
      Field(rawValue: "source/" + variable.rawValue)
    }

    /// The formatting of a formatted passage, as JSON (text).
    package static let format = Field(rawValue: "format")

    /// A property of a document or of the library (text; empty if it was removed). Each property
    /// has a separate field.
    package static func property(_ name: PropertyName) -> Field {
      Field(rawValue: "property/" + name.rawValue)
    }

    /// The name of the property if this is a property field; nil otherwise.
    package var property: PropertyName? {
      rawValue.hasPrefix("property/") ? PropertyName(rawValue: String(rawValue.dropFirst(9))) : nil
    }

    /// The variable if this field belongs to a document's source; nil otherwise.
    package var source: Source.Variable? {
      rawValue.hasPrefix("source/") ? Source.Variable(rawValue: String(rawValue.dropFirst(7))) : nil
    }

    /// A saved query (text). Each name has a separate field.
    package static func query(_ name: String) -> Field { Field(rawValue: "query/" + name) }

    /// The name of the query if this is the field of a saved query; nil otherwise.
    package var query: String? {
      rawValue.hasPrefix("query/") ? String(rawValue.dropFirst(6)) : nil
    }

    /// The name of the tag if this is the field of a tag; nil otherwise.
    package var tag: String? {
      rawValue.hasPrefix("tag/") ? String(rawValue.dropFirst(4)) : nil
    }
  }

  /// The value of a field. Its type depends on the field.
  public enum Value: Hashable, Sendable, Codable {
    /// No value, such as that of a field before its first operation.
    case none
    case flag(Bool)
    case text(String)
    /// A passage of a document.
    case selector(Selector)
    /// The identity of another record.
    case reference(Dot)
    /// A value that only a newer version of Diple can read, as stored. The first byte is its type.
    case other([UInt8])
  }
}

/// The name of a property of a document or the library.
package struct PropertyName: Hashable, Sendable, Comparable, RawRepresentable {
  /// The stored name.
  package let rawValue: String
  /// Creates a property name from its stored form. Unknown names are kept.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The default format of text, for a document or for new documents.
  package static let defaultFormat = PropertyName(rawValue: "default-format")
  /// The margins of a document in an editor.
  package static let margins = PropertyName(rawValue: "margins")
  /// A note on a whole document.
  package static let note = PropertyName(rawValue: "note")
  /// The title of a document that Diple last took from the document's file. While it is the
  /// document's title, the title follows the file.
  package static let fileTitle = PropertyName(rawValue: "file-title")
  /// The identifier in a document's front matter, by which another device finds its copy of the
  /// file.
  package static let identifier = PropertyName(rawValue: "front-matter-id")
  /// Git's object name for the content of a document's file, by which another device finds its copy
  /// in the history of a repository.
  package static let gitBlob = PropertyName(rawValue: "git-blob")
  /// An operation of a revoked device that another member had applied, but that the revoking device
  /// did not know. Every device applies it.
  package static func reissued(_ dot: Dot) -> PropertyName {
    PropertyName(rawValue: "said/" + dot.description)
  }
  /// The identity of the reissued operation if this is the name of one; nil otherwise.
  package var reissued: Dot? {
    rawValue.hasPrefix("said/") ? Dot(String(rawValue.dropFirst(5))) : nil
  }
  /// A part of a replica's history that is reissued under a new identity, because two copies of the
  /// library had the same one.
  package static func renamed(_ old: ReplicaID, as new: ReplicaID) -> PropertyName {
    PropertyName(rawValue: "renamed/\(old)-\(new)")
  }
  /// The two identities if this is the name of such a part of a history; nil otherwise.
  package var renamed: (old: ReplicaID, new: ReplicaID)? {
    guard rawValue.hasPrefix("renamed/") else { return nil }
    let names = rawValue.dropFirst(8).split(separator: "-").map { ReplicaID(String($0)) }
    guard names.count == 2, let old = names[0], let new = names[1] else { return nil }
    return (old, new)
  }
  /// A named format of the library, as JSON.
  package static func style(_ id: String) -> PropertyName { PropertyName(rawValue: "style/" + id) }

  /// The id of the style if this is the name of one; nil otherwise.
  package var style: String? {
    rawValue.hasPrefix("style/") ? String(rawValue.dropFirst(6)) : nil
  }

  /// Orders by the stored name.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A reference to a record of any type.
public enum RecordReference: Hashable, Sendable, Codable {
  case document(Document.ID)
  case highlight(Highlight.ID)
  /// The library, for settings that apply to all of it.
  case library
  /// A record of a type (4 … 99) that only a newer version of Diple knows.
  case other(kind: Int, dot: Dot)
}

extension Timestamp: Codable {
  /// Decodes the packed value. Throws `DecodingError` if it isn't an integer.
  public init(from decoder: any Decoder) throws {
    packed = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Encodes the packed value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(packed)
  }
}
