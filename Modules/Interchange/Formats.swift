public import Model

/// An export format for highlights.
public protocol Exporter: Strategy where Example == ExportExample {
  /// The properties of highlights that the format does not support. An export prints which of them
  /// it omits.
  static var omissions: [RecordPart] { get }

  /// Writes records, which are ordered by document and position. There may be very many. They are
  /// loaded during the iteration, so iterate only once.
  ///
  /// - Throws: `StrategyError` if the exporter failed.
  func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyError)
}

extension Exporter {
  /// By default the format supports all properties.
  public static var omissions: [RecordPart] { [] }
}

/// An import format for highlights.
///
/// ```swift
/// let source = ImportSource(bytes, path: "My Clippings.txt")
/// if importer.recognizes(source) {
///   let content = try importer.read(source)
///   print(content.records.count, "highlights")
/// }
/// ```
public protocol Importer: Strategy where Example == ImportExample {
  /// The name of the format in messages, such as "Kindle clippings".
  static var name: String { get }

  /// Returns whether the data is certainly in this format. Only then is it imported without naming
  /// the format. The check must be fast; it does not guarantee that reading succeeds.
  func recognizes(_ source: ImportSource) -> Bool

  /// Reads the records of a source.
  ///
  /// - Throws: `ImportError`, with the position and the cause, if the data is invalid.
  func read(_ source: ImportSource) throws(ImportError) -> ImportContent
}

extension Importer {
  /// By default the name is the id.
  public static var name: String { id }

  /// By default reads the source, and returns whether that succeeds.
  public func recognizes(_ source: ImportSource) -> Bool { (try? read(source)) != nil }

  /// Reads the records of some bytes.
  ///
  /// - Throws: `ImportError` if the data is invalid.
  public func records(from data: [UInt8]) throws(ImportError) -> [AnnotationRecord] {
    try read(ImportSource(data)).records
  }
}

/// The data that an importer reads.
public struct ImportSource: Sendable {
  /// The content of the file.
  public var bytes: [UInt8]
  /// The path of the file as the user named it; empty if the data is not from a file.
  public var path: String
  /// The tables of an SQLite database; nil for other data.
  public var tables: (any ImportTables)?

  /// Creates a source from bytes in memory.
  public init(_ bytes: [UInt8], path: String = "", tables: (any ImportTables)? = nil) {
    (self.bytes, self.path, self.tables) = (bytes, path, tables)
  }

  /// The content as text, without a byte order mark. Invalid UTF-8 becomes U+FFFD.
  public var text: String {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    return String(decoding: bytes[(isMarked ? 3 : 0)...], as: UTF8.self)
  }
}

/// Read access to the tables of another application's database.
public protocol ImportTables: Sendable {
  /// Returns the names of a table's columns; nil if the table does not exist.
  func columns(of table: String) -> [String]?

  /// Calls `body` with the values of some columns of each row of a table, in the order of
  /// `columns`.
  ///
  /// - Throws: `ImportError` if the table or a column does not exist, or the database is damaged.
  func forEachRow(
    of table: String, _ columns: [String], _ body: ([ImportValue]) -> Void
  ) throws(ImportError)
}

/// A value in another application's database.
public enum ImportValue: Hashable, Sendable {
  /// SQL's NULL.
  case none
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A text. Invalid UTF-8 is replaced by U+FFFD.
  case text(String)

  /// The text; empty for other values.
  public var text: String { if case .text(let text) = self { text } else { "" } }

  /// The number, also of a text that contains one; nil for other values.
  public var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .text(let text): Double(text)
    case .none: nil
    }
  }
}

/// The result of reading a source.
public struct ImportContent: Hashable, Sendable {
  /// The highlights in the source.
  public var records: [AnnotationRecord]
  /// The entries that were skipped, with the reason, one line each.
  public var skipped: [String]
  /// The notes that belong to no highlight, in the order of the source.
  public var notes: [SeparateNote] = []

  /// Creates a result, by default without skipped entries.
  public init(records: [AnnotationRecord], skipped: [String] = []) {
    (self.records, self.skipped) = (records, skipped)
  }
}

/// A note on a document that belongs to no highlight. An import adds it to the note on the document.
public struct SeparateNote: Hashable, Sendable {
  /// The path or address of the document; empty if unknown.
  public var source: String
  /// The title of the document.
  public var title: String
  /// The author of the document; empty if unknown.
  public var author: String
  /// The location in the words of the application, such as "page 12"; empty if unknown.
  public var location: String
  /// The note, as plain text.
  public var text: String

  /// Creates a note.
  public init(
    source: String = "", title: String, author: String = "", location: String = "", text: String
  ) {
    (self.source, self.title, self.author) = (source, title, author)
    (self.location, self.text) = (location, text)
  }
}

/// An error in imported data.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position and the cause, in one line.
  public var description: String
  /// Whether the importer itself failed, so that the data may be valid.
  package var isFailure: Bool

  /// Creates an error with a description of one line.
  public init(_ description: String, isFailure: Bool = false) {
    self.description = description
    self.isFailure = isFailure
  }
}

/// An example of an export, which the tests check.
public struct ExportExample: Sendable {
  /// The case that the example shows, such as "no highlights". Tests print it.
  public var title: String
  /// The records to export.
  public var records: [AnnotationRecord]
  /// The exact output.
  public var output: String

  /// Creates an example of an export that has exactly this output.
  public init(_ title: String, records: [AnnotationRecord], output: String) {
    self.title = title
    self.records = records
    self.output = output
  }
}

/// An example of an import, which the tests check.
public struct ImportExample: Sendable {
  /// The case that the example shows, such as "no highlights". Tests print it.
  public var title: String
  /// The data to read.
  public var input: String
  /// The records that are read; nil if reading must fail.
  public var records: [AnnotationRecord]?
  /// The number of entries that are skipped.
  public var skipped: Int

  /// Creates an example of an import. With `records: nil`, the import must fail.
  public init(_ title: String, input: String, records: [AnnotationRecord]?, skipped: Int = 0) {
    self.title = title
    self.input = input
    self.records = records
    self.skipped = skipped
  }
}

extension Registry where Element == any Exporter {
  package mutating func register<E: Exporter>(_ exporter: E) { register(exporter, as: E.self) }
}

extension Registry where Element == any Importer {
  package mutating func register<I: Importer>(_ importer: I) { register(importer, as: I.self) }
}
