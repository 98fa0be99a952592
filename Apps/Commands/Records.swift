import FoundationEssentials
import MarkdownParse
import Model
import Workspace

/// Writes values as JSON. Keys are sorted so that the output can be compared.
enum JSON {
  static func line(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    // Every record is made of texts, numbers and dates, none of which can fail to encode.
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("a record that JSON cannot express")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

/// What every JSON answer is wrapped in: the schema's name and the data.
struct Envelope<Data: Encodable>: Encodable {
  var schema: String
  var data: Data
}

/// `diple.error/1`.
struct ErrorRecord: Encodable {
  var schema = "diple.error/1"
  var code: String
  var message: String
  @Nullable var hint: String?
  var candidates: [String]

  init(_ error: LibraryError) {
    code = error.code.rawValue
    message = error.message
    hint = error.hint
    candidates = error.candidates
  }
}

/// `diple.highlight/1`.
struct HighlightRecord: Encodable {
  struct DocumentReference: Encodable {
    var id: Document.ID
    var path: String
    var title: String

    init(_ document: Document) {
      id = document.id
      path = document.path.string
      title = document.title
    }
  }

  var id: Highlight.ID
  var document: DocumentReference
  var quote: String
  var color: HighlightColor
  @Nullable var label: String?
  var note: String
  var tags: [String]
  var state: AnchorState
  @Nullable var range: TextRange?
  @Nullable var line: Int?
  @Nullable var column: Int?
  var renderVersion: Int
  var score: Double
  var method: String
  var trashed: Bool
  var created: Date
  var updated: Date

  init(_ highlight: Highlight, in document: Document) {
    id = highlight.id
    self.document = DocumentReference(document)
    quote = highlight.selector.exact
    color = highlight.color
    label = highlight.label
    note = highlight.note
    tags = highlight.tags
    state = highlight.anchor.state
    range = highlight.anchor.range
    line = highlight.anchor.line?.line
    column = highlight.anchor.line?.column
    renderVersion = highlight.selector.renderVersion
    score = highlight.anchor.score
    method = highlight.anchor.method
    trashed = highlight.isTrashed
    created = highlight.created
    updated = highlight.updated
  }
}

/// An optional that is written as `null` instead of being left out: readers can rely on the key.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
  var wrappedValue: Value?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}

/// `diple.selection/1`.
struct SelectionRecord: Encodable {
  var range: TextRange
  var text: String
  var line: Int
  var column: Int
  var renderVersion: Int

  /// The passage in a range of a document's rendered text.
  static func line(_ range: TextRange, in parsed: ParsedDocument) -> String {
    let byte = parsed.map.sourceOffset(of: range.lowerBound, bias: .trailing)
    let position = parsed.sourceLines.position(of: byte)
    let record = SelectionRecord(
      range: range, text: parsed.text.substring(range), line: position.line,
      column: position.column, renderVersion: ParsedDocument.renderVersion)
    return JSON.line(Envelope(schema: "diple.selection/1", data: record))
  }
}

/// `diple.document/1`.
struct DocumentRecord: Encodable {
  var id: Document.ID
  var path: String
  var title: String
  var state: DocumentState
  /// How many there are in each state; every state is named.
  var highlights: [String: Int]
  var created: Date
  var updated: Date

  init(_ document: Document, counts: [AnchorState: Int]) {
    id = document.id
    path = document.path.string
    title = document.title
    state = document.state
    highlights = Dictionary(
      uniqueKeysWithValues: AnchorState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    created = document.created
    updated = document.updated
  }
}

/// One document's part of `diple.refresh/1`.
struct RefreshRecord: Encodable {
  struct OutcomeRecord: Encodable {
    var highlight: Highlight.ID
    var quote: String
    var state: AnchorState
    @Nullable var before: TextRange?
    @Nullable var after: TextRange?
    var score: Double
    var method: String
  }

  var document: HighlightRecord.DocumentReference
  var change: RefreshReport.Change
  var outcomes: [OutcomeRecord]
  @Nullable var movedFrom: String?
  @Nullable var problem: String?

  init(_ report: RefreshReport) {
    document = .init(report.document)
    change = report.change
    movedFrom = report.movedFrom?.string
    problem = report.problem?.description
    outcomes = report.outcomes.map {
      OutcomeRecord(
        highlight: $0.highlight, quote: $0.quote, state: $0.after.state,
        before: Nullable(wrappedValue: $0.before.range),
        after: Nullable(wrappedValue: $0.after.range), score: $0.after.score,
        method: $0.after.method)
    }
  }
}
