public import Model

/// A form in which highlights are written.
public protocol Exporter: Strategy where Example == ExportExample {
  /// Writes records, which come ordered by document and place. There may be very many: they are read
  /// while they are gone through, which can be done once.
  ///
  /// - Throws: `StrategyFailure` when the exporter could not do its work.
  func export(
    _ records: some Sequence<AnnotationRecord>, to output: inout some TextOutputStream
  ) throws(StrategyFailure)
}

/// A form in which highlights are read.
public protocol Importer: Strategy where Example == ImportExample {
  /// Reads records.
  ///
  /// - Throws: `ImportError` with the place and the cause.
  func records(from data: [UInt8]) throws(ImportError) -> [AnnotationRecord]
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

  /// Makes an example of its parts.
  public init(_ title: String, input: String, records: [AnnotationRecord]?) {
    self.title = title
    self.input = input
    self.records = records
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
