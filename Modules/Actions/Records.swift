package import FoundationEssentials
package import MarkdownParse
package import Model
import Rendering
package import SystemSupport
package import Workspace

/// Encodes records as JSON. Keys are sorted, so that outputs can be compared.
package enum JSON {
  /// Encodes a record and wraps it in the envelope of its schema.
  package static func line(_ schema: String, _ record: some Encodable) -> String {
    line(Envelope(schema: schema, data: record))
  }

  /// Wraps encoded JSON in the envelope of a schema, and escapes terminal control characters.
  package static func line(_ schema: String, json: String) -> String {
    "{\"data\":\(escaped(json)),\"schema\":\"\(schema)\"}"
  }

  package static func line(_ value: some Encodable) -> String {
    // Records only contain strings, finite numbers and dates, so encoding can't fail.
    guard let data = try? JSONEncoder.ordered(dates: .iso8601).encode(value) else {
      preconditionFailure("JSON cannot express the record")
    }
    return escaped(String(decoding: data, as: UTF8.self))
  }

  /// Escapes the terminal control characters that the encoder leaves unescaped. They only occur in
  /// strings. O(length).
  package static func escaped(_ json: String) -> String {
    // The first bytes of these characters in UTF-8. The first three are rare in other text.
    guard json.utf8.contains(where: { [0x7F, 0xC2, 0xF3, 0xE2].contains($0) }),
      json.unicodeScalars.contains(where: \.steersTerminal)
    else { return json }
    var result = ""
    for scalar in json.unicodeScalars {
      guard scalar.steersTerminal else {
        result.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }
}

/// The envelope of every JSON answer: the name of the schema and the data.
private struct Envelope<Data: Encodable>: Encodable {
  var schema: String
  var data: Data
}

/// A record of the schema `diple.error/1`. Members that are nil are omitted, except the hint.
package struct ErrorRecord: Encodable {
  package var schema = "diple.error/1"
  package var code: String
  package var message: String
  @Nullable package var hint: String?
  package var candidates: [String] = []
  /// The path of the invalid member of a request.
  package var `where`: String?
  /// The valid values of the member.
  package var allowed: [String]?
  /// The remedy that a front-end can offer to the user.
  package var remedy: RemedyRecord?

  package init(code: String, message: String, hint: String?) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// Creates the record of an error.
  ///
  /// - Parameter withCommands: Whether the hint may contain commands. If not, a hint with a command
  ///   or a remedy is omitted, and its remedy offered.
  package init(_ error: UserError, withCommands: Bool = true) {
    code = error.code.rawValue
    message = error.message
    hint = withCommands ? error.hint?.text(in: .plain) : error.hint?.textWithoutCommands
    remedy = (error.remedy ?? error.hint?.remedy).flatMap(RemedyRecord.init)
    candidates = error.candidates
    `where` = error.parameter
    allowed = error.allowed.isEmpty ? nil : error.allowed
  }
}

/// A remedy, a member of `diple.error/1`: an action with its request, or a setting.
package struct RemedyRecord: Encodable {
  package var action: String?
  package var request: [String: Remedy.Member]?
  package var setting: String?

  /// Creates the record of a remedy; nil if a program cannot offer it as it is.
  init?(_ remedy: Remedy) {
    switch remedy {
    case .action(let name, _):
      guard let members = remedy.request else { return nil }
      (action, request) = (name, members)
    case .setting(let key): setting = key
    case .tool: return nil
    }
  }
}

/// A record of the schema `diple.highlight/1`.
package struct HighlightRecord: Encodable, Sendable {
  package struct DocumentReference: Encodable, Sendable {
    package var id: Document.ID
    package var path: String
    package var title: String

    package init(_ document: Document) {
      id = document.id
      path = document.path.string
      title = document.title
    }

    /// Writes the reference as JSON, with the same result as the encoder.
    package func write(to writer: inout JSONWriter) {
      writer.begin("{")
      writer.key("id")
      writer.value(id.dot)
      writer.key("path")
      writer.value(path)
      writer.key("title")
      writer.value(title)
      writer.end("}")
    }
  }

  package var id: Highlight.ID
  @Nullable package var number: Int?
  package var document: DocumentReference
  package var quote: String
  package var color: HighlightColor
  @Nullable package var label: String?
  package var note: String
  @Nullable package var now: String?
  package var tags: [String]
  package var state: AnchorState
  @Nullable package var range: TextRange?
  @Nullable package var line: Int?
  @Nullable package var column: Int?
  package var renderVersion: Int
  package var score: Double
  package var method: String
  package var missing: Bool
  package var trashed: Bool
  package var created: Date
  package var updated: Date
  @Nullable package var origin: OriginRecord?

  package init(_ highlight: Highlight, in document: Document) {
    self.init(highlight, in: document, withOrigin: true)
  }

  package init(_ highlight: Highlight, in document: Document, withOrigin: Bool) {
    id = highlight.id
    number = highlight.number
    self.document = DocumentReference(document)
    quote = highlight.selector.exact
    color = highlight.color
    label = highlight.label
    note = highlight.note
    now = highlight.now
    tags = highlight.tags
    state = highlight.anchor.state
    range = highlight.anchor.range
    line = highlight.anchor.line?.line
    column = highlight.anchor.line?.column
    renderVersion = highlight.selector.renderVersion
    score = highlight.anchor.score
    method = highlight.anchor.method
    missing = document.state == .missing
    trashed = highlight.isTrashed
    created = highlight.created
    updated = highlight.updated
    origin = withOrigin ? highlight.origin?.origin.map(OriginRecord.init) : nil
  }

  /// Writes the record as JSON, with the same result as the encoder.
  package func write(to writer: inout JSONWriter) { write(to: &writer, document: nil, origin: nil) }

  /// Writes the record as JSON, for long lists. The caller provides the members that would be slow
  /// to encode.
  ///
  /// - Parameters:
  ///   - reference: the JSON of `document`, which many records share; nil to encode it.
  ///   - stored: the origin; nil to use that of the record.
  package func write(
    to writer: inout JSONWriter, document reference: [UInt8]?, origin stored: StoredOrigin?
  ) {
    writer.begin("{")
    writer.key("color")
    writer.value(color.rawValue)
    writer.key("column")
    writer.value(column)
    writer.key("created")
    writer.value(created)
    writer.key("document")
    if let reference { writer.value(json: reference) } else { document.write(to: &writer) }
    writer.key("id")
    writer.value(id.dot)
    writer.key("label")
    writer.value(label)
    writer.key("line")
    writer.value(line)
    writer.key("method")
    writer.value(method)
    writer.key("missing")
    writer.value(missing)
    writer.key("note")
    writer.value(note)
    writer.key("now")
    writer.value(now)
    writer.key("number")
    writer.value(number)
    writer.key("origin")
    if let stored {
      OriginRecord.write(stored, to: &writer)
    } else if let origin {
      origin.write(to: &writer)
    } else {
      writer.value(nil as String?)
    }
    writer.key("quote")
    writer.value(quote)
    writer.key("range")
    if let range {
      writer.begin("{")
      writer.key("end")
      writer.value(range.utf16.upperBound)
      writer.key("start")
      writer.value(range.utf16.lowerBound)
      writer.end("}")
    } else {
      writer.value(nil as String?)
    }
    writer.key("renderVersion")
    writer.value(renderVersion)
    writer.key("score")
    writer.value(score)
    writer.key("state")
    writer.value(state.rawValue)
    writer.key("tags")
    writer.value(tags)
    writer.key("trashed")
    writer.value(trashed)
    writer.key("updated")
    writer.value(updated)
    writer.end("}")
  }
}

/// The origin of an imported highlight, a member of `diple.highlight/1`.
package struct OriginRecord: Encodable, Sendable {
  package var format: String
  @Nullable package var id: String?
  @Nullable package var source: String?
  @Nullable package var title: String?
  @Nullable package var author: String?
  @Nullable package var location: String?
  @Nullable package var color: String?
  @Nullable package var quote: String?
  @Nullable package var note: String?
  package var tags: [String]
  package var earlier: [String]
  @Nullable package var created: Date?
  @Nullable package var updated: Date?

  package init(_ origin: Origin) {
    format = origin.format
    id = origin.id
    source = origin.source
    title = origin.title
    author = origin.author
    location = origin.location
    color = origin.color
    quote = origin.quote
    note = origin.note
    tags = origin.tags ?? []
    earlier = (origin.earlier ?? []).map(\.quote)
    created = origin.created
    updated = origin.updated
  }

  /// Writes the record of a stored origin, or `null` if it is unreadable.
  fileprivate static func write(_ stored: StoredOrigin, to writer: inout JSONWriter) {
    var text = stored.text
    let isWritten = text.withUTF8 { bytes in
      guard let plain = PlainOrigin(bytes) else { return false }
      write(plain, to: &writer)
      return true
    }
    if isWritten { return }
    if let origin = stored.origin {
      OriginRecord(origin).write(to: &writer)
    } else {
      writer.value(nil as String?)
    }
  }

  /// Writes the record of an origin without creating it. The texts are copied from the stored JSON.
  private static func write(_ plain: PlainOrigin, to writer: inout JSONWriter) {
    func write(_ text: PlainOrigin.Text?) {
      if let text {
        writer.value(utf8: UnsafeBufferPointer(rebasing: text))
      } else {
        writer.value(nil as String?)
      }
    }
    writer.begin("{")
    writer.key("author")
    write(plain.author)
    writer.key("color")
    write(plain.color)
    writer.key("created")
    write(plain.created)
    writer.key("earlier")
    writer.value([])
    writer.key("format")
    write(plain.format)
    writer.key("id")
    write(plain.id)
    writer.key("location")
    write(plain.location)
    writer.key("note")
    write(plain.note)
    writer.key("quote")
    write(plain.quote)
    writer.key("source")
    write(plain.source)
    writer.key("tags")
    writer.begin("[")
    for tag in plain.tags ?? [] { write(tag) }
    writer.end("]")
    writer.key("title")
    write(plain.title)
    writer.key("updated")
    write(plain.updated)
    writer.end("}")
  }

  /// Writes the record as JSON, with the same result as the encoder.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.begin("{")
    writer.key("author")
    writer.value(author)
    writer.key("color")
    writer.value(color)
    writer.key("created")
    writer.value(created)
    writer.key("earlier")
    writer.value(earlier)
    writer.key("format")
    writer.value(format)
    writer.key("id")
    writer.value(id)
    writer.key("location")
    writer.value(location)
    writer.key("note")
    writer.value(note)
    writer.key("quote")
    writer.value(quote)
    writer.key("source")
    writer.value(source)
    writer.key("tags")
    writer.value(tags)
    writer.key("title")
    writer.value(title)
    writer.key("updated")
    writer.value(updated)
    writer.end("}")
  }
}

/// An optional that is encoded as `null` instead of being omitted, so that the key is always
/// present.
@propertyWrapper
package struct Nullable<Value: Encodable>: Encodable {
  package var wrappedValue: Value?

  /// Creates the wrapper for a value.
  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}

extension Nullable: Sendable where Value: Sendable {}

/// A record of the schema `diple.selection/1`.
package struct SelectionRecord: Encodable {
  package var range: TextRange
  package var text: String
  package var line: Int
  package var column: Int
  package var renderVersion: Int

  /// Encodes a range of a document's rendered text.
  package static func line(_ range: TextRange, in parsed: ParsedDocument) -> String {
    let byte = parsed.map.sourceOffset(of: range.lowerBound, bias: .trailing)
    let position = parsed.sourceLines.position(of: byte)
    let record = SelectionRecord(
      range: range, text: parsed.text.substring(range), line: position.line,
      column: position.column, renderVersion: ParsedDocument.renderVersion)
    return JSON.line("diple.selection/1", record)
  }
}

/// A record of the schema `diple.document/1`.
package struct DocumentRecord: Encodable {
  package var id: Document.ID
  @Nullable package var number: Int?
  package var path: String
  package var title: String
  /// The state of the document, as returned by ``LibraryLocation/stateName(of:)``.
  package var state: String
  /// The number of highlights in each state. All states are present, even with the count 0.
  package var highlights: [String: Int]
  /// The dialect of the document. Nil except when a single document is shown.
  @Nullable package var dialect: DialectRecord?
  package var created: Date
  package var updated: Date

  /// A dialect and the reason why it is used.
  package struct DialectRecord: Encodable {
    package var name: String
    package var reason: String
  }

  package init(
    _ document: Document, counts: [AnchorState: Int], in location: LibraryLocation,
    _ dialect: DialectChoice? = nil
  ) {
    self.dialect = dialect.map {
      DialectRecord(name: $0.dialect.rawValue, reason: $0.reason)
    }
    id = document.id
    number = document.number
    path = document.path.string
    title = document.title
    state = location.stateName(of: document)
    highlights = Dictionary(
      uniqueKeysWithValues: AnchorState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    created = document.created
    updated = document.updated
  }
}

extension LibraryLocation {
  /// Returns the name of a document's state. In addition to the states of `Document`, there are
  /// `outside` for a document that isn't removed but whose path the library must not access, and
  /// `elsewhere` for a document that was synced from another device and not found on this one.
  package func stateName(of document: Document) -> String {
    if document.state == .removed { return document.state.rawValue }
    if document.path.isElsewhere { return "elsewhere" }
    return isOutside(document.path) ? "outside" : document.state.rawValue
  }
}

/// The part of `diple.refresh/1` for one document.
package struct RefreshRecord: Encodable {
  package struct OutcomeRecord: Encodable {
    package var highlight: Highlight.ID
    package var quote: String
    package var state: AnchorState
    @Nullable var before: TextRange?
    @Nullable var after: TextRange?
    package var score: Double
    package var method: String
  }

  package var document: HighlightRecord.DocumentReference
  package var change: RefreshReport.Change
  package var outcomes: [OutcomeRecord]
  @Nullable package var movedFrom: String?
  @Nullable package var problem: String?

  package init(_ report: RefreshReport) {
    document = .init(report.document)
    change = report.change
    movedFrom = report.movedFrom?.string
    problem = report.problem?.description
    outcomes = report.outcomes.map {
      OutcomeRecord(
        highlight: $0.highlight, quote: $0.quote, state: $0.after.state,
        before: $0.before.range,
        after: $0.after.range, score: $0.after.score,
        method: $0.after.method)
    }
  }
}

extension HighlightRecord {
  /// Encodes a single highlight as `diple.highlight/1`, and any other number of highlights as
  /// `diple.highlights/1`.
  package static func lines(_ highlights: [(Highlight, in: Document)]) -> String {
    let records = highlights.map { HighlightRecord($0, in: $1) }
    return records.count == 1
      ? JSON.line("diple.highlight/1", records[0]) : JSON.line("diple.highlights/1", records)
  }

  /// Encodes the highlights of one document, with the same schemas.
  package static func lines(_ highlights: [Highlight], in document: Document) -> String {
    lines(highlights.map { ($0, document) })
  }
}
