/// One change that a person made to one field of one record: what undo and sync read.
///
/// Operations are only ever appended. A record's identity is the dot of its `created` operation.
public struct Operation: Hashable, Sendable, Codable {
  /// Replica and sequence: the operation's name.
  public var dot: Dot
  /// When, by the replica's hybrid logical clock.
  package var time: Timestamp
  /// The sequence of the first operation of the same act: one undo step.
  package var group: Int64
  /// What was changed.
  package var record: RecordReference
  /// Which of its fields.
  package var field: Field
  /// What the field says now.
  package var value: Value
  /// What the field said before in this replica: the inverse, for undo. It never travels.
  package var previous: Value
  /// The operations on the same field that whoever made this one saw and replaced; only notes say it,
  /// so that of two that were written at the same time neither is lost.
  package var basis: [Dot]

  /// Makes an operation of its parts.
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

  /// The field of a record, in the form in which it is stored and sent.
  public struct Field: Hashable, Sendable, Codable, RawRepresentable {
    /// The stored name.
    public var rawValue: String
    /// Takes a stored name; unknown ones are kept as they are.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The record's birth; a highlight's value is the identity of its document.
    package static let created = Field(rawValue: "created")
    /// A document's place (text).
    package static let path = Field(rawValue: "path")
    /// A document's title (text).
    public static let title = Field(rawValue: "title")
    /// Whether the record is in the trash (flag).
    package static let trashed = Field(rawValue: "trashed")
    /// Whether the record is gone for good (flag): nothing brings it back, and what its other
    /// operations said is forgotten.
    package static let purged = Field(rawValue: "purged")
    /// A highlight's selector.
    package static let selector = Field(rawValue: "selector")
    /// The document that a highlight was carried to (reference); until then it is the one of its
    /// birth.
    package static let document = Field(rawValue: "document")
    /// Whether a person said that a highlight's passage is gone (flag): it is looked for no more.
    package static let detached = Field(rawValue: "detached")
    /// A highlight's colour (text).
    package static let color = Field(rawValue: "color")
    /// Where a highlight was imported from (text).
    package static let origin = Field(rawValue: "origin")
    /// A highlight's note (text).
    public static let note = Field(rawValue: "note")
    /// Whether two documents are the same one (flag): one field for each other document, which has the
    /// lesser name.
    package static func alias(_ other: Document.ID) -> Field {
      Field(rawValue: "alias/" + other.description)
    }

    /// The other document when this is the field of an alias.
    package var alias: Document.ID? {
      rawValue.hasPrefix("alias/") ? Document.ID(String(rawValue.dropFirst(6))) : nil
    }

    /// Whether this is a text of which two that were written at the same time are both kept.
    package var keepsVersions: Bool { self == .note || property == .note }

    /// Whether a highlight carries the tag (flag): one field for each tag.
    package static func tag(_ name: String) -> Field { Field(rawValue: "tag/" + name) }

    /// What a colour means in this library (text): one field for each colour.
    package static func label(_ color: HighlightColor) -> Field {
      Field(rawValue: "label/" + color.rawValue)
    }

    /// The colour when this is the field of what a colour means.
    package var labelled: HighlightColor? {
      rawValue.hasPrefix("label/") ? HighlightColor(rawValue: String(rawValue.dropFirst(6))) : nil
    }

    /// What a variable of a document's source says, as JSON (text): one field for each variable.
    package static func source(_ variable: Source.Variable) -> Field {
      Field(rawValue: "source/" + variable.rawValue)
    }

    /// What a formatted passage gives its text, as JSON (text).
    package static let format = Field(rawValue: "format")

    /// What holds for a document or the library beyond what every one has (text; empty for nothing):
    /// one field for each name.
    package static func property(_ name: PropertyName) -> Field {
      Field(rawValue: "property/" + name.rawValue)
    }

    /// The name when this is the field of a property.
    package var property: PropertyName? {
      rawValue.hasPrefix("property/") ? PropertyName(rawValue: String(rawValue.dropFirst(9))) : nil
    }

    /// The variable when this is the field of one of a document's source.
    package var source: Source.Variable? {
      rawValue.hasPrefix("source/") ? Source.Variable(rawValue: String(rawValue.dropFirst(7))) : nil
    }

    /// A saved query (text): one field for each name.
    package static func query(_ name: String) -> Field { Field(rawValue: "query/" + name) }

    /// The saved query's name when this is its field.
    package var query: String? {
      rawValue.hasPrefix("query/") ? String(rawValue.dropFirst(6)) : nil
    }

    /// The tag's name when this is a tag's field.
    package var tag: String? {
      rawValue.hasPrefix("tag/") ? String(rawValue.dropFirst(4)) : nil
    }
  }

  /// What a field can say.
  public enum Value: Hashable, Sendable, Codable {
    /// Nothing yet.
    case none
    /// Yes or no.
    case flag(Bool)
    /// Some text.
    case text(String)
    /// A passage.
    case selector(Selector)
    /// Another record.
    case reference(Dot)
    /// What only a newer Diple can read, as it is stored: the first byte says what it is.
    case other([UInt8])
  }
}

/// Names a property of a document or the library.
package struct PropertyName: Hashable, Sendable, Comparable, RawRepresentable {
  /// The stored name.
  package let rawValue: String
  /// Takes a stored name; unknown ones are kept as they are.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The format of text for which nothing else says one: of a document, or of new documents.
  package static let defaultFormat = PropertyName(rawValue: "default-format")
  /// The margins around a document in an editor.
  package static let margins = PropertyName(rawValue: "margins")
  /// A note on a whole document.
  package static let note = PropertyName(rawValue: "note")
  /// What a document's file calls itself in its front matter: by that another machine finds its copy.
  package static let identifier = PropertyName(rawValue: "front-matter-id")
  /// The name that git gives to the content of a document's file: by that another machine finds its
  /// copy in the history of a repository.
  package static let gitBlob = PropertyName(rawValue: "git-blob")
  /// An operation of a device that was revoked, which a member had applied and who revoked it did not
  /// know: it counts everywhere.
  package static func said(_ dot: Dot) -> PropertyName {
    PropertyName(rawValue: "said/" + dot.description)
  }
  /// The operation when this is the name of one that is said again.
  package var said: Dot? {
    rawValue.hasPrefix("said/") ? Dot(String(rawValue.dropFirst(5))) : nil
  }
  /// A style of the library.
  package static func style(_ id: String) -> PropertyName { PropertyName(rawValue: "style/" + id) }

  /// The id when this is the name of a style.
  package var style: String? {
    rawValue.hasPrefix("style/") ? String(rawValue.dropFirst(6)) : nil
  }

  /// Orders by name.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names a record of any kind.
public enum RecordReference: Hashable, Sendable, Codable {
  /// A document.
  case document(Document.ID)
  /// A highlight.
  case highlight(Highlight.ID)
  /// The library itself: what holds for all of it.
  case library
  /// A record of a kind that only a newer Diple knows (4 … 99).
  case other(kind: Int, dot: Dot)
}

extension Timestamp: Codable {
  /// Reads the packed value.
  public init(from decoder: any Decoder) throws {
    packed = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes the packed value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(packed)
  }
}
