public import Model

/// A form in which highlights are written.
public protocol Exporter: Strategy where Example == ExportExample {
  /// What of a highlight this form has no place for: said to who exports.
  static var omissions: [RecordPart] { get }

  /// Whether the form writes anything that comes from the work of a document or from the program that a
  /// highlight was imported from: `author`, `work`, `citation`, `location`, `sourceColor`, `origin`, or
  /// the date `created`. If it does not, the records lack all of these, which takes a third of the time.
  static var usesSources: Bool { get }

  /// Writes records, which come ordered by document and place. There may be very many: they are read
  /// while they are gone through, which can be done once.
  ///
  /// - Throws: `StrategyFailure` when the exporter could not do its work.
  func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyFailure)
}

extension Exporter {
  /// Nothing.
  public static var omissions: [RecordPart] { [] }
  /// True.
  public static var usesSources: Bool { true }
}

/// A form in which highlights are read.
public protocol Importer: Strategy where Example == ImportExample {
  /// What the form is called in messages, such as "Kindle clippings".
  static var name: String { get }

  /// Whether some data is surely in this form: only then is it read without being asked for. A hint
  /// for people rather than a proof, and quick.
  func recognizes(_ source: ImportSource) -> Bool

  /// Reads records.
  ///
  /// - Throws: `ImportError` with the place and the cause.
  func read(_ source: ImportSource) throws(ImportError) -> ImportContent
}

extension Importer {
  /// The id.
  public static var name: String { id }

  /// Whether it can be read.
  public func recognizes(_ source: ImportSource) -> Bool { (try? read(source)) != nil }

  /// The records in some bytes.
  public func records(from data: [UInt8]) throws(ImportError) -> [AnnotationRecord] {
    try read(ImportSource(data)).records
  }
}

/// What an importer reads.
public struct ImportSource: Sendable {
  /// The content.
  public var bytes: [UInt8]
  /// The path of the file as it was named; empty for what is in no file.
  public var path: String
  /// The tables of a database in SQLite's form; nil for anything else.
  public var tables: (any ImportTables)?

  /// Makes a source of its parts.
  public init(_ bytes: [UInt8], path: String = "", tables: (any ImportTables)? = nil) {
    (self.bytes, self.path, self.tables) = (bytes, path, tables)
  }

  /// The content as text, without a byte order mark; what is not UTF-8 shows as U+FFFD.
  public var text: String {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    return String(decoding: bytes[(isMarked ? 3 : 0)...], as: UTF8.self)
  }
}

/// The tables of another program's database, which is only read.
public protocol ImportTables: Sendable {
  /// The names of the columns of a table; nil when there is no such table.
  func columns(of table: String) -> [String]?

  /// Gives the values of some columns of each row of a table, in the order of the columns.
  ///
  /// - Throws: `ImportError` when the table or a column is missing, or the database is damaged.
  func forEachRow(
    of table: String, _ columns: [String], _ body: ([ImportValue]) -> Void
  ) throws(ImportError)
}

/// A value of another program's database.
public enum ImportValue: Hashable, Sendable {
  /// Nothing.
  case none
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction.
  case real(Double)
  /// A text; what is not UTF-8 in it shows as U+FFFD.
  case text(String)

  /// The text; empty when it is none.
  public var text: String { if case .text(let text) = self { text } else { "" } }

  /// The number, also of a text that is one; nil when it is none.
  public var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .text(let text): Double(text)
    case .none: nil
    }
  }
}

/// What an importer gives.
public struct ImportContent: Hashable, Sendable {
  /// The highlights.
  public var records: [AnnotationRecord]
  /// What was left out, and why: one line each.
  public var skipped: [String]

  /// Makes a content of its parts.
  public init(records: [AnnotationRecord], skipped: [String] = []) {
    (self.records, self.skipped) = (records, skipped)
  }
}

/// Why some data could not be read.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: where and what.
  public var description: String
  /// Whether the importer itself failed, and the data may be right.
  package var isFailure: Bool

  /// Makes an error.
  public init(_ description: String, isFailure: Bool = false) {
    self.description = description
    self.isFailure = isFailure
  }
}

/// An example of what an exporter writes.
public struct ExportExample: Sendable {
  /// What it shows.
  public var title: String
  /// The records.
  public var records: [AnnotationRecord]
  /// What must come out.
  public var output: String

  /// Makes an example of its parts.
  public init(_ title: String, records: [AnnotationRecord], output: String) {
    self.title = title
    self.records = records
    self.output = output
  }
}

/// An example of what an importer reads.
public struct ImportExample: Sendable {
  /// What it shows.
  public var title: String
  /// The data.
  public var input: String
  /// The records that must come out; nil when it must be refused.
  public var records: [AnnotationRecord]?
  /// How many others are left out.
  public var skipped: Int

  /// Makes an example of its parts.
  public init(_ title: String, input: String, records: [AnnotationRecord]?, skipped: Int = 0) {
    self.title = title
    self.input = input
    self.records = records
    self.skipped = skipped
  }
}

extension Registry where Element == any Exporter {
  /// Appends a format.
  package mutating func register<E: Exporter>(_ exporter: E) { register(exporter, as: E.self) }
}

extension Registry where Element == any Importer {
  /// Appends a format.
  package mutating func register<I: Importer>(_ importer: I) { register(importer, as: I.self) }
}
